package common;

/** Always-on assertions. A broken invariant is a bug of ours: it stops the node rather than let it go on with wrong state. */
public final class Check {

    private Check() {}

    /** Throws {@link InvariantViolation} unless {@code holds}. */
    public static void invariant(boolean holds, String message) {
        if (!holds) {
            throw new InvariantViolation(message);
        }
    }

    /** As {@link #invariant(boolean, String)}, with the two numbers that broke it. */
    public static void invariant(boolean holds, String message, long left, long right) {
        if (!holds) {
            throw new InvariantViolation(message + ": " + left + ", " + right);
        }
    }

    /** Throws IllegalArgumentException unless {@code holds}: the caller passed something outside the documented range. */
    public static void argument(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
