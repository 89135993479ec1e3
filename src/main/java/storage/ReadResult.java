package storage;

import java.util.List;

/**
 * The outcome of one read, with the offsets as they were at that moment. On failure {@code range} is null.
 *
 * @param range null when there is nothing below the bound
 * @param aborted aborted transactions that overlap the range; empty unless read with LAST_STABLE_OFFSET
 * @param more there are readable records behind the range, which the size limits or the segment's end kept out: waiting brings no more
 */
public record ReadResult(
        FileRange range,
        long logStartOffset,
        long highWatermark,
        long lastStableOffset,
        List<AbortedTransaction> aborted,
        boolean more) {

    /** An aborted transaction of {@code producerId} whose first record is at {@code firstOffset}. */
    public record AbortedTransaction(long producerId, long firstOffset) {}

    public int bytes() {
        return range == null ? 0 : range.length();
    }
}
