package verticles;

/**
 * Work that can wait in one {@link TaskQueue} at a time. The link is part of the task, so queueing allocates nothing.
 */
abstract class QueuedTask {

    /** The task queued before this one; owned by the queue that holds this task. */
    QueuedTask earlier;

    abstract void run();
}
