package coordinator;

import common.Callback;
import common.Failure;

/**
 * An answer that waits until everything before it is committed.
 *
 * @param <T> of the answer
 */
final class Waiter<T> {
    private final Callback<Void> settled;
    private final T response;
    private final Failure failure;
    private final long deadlineNanos;
    private Callback<T> done;

    /**
     * @param settled null for nothing
     * @param done null for no answer
     * @param failure not null: the answer is this failure
     */
    Waiter(Callback<Void> settled, Callback<T> done, T response, Failure failure, long deadlineNanos) {
        this.settled = settled;
        this.done = done;
        this.response = response;
        this.failure = failure;
        this.deadlineNanos = deadlineNanos;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Whether somebody still waits for the answer. */
    boolean isOpen() {
        return done != null;
    }

    void committed() {
        if (settled != null) {
            settled.succeed(null);
        }
        if (done != null) {
            answer(response, failure);
        }
    }

    void failed(Failure why) {
        if (settled != null) {
            settled.fail(why);
        }
        if (done != null) {
            answer(null, why);
        }
    }

    /** The outcome comes too late for whoever asked; what the shard does about it stays. */
    void timedOut(Failure why) {
        answer(null, why);
    }

    private void answer(T value, Failure why) {
        Callback<T> to = done;
        done = null;
        to.done(why == null ? value : null, why);
    }
}
