package storage;

import java.util.Arrays;

/**
 * What is known in memory of the entries that a {@code .txnindex} file holds: where to look for a marker, and whether what is read is what was written. The format,
 * Kafka's, has no checksum; here is one for each piece of the file, that of all entries up to the piece's end. Confined to one thread at a time; a {@link View} is
 * immutable.
 */
final class FiledAborted {

    /** Entries that are read and checked together. */
    static final int PIECE = 128;

    private int count;
    private long firstOffset = Long.MAX_VALUE;
    private long lastMarker = -1;
    private long lastStable = -1;
    private long checksum;
    /** Of each full piece: its last marker, and the checksum of all entries up to there. Only added to, so that views may share them. */
    private long[] markers = {};

    private long[] checksums = {};

    /**
     * For a job.
     *
     * @param lastMarker of the last entry, and {@code checksum} of all
     */
    record View(int count, long lastMarker, long checksum, long[] markers, long[] checksums) {

        /** The first piece with a marker at or above {@code offset}; the number of pieces when there is none. */
        int pieceOf(long offset) {
            int low = 0;
            int high = pieces();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (lastMarker(middle) < offset) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        private int pieces() {
            return (count + PIECE - 1) / PIECE;
        }

        private long lastMarker(int piece) {
            return piece < count / PIECE ? markers[piece] : lastMarker;
        }

        /** Of all entries up to the end of the piece; 0 of those before the first. */
        long checksum(int piece) {
            if (piece < 0) {
                return 0;
            }
            return piece < count / PIECE ? checksums[piece] : checksum;
        }
    }

    /** The checksum of some entries and then {@code next}. Any other value of a single entry makes it another one. */
    static long checksum(long before, CompletedTransaction next) {
        long sum = mixed(before, next.producerId());
        sum = mixed(sum, next.firstOffset());
        sum = mixed(sum, next.lastOffset());
        return mixed(sum, next.lastStableOffset());
    }

    /** One to one in either argument. */
    private static long mixed(long before, long field) {
        long product = (before ^ field) * 0x9E3779B97F4A7C15L + 1;
        return product ^ (product >>> 32);
    }

    void add(CompletedTransaction next) {
        count++;
        firstOffset = Math.min(firstOffset, next.firstOffset());
        lastMarker = next.lastOffset();
        lastStable = Math.max(lastStable, next.lastStableOffset());
        checksum = checksum(checksum, next);
        if (count % PIECE == 0) {
            int piece = count / PIECE - 1;
            if (piece == markers.length) {
                markers = Arrays.copyOf(markers, Math.max(1, piece * 2));
                checksums = Arrays.copyOf(checksums, markers.length);
            }
            markers[piece] = lastMarker;
            checksums[piece] = checksum;
        }
    }

    int count() {
        return count;
    }

    /** The smallest first offset; MAX_VALUE for none. */
    long firstOffset() {
        return firstOffset;
    }

    /** Offset of the last entry's marker; -1 for none. */
    long lastMarker() {
        return lastMarker;
    }

    /** Last stable offset of the last entry; -1 for none. */
    long lastStable() {
        return lastStable;
    }

    long checksum() {
        return checksum;
    }

    View view() {
        return new View(count, lastMarker, checksum, markers, checksums);
    }
}
