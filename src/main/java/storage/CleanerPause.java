package storage;

import common.Timers;

/** What a cleaning waits with: to keep to its rate, or to try something again. One wait at a time. Confined to the log's owner. */
final class CleanerPause {

    private final Timers timers;
    private Timers.Handle handle;
    private Runnable task;

    CleanerPause(Timers timers) {
        this.timers = timers;
    }

    /** Runs {@code then} after so many milliseconds; at once when there are none. */
    void wait(long millis, Runnable then) {
        if (millis <= 0) {
            then.run();
            return;
        }
        task = then;
        handle = timers.after(millis, this::goOn);
    }

    private void goOn() {
        Runnable then = task;
        handle = null;
        task = null;
        then.run();
    }

    /** Ends the wait under way, if any, now. */
    void hurry() {
        if (handle != null) {
            handle.cancel();
            goOn();
        }
    }
}
