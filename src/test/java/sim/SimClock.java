package sim;

import common.Clock;

/** A node's clocks: its wall clock may run fast or slow and jump, its monotonic clock may drift. */
public final class SimClock implements Clock {
    /** 2026-01-01T00:00:00Z. */
    public static final long START_MILLIS = 1_767_225_600_000L;

    private final SimScheduler scheduler;
    private double wallRate = 1;
    private double monotonicRate = 1;
    private long wallBase = START_MILLIS;
    private long wallSince;
    private long monotonicBase = 1_000_000_007L;
    private long monotonicSince;

    public SimClock(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public long wallMillis() {
        long millis = (scheduler.now() - wallSince) / SimScheduler.MILLI;
        return wallBase + (long) (millis * wallRate);
    }

    @Override
    public long monotonicNanos() {
        return monotonicBase + (long) ((scheduler.now() - monotonicSince) * monotonicRate);
    }

    /** Rates relative to virtual time, e.g. 1.05 and 0.99. */
    public void rates(double wall, double monotonic) {
        wallBase = wallMillis();
        wallSince = scheduler.now();
        monotonicBase = monotonicNanos();
        monotonicSince = scheduler.now();
        wallRate = wall;
        monotonicRate = monotonic;
    }

    /** Moves the wall clock, forth or back. */
    public void jumpMillis(long by) {
        wallBase += by;
    }

    /** Virtual nanoseconds that this clock takes for {@code nanos} of its monotonic time, rounded up. */
    long virtualNanos(long nanos) {
        return monotonicRate == 1 ? nanos : (long) Math.ceil(nanos / monotonicRate) + 1;
    }
}
