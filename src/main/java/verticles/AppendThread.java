package verticles;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that alone writes and syncs the appends of one log directory, in the order in which they were submitted. It sleeps when it has nothing to do; a
 * burst of submissions wakes it once. While quick jobs follow one another their outcomes are held for a moment, so that an owner whose request touched several
 * logs is woken once and not once per log; behind a slow job (a sync) nothing is held.
 */
final class AppendThread implements AutoCloseable {
    private static final long SLOW_NANOS = 200_000;
    /** After a slow job so many jobs are delivered at once: another slow one may follow. */
    private static final int CAUTIOUS_JOBS = 32;

    private static final int MAX_HELD = 16;

    private final TaskQueue queue = new TaskQueue();
    private final DiskWork[] held = new DiskWork[MAX_HELD];
    private int heldCount;
    private int cautious;
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
    boolean submit(DiskWork task) {
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
                run((DiskWork) task);
                task = next == null ? queue.takeAllOrSleep() : next;
            }
            deliverHeld();
            if (closed && waiting.get() == 0) {
                return;
            }
            while (!awake) {
                LockSupport.park(this);
            }
            awake = false;
        }
    }

    private void run(DiskWork task) {
        try {
            long start = System.nanoTime();
            task.run();
            boolean slow = System.nanoTime() - start > SLOW_NANOS;
            cautious = slow ? CAUTIOUS_JOBS : Math.max(0, cautious - 1);
            held[heldCount++] = task;
            if (cautious > 0 || heldCount == MAX_HELD) {
                deliverHeld();
            }
        } catch (Throwable e) {
            fatalErrors.report(e);
        }
    }

    private void deliverHeld() {
        for (int index = 0; index < heldCount; index++) {
            held[index].deliver();
            held[index] = null;
        }
        heldCount = 0;
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
