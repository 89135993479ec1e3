package storage;

/**
 * A transaction that a marker has ended in this partition.
 *
 * @param firstOffset of its first record here
 * @param lastOffset of the marker
 * @param lastStableOffset of the log once the marker is below the high watermark: the first offset of the next open transaction, else the one after the
 *     marker
 */
public record CompletedTransaction(
        long producerId, long firstOffset, long lastOffset, boolean aborted, long lastStableOffset) {}
