package verticles;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that alone writes and syncs the appends of one log directory, in the order in which they were submitted. It sleeps when it has nothing to do; a
 * burst of submissions wakes it once.
 */
final class AppendThread implements AutoCloseable {
    private final TaskQueue queue = new TaskQueue();
    private final AtomicInteger waiting = new AtomicInteger();
    private final int maxWaiting;
    private final FatalErrors fatalErrors;
    private final Thread thread;

    /** Set by whoever must wake the thread, cleared by the thread: tells a real wake-up from a spurious one. */
    private volatile boolean awake;

    private volatile boolean closed;

    AppendThread(String name, int maxWaiting, FatalErrors fatalErrors) {
        this.maxWaiting = maxWaiting;
        this.fatalErrors = fatalErrors;
        this.thread = new Thread(this::loop, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Any thread. False if too many tasks wait, or the thread was closed. */
    boolean submit(QueuedTask task) {
        if (closed || waiting.get() >= maxWaiting) {
            return false;
        }
        waiting.incrementAndGet();
        if (queue.push(task)) {
            wake();
        }
        return true;
    }

    private void wake() {
        awake = true;
        LockSupport.unpark(thread);
    }

    private void loop() {
        while (true) {
            QueuedTask task = queue.takeAllOrSleep();
            while (task != null) {
                QueuedTask next = task.earlier;
                task.earlier = null;
                waiting.decrementAndGet();
                run(task);
                task = next == null ? queue.takeAllOrSleep() : next;
            }
            if (closed && waiting.get() == 0) {
                return;
            }
            while (!awake) {
                LockSupport.park(this);
            }
            awake = false;
        }
    }

    private void run(QueuedTask task) {
        try {
            task.run();
        } catch (Throwable e) {
            fatalErrors.report(e);
        }
    }

    /** Takes no more tasks; those accepted are finished first. */
    @Override
    public void close() {
        closed = true;
        wake();
    }

    boolean closeAndAwait(long millis) throws InterruptedException {
        close();
        thread.join(millis);
        return !thread.isAlive();
    }
}
