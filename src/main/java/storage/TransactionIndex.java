package storage;

import common.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The aborted transactions that end in one segment, in order of their abort markers. Kafka's {@code .txnindex} file byte for byte: entries of 34 bytes,
 * big endian. Not only a hint: a missing entry would show aborted records to read_committed readers (rule T8), so a bad file is rebuilt from the log.
 *
 * <pre>
 *   0           2             10             18            26                    34
 *   +-----------+-------------+--------------+-------------+---------------------+
 *   | version 0 | producer id | first offset | last offset | last stable offset  |
 *   +-----------+-------------+--------------+-------------+---------------------+
 * </pre>
 *
 * Last offset is the marker's; last stable offset is that of the log once the marker stands. Confined to one thread at a time. Empty for nearly all
 * segments, and then without arrays.
 */
public final class TransactionIndex {

    public static final int ENTRY_BYTES = 34;
    private static final int FIELDS = 4;
    private static final short VERSION = 0;

    private long[] fields = {};
    private int count;
    /** Counts the changes. */
    private int version;

    private int durableVersion = -1;

    /**
     * The index in the bytes of a file, from position to limit.
     *
     * @param baseOffset of the segment; a marker below it means rebuild
     * @param endOffset first offset after the segment; a marker at or past it means rebuild
     */
    public static IndexLoad<TransactionIndex> load(ByteBuffer file, long baseOffset, long endOffset) {
        if (file.remaining() % ENTRY_BYTES != 0) {
            return IndexLoad.rebuild("size " + file.remaining() + " is no multiple of " + ENTRY_BYTES);
        }
        TransactionIndex index = new TransactionIndex();
        long lastMarker = baseOffset - 1;
        for (int at = file.position(); at < file.limit(); at += ENTRY_BYTES) {
            CompletedTransaction entry = new CompletedTransaction(
                    file.getLong(at + 2), file.getLong(at + 10), file.getLong(at + 18), true, file.getLong(at + 26));
            if (file.getShort(at) != VERSION) {
                return IndexLoad.rebuild("unknown version " + file.getShort(at));
            }
            boolean legal = entry.producerId() >= 0
                    && entry.firstOffset() >= 0
                    && entry.firstOffset() <= entry.lastOffset()
                    && entry.lastOffset() > lastMarker
                    && entry.lastOffset() < endOffset
                    && entry.lastStableOffset() <= entry.lastOffset() + 1;
            if (!legal) {
                return IndexLoad.rebuild("entry " + index.count + " does not rise or lies outside the segment");
            }
            lastMarker = entry.lastOffset();
            index.append(entry);
        }
        index.madeDurable(index.version);
        return IndexLoad.valid(index);
    }

    /** Adds an aborted transaction; its marker must be behind the last one's. */
    public void append(CompletedTransaction aborted) {
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
        version++;
    }

    int version() {
        return version;
    }

    /** The file, and its name, hold what the index was in this version. */
    void madeDurable(int ofVersion) {
        durableVersion = ofVersion;
    }

    /** Whether the file holds exactly this; a file that is missing looks like one without entries, so a stop must not leave it to chance. */
    boolean isDurable() {
        return durableVersion == version;
    }

    CompletedTransaction at(int entry) {
        return new CompletedTransaction(
                producerIdAt(entry), firstOffsetAt(entry), lastOffsetAt(entry), true, lastStableOffsetAt(entry));
    }

    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public long producerIdAt(int entry) {
        return fields[entry * FIELDS];
    }

    public long firstOffsetAt(int entry) {
        return fields[entry * FIELDS + 1];
    }

    /** Offset of the abort marker. */
    public long lastOffsetAt(int entry) {
        return fields[entry * FIELDS + 2];
    }

    public long lastStableOffsetAt(int entry) {
        return fields[entry * FIELDS + 3];
    }

    /**
     * Adds the aborted transactions that overlap [{@code from}, {@code to}) to {@code found}.
     *
     * @return true when no later segment can hold another: stop here; false: go on with the next segment's index
     */
    public boolean collect(long from, long to, List<ReadResult.AbortedTransaction> found) {
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
    public void truncateTo(long offset) {
        while (count > 0 && lastOffsetAt(count - 1) >= offset) {
            count--;
            version++;
        }
    }

    /** File image of the entries from {@code firstEntry} on: what a disk job writes at {@code firstEntry * ENTRY_BYTES}. A copy. */
    public ByteBuffer image(int firstEntry) {
        ByteBuffer image = ByteBuffer.allocate((count - firstEntry) * ENTRY_BYTES);
        for (int i = firstEntry; i < count; i++) {
            image.putShort(VERSION);
            image.putLong(producerIdAt(i)).putLong(firstOffsetAt(i));
            image.putLong(lastOffsetAt(i)).putLong(lastStableOffsetAt(i));
        }
        return image.flip();
    }
}
