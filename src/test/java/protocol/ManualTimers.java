package protocol;

import common.Timers;
import java.util.ArrayList;
import java.util.List;

/** Timers that fire when the test lets time pass, the earliest first. */
final class ManualTimers implements Timers {
    private final List<Timer> set = new ArrayList<>();
    private long now;

    private static final class Timer implements Handle {
        private final long due;
        private Runnable task;

        Timer(long due, Runnable task) {
            this.due = due;
            this.task = task;
        }

        @Override
        public void cancel() {
            task = null;
        }
    }

    @Override
    public Handle after(long delayMillis, Runnable task) {
        Timer timer = new Timer(now + delayMillis, task);
        set.add(timer);
        return timer;
    }

    void advance(long millis) {
        long until = now + millis;
        Timer next = next(until);
        while (next != null) {
            now = next.due;
            Runnable task = next.task;
            next.task = null;
            task.run();
            next = next(until);
        }
        now = until;
    }

    private Timer next(long until) {
        set.removeIf(each -> each.task == null);
        Timer first = null;
        for (Timer each : set) {
            if (each.due <= until && (first == null || each.due < first.due)) {
                first = each;
            }
        }
        return first;
    }

    /** Timers that would still fire. */
    int pending() {
        set.removeIf(each -> each.task == null);
        return set.size();
    }
}
