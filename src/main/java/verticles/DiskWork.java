package verticles;

/** A job for a disk thread: {@link #run} works there, then {@link #deliver} sends the outcome to whoever asked. */
abstract class DiskWork extends QueuedTask {

    /** On the disk thread, after run; may be a little later. */
    abstract void deliver();
}
