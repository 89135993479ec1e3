package verticles;

import common.Callback;
import common.Check;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerCall;
import common.OwnerId;
import common.Timers;
import java.util.function.Consumer;

/**
 * One owner's way to call the others of its node. The request travels by the callee's event bus address, the answer straight to the caller's queue: the slot
 * for it is part of the request (the bus's own request and reply costs several times as much). Used on the owner only.
 */
final class BusMailboxes implements Mailboxes {
    /** Far above what the connections' bounds on requests in flight allow; a guard against a callee that never answers. */
    private static final int MAX_OPEN_CALLS = 1 << 20;

    private final Owners owners;
    private final OwnerLoop self;
    private final CallDeadlines deadlines;

    BusMailboxes(Owners owners, OwnerLoop self, Clock clock, Timers timers) {
        this.owners = owners;
        this.self = self;
        this.deadlines = new CallDeadlines(clock, timers);
    }

    @Override
    public <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done) {
        Check.argument(timeoutMillis > 0, "a call needs a timeout above 0");
        Owners.Entry target = owners.find(to);
        if (target == null || deadlines.open() >= MAX_OPEN_CALLS) {
            FailureCode code = target == null ? FailureCode.SHUTTING_DOWN : FailureCode.OVERLOADED;
            self.post(() -> done.done(null, new Failure(code, "cannot call " + to)));
            return;
        }
        long deadline = deadlines.nowNanos() + Math.min(timeoutMillis, Integer.MAX_VALUE) * 1_000_000L;
        PendingCall<O, T> pending = new PendingCall<>(call, target.as(to), this, done, deadline);
        deadlines.add(pending);
        target.deliver(pending);
    }

    @Override
    public <O> void tell(OwnerId<O> to, Consumer<O> message) {
        Owners.Entry target = owners.find(to);
        if (target != null) {
            target.deliver(new QueuedTask() {
                @Override
                void run() {
                    message.accept(target.as(to));
                }
            });
        }
    }

    /** On the callee: sends the answer back. */
    void answer(PendingCall<?, ?> call) {
        self.post(call);
    }

    /** On the caller: the answer was in time. */
    void finished(PendingCall<?, ?> call) {
        deadlines.remove(call);
    }
}
