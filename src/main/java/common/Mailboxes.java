package common;

import java.util.function.Consumer;

/**
 * By-reference messages between the owners of one node, as seen by one of them. Order holds per pair of owners. The callee never runs inside the
 * caller's stack, not even when both share a thread.
 */
public interface Mailboxes {

    /**
     * Calls an owner. {@code done} runs on the calling owner exactly once: with the callee's outcome, or with TIMED_OUT after
     * {@code timeoutMillis} (> 0), in which case the outcome is unknown and a late answer is dropped.
     */
    <O, T> void call(OwnerId<O> to, OwnerCall<O, T> call, long timeoutMillis, Callback<T> done);

    /** Sends without an answer. */
    <O> void tell(OwnerId<O> to, Consumer<O> message);
}
