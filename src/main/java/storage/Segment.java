package storage;

import common.Mutations;
import config.LogConfig;
import records.BatchSummary;

/**
 * What the owner knows of one segment. "Assigned" figures include queued batches, the others only what has been written. A segment that was closed long
 * ago is just these few fields; its files are opened when needed.
 */
final class Segment {

    final long baseOffset;
    /** Wall time of its making (or of the opening of the log). */
    final long createdMillis;
    /** Taken off segment.ms. */
    long rollJitterMillis;

    /** Null for closed segments. */
    IndexTail index;
    /** Jobs on their way that open the segment's files by their names. */
    int readsByName;
    /** Null when no transaction that ended here was aborted. */
    TransactionTail aborted;

    /** Bytes of the batches written; the file may be longer ({@link #reserved}). */
    int size;
    /** The file is no longer than this, if more than {@link #size}: there may be zeroes behind the batches. */
    int reserved;

    int assignedSize;
    long maxTimestamp = -1;
    /** Last offset of the batch with the largest timestamp. */
    long maxTimestampOffset = -1;
    /** False for a closed segment whose maximum has not been looked up since the start. */
    boolean maxTimestampKnown = true;
    /** Maximum timestamp of the first batch, -1 when there is none: when a segment that is written to rolls. */
    long firstTimestamp = -1;
    /** It was told that compaction leaves the segment as it is. */
    boolean leftAlone;
    /** The .log file is there. */
    boolean made;
    /** The name of the .log file has been synced (rule S4). */
    boolean nameDurable;

    /** The .log file while it is kept open, else null; this and the next two are for {@link OpenFiles} only. */
    FileHandle openFile;

    int openSlot;
    boolean usedLately;

    Segment(long baseOffset, long createdMillis) {
        this.baseOffset = baseOffset;
        this.createdMillis = createdMillis;
    }

    /** Whether {@code batch} must begin a new segment: by size, full index, offset range or time, as in Kafka. */
    boolean mustRollFor(BatchSummary batch, LogConfig config, long wallMillis) {
        if (batch.lastOffset() - baseOffset > Integer.MAX_VALUE) {
            return true;
        }
        if (assignedSize == 0) {
            return false;
        }
        if ((long) assignedSize + batch.sizeInBytes() > config.segmentBytes()
                || index.isFull(config.segmentIndexBytes())) {
            return true;
        }
        long waited = firstTimestamp >= 0 ? batch.maxTimestamp() - firstTimestamp : wallMillis - createdMillis;
        return waited > config.rollMillis() - rollJitterMillis;
    }

    /** Takes no more, and all its index files are written: what a start had no room for is not. Only then may another take its place. */
    boolean isClosed() {
        return index == null && (aborted == null || aborted.isDurable());
    }

    /** Wall time of the newest record; of the segment's making when no record has a time. */
    long newestMillis() {
        return maxTimestamp >= 0 ? maxTimestamp : createdMillis;
    }

    /** A batch will be written here. */
    void onAssigned(BatchSummary batch) {
        if (assignedSize == 0) {
            firstTimestamp = batch.maxTimestamp();
        }
        assignedSize += batch.sizeInBytes();
    }

    /** What was assigned and not written is not coming. */
    void resetAssigned() {
        assignedSize = size;
        if (size == 0) {
            firstTimestamp = -1;
        }
    }

    /** A batch was written at {@link #size}; {@code time}: its largest, -1 for one that compaction has emptied, which has records no more. */
    void onWritten(BatchSummary batch, long time, int indexInterval, Mutations mutations) {
        if (time > maxTimestamp) {
            maxTimestamp = time;
            maxTimestampOffset = batch.lastOffset();
        }
        int position = mutations.active("index-past-log") ? size + batch.sizeInBytes() : size;
        index.onBatch(
                position, batch.sizeInBytes(), batch.lastOffset(), maxTimestamp, maxTimestampOffset, indexInterval);
        size += batch.sizeInBytes();
        assignedSize = Math.max(assignedSize, size);
    }

    void addAborted(CompletedTransaction transaction) {
        if (aborted == null) {
            aborted = new TransactionTail();
        }
        aborted.add(transaction);
    }

    /** What a job needs to read the batches. */
    Segment forJob() {
        Segment copy = new Segment(baseOffset, createdMillis);
        copy.size = size;
        return copy;
    }

    String path(LogIdentity log, String suffix) {
        return SegmentFiles.path(log.directory(), baseOffset, suffix);
    }
}
