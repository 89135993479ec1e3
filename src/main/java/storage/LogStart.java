package storage;

/**
 * What is known of a log before it is opened: from the directory listing and the checkpoint files.
 *
 * @param exists whether the partition has a directory; if not, opening touches no disk
 * @param cleanStop whether the log directory was shut down cleanly (rule S6): then nothing is scanned
 * @param recoveryPoint from recovery-point-offset-checkpoint, 0 when unknown
 * @param logStartOffset from log-start-offset-checkpoint, 0 when unknown
 * @param highWatermark from replication-offset-checkpoint, 0 when unknown
 * @param cleanedTo from cleaner-offset-checkpoint: up to there the log was compacted; -1 when it never was, or nothing is known
 */
public record LogStart(
        boolean exists,
        boolean cleanStop,
        long recoveryPoint,
        long logStartOffset,
        long highWatermark,
        long cleanedTo) {

    /** A partition that has no directory yet. */
    public static final LogStart NEW = new LogStart(false, true, 0, 0, 0);

    /** Of a log that was never compacted. */
    public LogStart(boolean exists, boolean cleanStop, long recoveryPoint, long logStartOffset, long highWatermark) {
        this(exists, cleanStop, recoveryPoint, logStartOffset, highWatermark, -1);
    }

    /** The same log after an attempt to open it has failed half-way: looked at as after a crash. */
    public LogStart unclean() {
        return new LogStart(exists, false, recoveryPoint, logStartOffset, highWatermark, cleanedTo);
    }

    /** The same log where a truncation that was under way has been completed: nothing is known of what lies behind {@code offset}. */
    LogStart truncatedTo(long offset) {
        return new LogStart(
                exists,
                false,
                Math.min(recoveryPoint, offset),
                logStartOffset,
                Math.min(highWatermark, offset),
                Math.min(cleanedTo, offset));
    }
}
