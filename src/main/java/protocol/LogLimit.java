package protocol;

import common.Clock;

/** Lets one line through per interval and counts the rest, so that a hostile client cannot flood the log. */
final class LogLimit {
    private static final long INTERVAL_NANOS = 1_000_000_000L;

    private final Clock clock;
    private long next;
    private long suppressed;
    private boolean used;

    LogLimit(Clock clock) {
        this.clock = clock;
    }

    /** How many were suppressed since the last line, or -1 if this one is too. */
    long pass() {
        long now = clock.monotonicNanos();
        if (used && now - next < 0) {
            suppressed++;
            return -1;
        }
        used = true;
        next = now + INTERVAL_NANOS;
        long count = suppressed;
        suppressed = 0;
        return count;
    }
}
