package storage;

import common.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The aborted transactions that end in one segment, in order of their abort markers. Kafka's {@code .txnindex} file byte for byte: entries of 34 bytes,
 * big endian. Not only a hint: a missing entry would show aborted records to read_committed readers (rule T8), so a bad file is rebuilt from the log. In
 * memory are only those that are not in the file yet ({@link TransactionTail}).
 *
 * <pre>
 *   0           2             10             18            26                    34
 *   +-----------+-------------+--------------+-------------+---------------------+
 *   | version 0 | producer id | first offset | last offset | last stable offset  |
 *   +-----------+-------------+--------------+-------------+---------------------+
 * </pre>
 *
 * Last offset is the marker's; last stable offset is that of the log once the marker stands. Confined to one thread at a time.
 */
final class TransactionIndex {

    static final int ENTRY_BYTES = 34;
    private static final int FIELDS = 4;
    private static final short VERSION = 0;

    private long[] fields = {};
    private int count;

    /** The entry at {@code at} in the bytes of a file. */
    static CompletedTransaction decode(ByteBuffer file, int at) {
        return new CompletedTransaction(
                file.getLong(at + 2), file.getLong(at + 10), file.getLong(at + 18), true, file.getLong(at + 26));
    }

    /**
     * Null, or why the entry at {@code at} cannot stand in the file of a segment.
     *
     * @param lastMarker of the entry before it; for the first one below the segment
     */
    static String problem(ByteBuffer file, int at, long lastMarker) {
        if (file.getShort(at) != VERSION) {
            return "has the unknown version " + file.getShort(at);
        }
        CompletedTransaction entry = decode(file, at);
        boolean legal = entry.producerId() >= 0
                && entry.firstOffset() >= 0
                && entry.firstOffset() < entry.lastOffset()
                && entry.lastOffset() > lastMarker
                && entry.lastOffset() < Long.MAX_VALUE
                && entry.lastStableOffset() <= entry.lastOffset() + 1;
        return legal ? null : "does not rise or lies outside the segment";
    }

    /** Adds an aborted transaction; its marker must be behind the last one's. */
    void append(CompletedTransaction aborted) {
        Check.invariant(aborted.aborted(), "the transaction index holds aborted transactions only");
        Check.invariant(
                count == 0 || aborted.lastOffset() > lastOffsetAt(count - 1),
                "T8: abort markers must rise",
                aborted.lastOffset(),
                count);
        int at = count * FIELDS;
        if (at == fields.length) {
            fields = Arrays.copyOf(fields, Math.max(FIELDS, at * 2));
        }
        fields[at] = aborted.producerId();
        fields[at + 1] = aborted.firstOffset();
        fields[at + 2] = aborted.lastOffset();
        fields[at + 3] = aborted.lastStableOffset();
        count++;
    }

    CompletedTransaction at(int entry) {
        return new CompletedTransaction(
                producerIdAt(entry), firstOffsetAt(entry), lastOffsetAt(entry), true, lastStableOffsetAt(entry));
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    long producerIdAt(int entry) {
        return fields[entry * FIELDS];
    }

    long firstOffsetAt(int entry) {
        return fields[entry * FIELDS + 1];
    }

    /** Offset of the abort marker. */
    long lastOffsetAt(int entry) {
        return fields[entry * FIELDS + 2];
    }

    long lastStableOffsetAt(int entry) {
        return fields[entry * FIELDS + 3];
    }

    /**
     * Adds the aborted transactions that overlap [{@code from}, {@code to}) to {@code found}.
     *
     * @return true when no later segment can hold another: stop here; false: go on with the next segment's index
     */
    boolean collect(long from, long to, List<ReadResult.AbortedTransaction> found) {
        // What ended before is of no interest, and its last stable offset lies before as well.
        for (int i = firstEndingFrom(from); i < count; i++) {
            if (firstOffsetAt(i) < to) {
                found.add(new ReadResult.AbortedTransaction(producerIdAt(i), firstOffsetAt(i)));
            }
            if (lastStableOffsetAt(i) >= to) {
                return true;
            }
        }
        return false;
    }

    private int firstEndingFrom(long offset) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lastOffsetAt(middle) < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Drops the transactions whose marker is at or past {@code offset}. */
    void truncateTo(long offset) {
        while (count > 0 && lastOffsetAt(count - 1) >= offset) {
            count--;
        }
    }

    /** The entries from {@code firstEntry} on. A copy. */
    TransactionIndex from(int firstEntry) {
        TransactionIndex rest = new TransactionIndex();
        rest.count = count - firstEntry;
        rest.fields = Arrays.copyOfRange(fields, firstEntry * FIELDS, count * FIELDS);
        return rest;
    }

    /** How many entries there are with a marker below {@code offset}. */
    int endingBefore(long offset) {
        return firstEndingFrom(offset);
    }

    /** File image of the first {@code entries}. A copy. */
    ByteBuffer image(int entries) {
        ByteBuffer image = ByteBuffer.allocate(entries * ENTRY_BYTES);
        for (int i = 0; i < entries; i++) {
            image.putShort(VERSION);
            image.putLong(producerIdAt(i)).putLong(firstOffsetAt(i));
            image.putLong(lastOffsetAt(i)).putLong(lastStableOffsetAt(i));
        }
        return image.flip();
    }
}
