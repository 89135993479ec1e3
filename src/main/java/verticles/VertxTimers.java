package verticles;

import common.Timers;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Timers of one owner on its event loop: setting one wakes nobody, and a cancelled one leaves the loop's heap at once. Owner only. */
final class VertxTimers implements Timers {
    private final OwnerLoop owner;

    VertxTimers(OwnerLoop owner) {
        this.owner = owner;
    }

    @Override
    public Handle after(long delayMillis, Runnable task) {
        Timer timer = new Timer(task);
        timer.future = owner.eventLoop().schedule(timer, delayMillis, TimeUnit.MILLISECONDS);
        return timer;
    }

    private final class Timer implements Runnable, Handle {
        private Runnable task;
        private Future<?> future;

        Timer(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            Runnable due = task;
            if (due != null) {
                task = null;
                owner.enter(due);
            }
        }

        @Override
        public void cancel() {
            if (task != null) {
                task = null;
                future.cancel(false);
            }
        }
    }
}
