package verticles;

import common.Clock;

/** The operating system's clocks. Thread safe. */
final class SystemClock implements Clock {

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }
}
