package storage;

import java.util.Map;
import java.util.TreeMap;

/** The transactions of one partition that hold back its last stable offset (rule T8): open ones, and those whose end readers may not see yet. */
final class UnstableTransactions {

    /** Producer id by first offset of its open transaction. */
    private final TreeMap<Long, Long> open = new TreeMap<>();
    /** Offset of the marker by first offset, of transactions that ended at or past the high watermark as last told. */
    private final TreeMap<Long, Long> ended = new TreeMap<>();

    void begun(long firstOffset, long producerId) {
        open.put(firstOffset, producerId);
    }

    void ended(long firstOffset, long marker) {
        open.remove(firstOffset);
        ended.put(firstOffset, marker);
    }

    void undoBegun(long firstOffset) {
        open.remove(firstOffset);
    }

    void undoEnded(long firstOffset, long producerId) {
        ended.remove(firstOffset);
        open.put(firstOffset, producerId);
    }

    /** Of the oldest open one; {@code none} when there is none. */
    long firstOpen(long none) {
        return open.isEmpty() ? none : open.firstKey();
    }

    /** Of the oldest one, open or ended; {@code none} when there is none. */
    long first(long none) {
        return Math.min(firstOpen(none), ended.isEmpty() ? none : ended.firstKey());
    }

    /** Forgets those whose markers lie below {@code offset}. */
    void settle(long offset) {
        if (!ended.isEmpty()) {
            ended.values().removeIf(marker -> marker < offset);
        }
    }

    /** Producer ids by first offset of their open transactions. */
    Map<Long, Long> open() {
        return open;
    }

    /** Whose open transaction began first; -1 when none is open. */
    long oldestProducer() {
        return open.isEmpty() ? -1 : open.firstEntry().getValue();
    }
}
