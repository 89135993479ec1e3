package storage;

import common.Callback;
import common.Failure;

/** What a log asks of its surroundings. One per owner and log directory; called on that owner. */
public interface LogHost {

    /** A sync or a repairing truncation failed: nothing of this directory may be written any more (rules S2, S3). Called at least once. */
    void directoryOffline(Failure why);

    /**
     * {@code log}'s start rises to {@code newStart}: makes log-start-offset-checkpoint say so (or more) before {@code persisted} succeeds (rule I12). Only
     * then does the log delete anything or answer. Several calls may share one write.
     */
    void persistLogStart(PartitionLog log, long newStart, Callback<Void> persisted);

    /** A full segment has become durable with its indexes and snapshot: a recovery point has moved, and a checkpoint of it would spare a restart the scan. */
    default void segmentClosed() {}
}
