package verticles;

import common.Callback;
import common.Check;
import common.Failure;
import common.FailureCode;
import common.OwnerCall;

/**
 * One call between owners: the message there, the slot for the answer, and the message back, all in one object. Queued at the callee, later at the caller,
 * never at both.
 */
final class PendingCall<O, T> extends QueuedTask implements Callback<T> {
    private final OwnerCall<O, T> call;
    private final O callee;
    private final BusMailboxes caller;
    private final Callback<T> done;

    /** Set by the callee before the message back. */
    private boolean answered;

    private T value;
    private Failure failure;

    /** From here on: the caller's only. */
    final long deadlineNanos;

    PendingCall<?, ?> earlierDeadline;
    PendingCall<?, ?> laterDeadline;
    int slot;
    private boolean over;

    PendingCall(OwnerCall<O, T> call, O callee, BusMailboxes caller, Callback<T> done, long deadlineNanos) {
        this.call = call;
        this.callee = callee;
        this.caller = caller;
        this.done = done;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    void run() {
        if (!answered) {
            call.run(callee, this);
        } else if (!over) {
            over = true;
            caller.finished(this);
            done.done(value, failure);
        }
    }

    /** On the callee, once. */
    @Override
    public void done(T value, Failure failure) {
        Check.invariant(!answered, "a call was answered twice");
        answered = true;
        this.value = value;
        this.failure = failure;
        caller.answer(this);
    }

    /** On the caller: gives up waiting. Whether the callee acts, or did, is unknown. */
    void expire() {
        over = true;
        done.done(null, new Failure(FailureCode.TIMED_OUT, "no answer from another part of this node in time"));
    }
}
