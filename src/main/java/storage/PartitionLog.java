package storage;

import common.Callback;
import common.Failure;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The log of one replica. All methods on the owner's thread; callbacks too, possibly before the method returns. Opened by {@link LogContext#open}.
 *
 * <p>A new partition costs no disk access: its directory, partition.metadata and first segment are made by its first append, before that append is
 * answered (durable logs: synced, names included, rule S4).
 */
public abstract class PartitionLog {

    public abstract LogIdentity identity();

    public abstract LogConfig config();

    public abstract void updateConfig(LogConfig config);

    /** First offset that readers may ask for. Rises only (rule I12). */
    public abstract long logStartOffset();

    /** End of what has been written (to the page cache): LEO. */
    public abstract long logEndOffset();

    /** End of what has been fsynced. Never moves on a failed fsync (rule S3). */
    public abstract long durableEndOffset();

    /** What recovery-point-offset-checkpoint should say: all below is durable, indexes and snapshots of closed segments included. */
    public abstract long recoveryPoint();

    /** Null, or why a range of this log cannot be read (rule S8); for describing, the rest of the log works. */
    public abstract String damage();

    /** The offsets that cannot be read for damage (rule S8), rising; empty as a rule. */
    public abstract List<OffsetRange> damagedOffsets();

    /** Null, or why nothing can be done with this log any more: its directory is offline, or it is closed. */
    public abstract Failure unusable();

    /** Null while records can be appended; else why an append would be refused now (disk full, directory offline, log closed). */
    public abstract Failure appendRefusal();

    public abstract long highWatermark();

    public abstract long lastStableOffset();

    /** Of the last batch; -1 for none. */
    public abstract int latestEpoch();

    /**
     * Checks the producer's sequence, assigns offsets, epoch and (LogAppendTime) time in place, queues the batch and writes it with all that is queued
     * (group commit). {@code batch} holds exactly one batch that passed records' validation; it must stay untouched until {@code done}, which comes when
     * the batch is written and, for a durable log, fsynced. Order of appends is order of calls. A duplicate (P1) is answered when its original is written.
     */
    public abstract void append(ByteBuffer batch, int leaderEpoch, Callback<AppendResult> done);

    /**
     * As {@link #append(ByteBuffer, int, Callback)}, of a batch of the broker's own. A marker that repeats the last one of its producer exactly (its answer was
     * lost) is not appended again and answered as a duplicate (rule T7).
     */
    public abstract void append(ByteBuffer batch, BatchOrigin origin, int leaderEpoch, Callback<AppendResult> done);

    /** The verdict on a batch of the broker's own if it were appended now. */
    public abstract ProducerVerdict verdictOn(ByteBuffer batch, BatchOrigin origin);

    /** What is known of a producer, batches on their way to the disk included; null for nothing. */
    public abstract ActiveProducer producer(long producerId);

    /**
     * The caller turned {@code batch} away for a reason that passes, before {@link #append}: batches that its producer has sent behind it must not be taken
     * before it (rules P2, P7).
     */
    public abstract void refused(ByteBuffer batch);

    /**
     * Appends what a leader sent: offsets, epoch and times as they are; {@code batches} holds whole batches, each verified by the caller, the first at or
     * above the log's end. Producer state follows without a verdict. The result names the first and last offset.
     */
    public abstract void appendFetched(ByteBuffer batches, Callback<AppendResult> done);

    /**
     * Reads from {@code offset} up to {@code maxBytes} and the bound, never across a segment. The range starts with the batch that holds
     * {@code offset}; with {@code wholeFirstBatch} that batch comes whole even if larger than {@code maxBytes}, else a larger one gives no range.
     * OFFSET_OUT_OF_RANGE outside [log start, log end].
     */
    public abstract void read(
            long offset, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadResult> done);

    public abstract EpochEnd endOfEpoch(int epoch);

    /** The leader epoch that the record at {@code offset} has (or would have next, at the log's end); -1 when none is known. */
    public abstract int epochFor(long offset);

    /** The first record with timestamp >= {@code timestampMillis} below the high watermark (or the given bound). */
    public abstract void offsetForTimestamp(long timestampMillis, ReadBound bound, Callback<TimestampOffset> done);

