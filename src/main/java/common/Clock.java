package common;

/** The node's clocks. Wall time stamps records and files only; every wait and deadline uses monotonic time (rule R16). */
public interface Clock {

    /** Milliseconds since the epoch; may jump in both directions. */
    long wallMillis();

    /** Nanoseconds from an arbitrary start; never goes back. */
    long monotonicNanos();
}
