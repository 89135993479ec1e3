package services;

import common.Callback;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Keeps calls until the test delivers them to an owner of its own. */
public final class HeldMailboxes implements Mailboxes {
    private record Call<O>(OwnerId<O> to, long timeoutMillis, Consumer<Object> delivery) {}

    private final ArrayDeque<Call<?>> held = new ArrayDeque<>();
    private final List<Long> timeouts = new ArrayList<>();

    @Override
    public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
        timeouts.add(timeoutMillis);
        held.add(new Call<>(to, timeoutMillis, owner -> call.run(to.type().cast(owner), done)));
    }

    @Override
    public <O> void tell(OwnerId<O> to, Consumer<O> message) {
        throw new UnsupportedOperationException();
    }

    /** Calls not delivered yet. */
    public int waiting() {
        return held.size();
    }

    /** Of all calls so far. */
    public List<Long> timeouts() {
        return timeouts;
    }

    /** Gives the oldest call to {@code owner}. */
    public void deliver(Object owner) {
        held.remove().delivery().accept(owner);
    }
}
