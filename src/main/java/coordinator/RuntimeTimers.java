package coordinator;

import common.Clock;
import common.Timers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The timers of one loaded shard. A deadline that moves later touches no timer of the host: the one that is set finds out when it fires, and is set again for the
 * rest. So a member that heartbeats costs one timer per session, not one per heartbeat. A timer that was due while no records were taken waits a little longer once
 * they are: whoever it waits for may have been turned away for the same reason. Confined to the owner.
 */
final class RuntimeTimers<R> implements ShardTimers<R> {
    /** Soon enough once there is room again, and one look a second for each timer is no load while there is none. */
    static final long POSTPONED_MILLIS = 1_000;
    /** Enough for clients that try again, which they do about once a second. */
    static final long GRACE_MILLIS = 3_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock clock;
    private final Timers timers;
    private final Predicate<Supplier<Result<R, Void>>> run;
    private final Map<Object, Entry<R>> entries = new LinkedHashMap<>();

    private static final class Entry<R> {
        private final Object key;
        private long delayMillis;
        private long deadlineNanos;
        /** It was due, and no records were taken. */
        private boolean postponed;

        private Supplier<Result<R, Void>> task;
        private long armedNanos;
        private Timers.Handle handle;

        Entry(Object key) {
            this.key = key;
        }
    }

    /** @param run runs a task; false: not now, the timer is to try again later */
    RuntimeTimers(Clock clock, Timers timers, Predicate<Supplier<Result<R, Void>>> run) {
        this.clock = clock;
        this.timers = timers;
        this.run = run;
    }

    @Override
    public void set(Object key, long delayMillis, Supplier<Result<R, Void>> task) {
        long now = clock.monotonicNanos();
        Entry<R> entry = entries.computeIfAbsent(key, Entry::new);
        entry.task = task;
        entry.delayMillis = delayMillis;
        entry.postponed = false;
        entry.deadlineNanos = now + Math.min(delayMillis, Long.MAX_VALUE / 2 / NANOS_PER_MILLI) * NANOS_PER_MILLI;
        if (entry.handle != null && entry.armedNanos - entry.deadlineNanos > 0) {
            entry.handle.cancel();
            entry.handle = null;
        }
        if (entry.handle == null) {
            arm(entry, now, entry.deadlineNanos);
        }
    }

    private void arm(Entry<R> entry, long now, long atNanos) {
        entry.armedNanos = atNanos;
        long millis = Math.max(0, (atNanos - now + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
        entry.handle = timers.after(millis, () -> fired(entry));
    }

    private void fired(Entry<R> entry) {
        entry.handle = null;
        long now = clock.monotonicNanos();
        if (entry.deadlineNanos - now > 0) {
            arm(entry, now, entry.deadlineNanos);
            return;
        }
        if (entry.postponed && run.test(Result::nothing)) {
            entry.postponed = false;
            entry.deadlineNanos = now + Math.min(entry.delayMillis, GRACE_MILLIS) * NANOS_PER_MILLI;
            arm(entry, now, entry.deadlineNanos);
            return;
        }
        entries.remove(entry.key);
        if (!run.test(entry.task) && entries.putIfAbsent(entry.key, entry) == null) {
            entry.postponed = true;
            arm(entry, now, now + POSTPONED_MILLIS * NANOS_PER_MILLI);
        }
    }

    @Override
    public void cancel(Object key) {
        Entry<R> entry = entries.remove(key);
        if (entry != null && entry.handle != null) {
            entry.handle.cancel();
        }
    }

    @Override
    public boolean isSet(Object key) {
        return entries.containsKey(key);
    }

    void cancelAll() {
        for (Entry<R> each : entries.values()) {
            if (each.handle != null) {
                each.handle.cancel();
            }
        }
        entries.clear();
    }
}
