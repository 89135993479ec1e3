package storage;

import common.Callback;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * SKELETON (signatures to code against; the storage owner replaces the bodies). The log of one replica. All methods on the owner's thread; callbacks
 * too, possibly before the method returns.
 */
public abstract class PartitionLog {

    public abstract LogIdentity identity();

    public abstract LogConfig config();

    public abstract void updateConfig(LogConfig config);

    /** First offset that readers may ask for. Rises only (rule I12). */
    public abstract long logStartOffset();

    /** End of what has been written (to the page cache): LEO. */
    public abstract long logEndOffset();

    /** End of what has been fsynced. */
    public abstract long durableEndOffset();

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
     * Reads from {@code offset} up to {@code maxBytes} and the bound, never across a segment. The range starts with the batch that holds
     * {@code offset}; with {@code wholeFirstBatch} that batch comes whole even if larger than {@code maxBytes}, else a larger one gives no range.
     * OFFSET_OUT_OF_RANGE outside [log start, log end].
     */
    public abstract void read(long offset, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadResult> done);

    public abstract EpochEnd endOfEpoch(int epoch);

    /** The first record with timestamp >= {@code timestampMillis} below the high watermark (or the given bound). */
    public abstract void offsetForTimestamp(long timestampMillis, ReadBound bound, Callback<TimestampOffset> done);

    /** The record with the largest timestamp (ListOffsets -3), the first of equals. */
    public abstract void offsetOfMaxTimestamp(Callback<TimestampOffset> done);

    /** A new leader epoch begins at the log's end; persisted before the callback (rule I1). */
    public abstract void beginEpoch(int epoch, Callback<Void> done);

    public abstract void truncateTo(long offset, Callback<Void> done);

    /** DeleteRecords: raises the log start to {@code offset} (-1: the high watermark), persisted before the callback gives the new start. */
    public abstract void deleteBefore(long offset, Callback<Long> done);

    /** Raises the high watermark (never lowers). */
    public abstract void advanceHighWatermark(long offset);

    /** Periodic duty: time-based roll and flush, retention, producer expiry. Cheap when there is nothing to do; work goes to the BLOCKING lane. */
    public abstract void housekeep(long wallMillis);

    public abstract List<ActiveProducer> activeProducers();

    /** Bytes of all segments. */
    public abstract long sizeBytes();

    /** Makes all durable and writes snapshot and checkpoints' inputs; no further use. */
    public abstract void close(Callback<Void> done);

    /** Renames the directory to Kafka's deleted form, then unlinks in the background. */
    public abstract void delete(Callback<Void> done);
}
