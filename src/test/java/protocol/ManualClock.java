package protocol;

import common.Clock;

/** Time that passes when the test says so. */
final class ManualClock implements Clock {
    private long nanos = 1_000_000_000L;

    void advanceMillis(long millis) {
        nanos += millis * 1_000_000;
    }

    @Override
    public long wallMillis() {
        return 1_700_000_000_000L + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }
}
