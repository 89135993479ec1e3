package sim;

import common.Timers;

/** Timers of one process; late by up to a given slack, never early. */
public final class SimTimers implements Timers {
    private final SimScheduler scheduler;
    private final SimClock clock;
    private final SimLife life;
    private final SimRandom random;
    private final long slackNanos;

    public SimTimers(SimScheduler scheduler, SimClock clock, SimLife life, SimRandom random, long slackNanos) {
        this.scheduler = scheduler;
        this.clock = clock;
        this.life = life;
        this.random = random;
        this.slackNanos = slackNanos;
    }

    @Override
    public Handle after(long delayMillis, Runnable task) {
        if (delayMillis < 0) {
            throw new IllegalArgumentException("delay " + delayMillis);
        }
        long late = slackNanos == 0 ? 0 : random.belowLong(slackNanos);
        long nanos = clock.virtualNanos(delayMillis * SimScheduler.MILLI);
        SimScheduler.Event event = scheduler.after(nanos + late, life, "timer", task);
        return event::cancel;
    }
}
