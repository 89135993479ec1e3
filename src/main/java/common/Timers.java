package common;

/** One-shot timers of one owner. */
public interface Timers {

    /** Runs {@code task} on the owner once at least {@code delayMillis} (>= 0) have passed, never early. */
    Handle after(long delayMillis, Runnable task);

    /** A timer that has been set. */
    interface Handle {
        /** The task will not run after this returns, if it has not run yet. Idempotent. Only on the owner. */
        void cancel();
    }
}
