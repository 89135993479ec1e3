package verticles;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A queue of many producers and one consumer that knows whether its consumer must be woken. A burst of tasks costs one wake-up: waking an idle thread is
 * what dominates latency at low load, so every needless one counts.
 *
 * <p>The queue is a stack of tasks, newest first, that the consumer takes whole and turns round, so tasks of one producer run in order. Its last element is
 * null (the consumer sleeps: the next push must wake it) or {@link #RUNNING} (the consumer is at work and looks again before it sleeps).
 */
final class TaskQueue {
    private static final QueuedTask RUNNING = new QueuedTask() {
        @Override
        void run() {
            throw new AssertionError("the marker is no task");
        }
    };

    private final AtomicReference<QueuedTask> newest = new AtomicReference<>();

    /** Any thread. Returns true if the consumer sleeps and the caller must wake it. */
    boolean push(QueuedTask task) {
        while (true) {
            QueuedTask head = newest.get();
            task.earlier = head;
            if (newest.compareAndSet(head, task)) {
                return head == null;
            }
        }
    }

    /**
     * Consumer only, after it was woken. Takes all tasks queued so far, oldest first, linked by {@link QueuedTask#earlier} in reading order; null if there are
     * none, in which case the consumer now counts as asleep. Call until it returns null, or arrange to be called again.
     */
    QueuedTask takeAllOrSleep() {
        while (true) {
            QueuedTask head = newest.get();
            if (head == RUNNING || head == null) {
                if (head == null || newest.compareAndSet(RUNNING, null)) {
                    return null;
                }
            } else if (newest.compareAndSet(head, RUNNING)) {
                return oldestFirst(head);
            }
        }
    }

    private static QueuedTask oldestFirst(QueuedTask head) {
        QueuedTask reversed = null;
        QueuedTask task = head;
        while (task != null && task != RUNNING) {
            QueuedTask earlier = task.earlier;
            task.earlier = reversed;
            reversed = task;
            task = earlier;
        }
        return reversed;
    }
}