    /** The record with the largest timestamp (ListOffsets -3), the first of equals. */
    public abstract void offsetOfMaxTimestamp(Callback<TimestampOffset> done);

    /**
     * A new leader epoch begins at the log's end. The callback comes without disk access. Rule I1: a durable log persists the epoch before the next batch is
     * written; else the epoch is as safe as its first batch, which carries it: recovery reads it there until the checkpoint is written in the background.
     */
    public abstract void beginEpoch(int epoch, Callback<Void> done);

    /**
     * Cuts the log, durably, before {@code done}. The caller has first made recovery-point-offset-checkpoint say {@code offset} or less: else a crash right
     * after it takes what was cut for damage (rule S8).
     */
    public abstract void truncateTo(long offset, Callback<Void> done);

    /**
     * Gives up all records; the log goes on, empty, at {@code offset}, which is not below its start unless the log is empty already: of a replica that has nothing to continue what its leader still
     * has. Durable before {@code done}. The caller has first made recovery-point-offset-checkpoint say the log's start or less.
     */
    public abstract void restartAt(long offset, Callback<Void> done);

    /** Runs {@code then} when what was begun to be appended or cut is in the log, or has failed; now as a rule. */
    public abstract void whenSettled(Runnable then);

    /** DeleteRecords: raises the log start to {@code offset} (-1: the high watermark), persisted before the callback gives the new start. */
    public abstract void deleteBefore(long offset, Callback<Long> done);

    /** Raises the high watermark (never lowers). */
    public abstract void advanceHighWatermark(long offset);

    /** Part of {@link #housekeep}: whether what was refused or failed, for want of room say, works now (rule S10). */
    public abstract void retry();

    /**
     * Periodic duty: looks at {@code most} places for producers and forgets those that are too old (rule P6), as {@link ProducerStates#expire}; how many it were,
     * {@link ProducerStates#MORE} when others are left.
     */
    public abstract int expireProducers(long wallMillis, long expirationMillis, int most);

    /** Periodic duty: time-based roll and flush, retention. Cheap when there is nothing to do; work goes to the BLOCKING lane. */
    public abstract void housekeep(long wallMillis);

    /** What a cleaning could do now; null for a log that is not compacted, or not to be cleaned at the moment. Cheap. */
    public abstract CleaningPlan cleaningPlan(long wallMillis);

    /**
     * Cleans the log once, in many small jobs (rules K1-K6). Gives null when there was nothing to be done. SHUTTING_DOWN or OVERLOADED when something else took
     * precedence; any other failure says what is wrong with the log: it is as it was then, or cleaned in part.
     */
    public abstract void clean(CleanerTools tools, Callback<CleaningReport> done);

    /** Up to there the log has been compacted; -1: never. For cleaner-offset-checkpoint. */
    public abstract long cleanedTo();

    /**
     * Reads about {@code maxBytes} of the closed segments again and checks them (rules S1, S8), each time further on. Gives how many were read; 0 at the end of
     * a pass.
     */
    public abstract void scrub(int maxBytes, Callback<Integer> done);

    /**
     * What was read at {@code offset} is no valid batch: looks for the damage in its segment now, so that {@link #damagedOffsets} tells of it (rule S8). Gives
     * whether some was found that was not known.
     */
    public abstract void examine(long offset, Callback<Boolean> done);

    public abstract List<ActiveProducer> activeProducers();

    /** The producer whose open transaction began first in this log; null when none is open. */
    public abstract ActiveProducer oldestOpenTransaction();

    /** Bytes of all segments. */
    public abstract long sizeBytes();

    /** Makes all written data, indexes and a producer snapshot durable. Part of a clean stop and useful before a checkpoint; the log stays usable. */
    public abstract void flush(Callback<Void> done);

    /** {@link #flush}, then closes the files; no further use. Failure: the clean mark must not be written (rule S6). */
    public abstract void close(Callback<Void> done);

    /**
     * Renames the directory to Kafka's deleted form, then unlinks in the background. The checkpoint files must be written without this partition before one
     * of the same name is opened: they know topics by name only.
     */
    public abstract void delete(Callback<Void> done);
}
