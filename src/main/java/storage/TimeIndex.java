package storage;

import common.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The sparse time index of one segment. An entry (t, o) says: no record before offset o in this segment is later than t. A hint (rule S9). Kafka's
 * {@code .timeindex} file byte for byte: entries of 12 bytes, big endian; times rise, offsets do not fall.
 *
 * <pre>
 *   0                                8                      12
 *   +--------------------------------+-----------------------+
 *   | timestamp, milliseconds (int64)| offset - base (int32) |
 *   +--------------------------------+-----------------------+
 * </pre>
 *
 * Confined to one thread at a time. Grows by doubling up to its limit.
 */
public final class TimeIndex {

    public static final int ENTRY_BYTES = 12;
    private static final int FIRST_CAPACITY = 16;
    private static final long[] NO_TIMESTAMPS = {};
    private static final int[] NO_OFFSETS = {};

    private final long baseOffset;
    private final int maxEntries;
    private long[] timestamps = NO_TIMESTAMPS;
    private int[] offsets = NO_OFFSETS;
    private int count;

    /**
     * @param baseOffset of the segment
     * @param maxBytes size limit of the file ({@code segment.index.bytes}), > 0
     */
    public TimeIndex(long baseOffset, int maxBytes) {
        this.baseOffset = baseOffset;
        this.maxEntries = maxBytes / ENTRY_BYTES;
    }

    /**
     * The index in the bytes of a file, from position to limit. Entries of zeroes at the end (a preallocated file after a crash) are left out.
     *
     * @param endOffset first offset after the segment; an entry at or past it means rebuild
     */
    public static IndexLoad<TimeIndex> load(long baseOffset, int maxBytes, ByteBuffer file, long endOffset) {
        int bytes = file.remaining();
        if (bytes % ENTRY_BYTES != 0) {
            return IndexLoad.rebuild("size " + bytes + " is no multiple of " + ENTRY_BYTES);
        }
        int start = file.position();
        int total = bytes / ENTRY_BYTES;
        while (total > 0 && isZero(file, start + (total - 1) * ENTRY_BYTES)) {
            total--;
        }
        TimeIndex index = new TimeIndex(baseOffset, Math.max(maxBytes, total * ENTRY_BYTES));
        index.timestamps = new long[total];
        index.offsets = new int[total];
        for (int i = 0; i < total; i++) {
            index.timestamps[i] = file.getLong(start + i * ENTRY_BYTES);
            index.offsets[i] = file.getInt(start + i * ENTRY_BYTES + 8);
            boolean rising = i == 0
                    || (index.timestamps[i] > index.timestamps[i - 1] && index.offsets[i] >= index.offsets[i - 1]);
            if (!rising || index.offsets[i] < 0) {
                return IndexLoad.rebuild("entry " + i + " does not rise");
            }
        }
        index.count = total;
        if (total > 0 && index.offsetAt(total - 1) >= endOffset) {
            return IndexLoad.rebuild("entry " + (total - 1) + " points past the end of the segment");
        }
        return IndexLoad.valid(index);
    }

    private static boolean isZero(ByteBuffer file, int at) {
        return file.getLong(at) == 0 && file.getInt(at + 8) == 0;
    }

    /**
     * Adds an entry if its time is later than the last one's (else it says nothing new: ignored). The offset must not be below the last one's.
     *
     * @param timestampMillis the largest time of the records up to {@code offset}
     * @return false, and nothing added, when the index is full or the offset too far from the base: time to roll the segment
     */
    public boolean append(long timestampMillis, long offset) {
        if (timestampMillis <= lastTimestamp()) {
            return true;
        }
        long distance = offset - baseOffset;
        if (count >= maxEntries || distance > Integer.MAX_VALUE) {
            return false;
        }
        Check.invariant(distance >= 0, "S9: time index entry below the segment", offset, baseOffset);
        Check.invariant(
                count == 0 || offset >= lastOffset(), "S9: time index offsets must not fall", offset, lastOffset());
        if (count == timestamps.length) {
            int capacity = Math.min(maxEntries, Math.max(FIRST_CAPACITY, count * 2));
            timestamps = Arrays.copyOf(timestamps, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
        }
        timestamps[count] = timestampMillis;
        offsets[count++] = (int) distance;
        return true;
    }

    /** One entry is kept free for the last append at the roll, as Kafka does. */
    public boolean isFull() {
        return count >= maxEntries - 1;
    }

    public long baseOffset() {
        return baseOffset;
    }

    public int count() {
        return count;
    }

    public int sizeInBytes() {
        return count * ENTRY_BYTES;
    }

    /** Of the last entry; -1 when there is none. */
    public long lastTimestamp() {
        return count == 0 ? -1 : timestamps[count - 1];
    }

    /** Of the last entry; the base offset when there is none. */
    public long lastOffset() {
        return count == 0 ? baseOffset : offsetAt(count - 1);
    }

    public long timestampAt(int entry) {
        return timestamps[entry];
    }

    public long offsetAt(int entry) {
        return baseOffset + offsets[entry];
    }

    /** The last entry with a time {@code <=} the asked one; -1 when there is none. */
    public int floor(long timestampMillis) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (timestamps[middle] <= timestampMillis) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /**
     * Offset from which to look for the first record at or after a time: no record before it is that late. The base offset when the index cannot tell.
     */
    public long offsetFor(long timestampMillis) {
        int entry = floor(timestampMillis - 1);
        return entry < 0 ? baseOffset : offsetAt(entry);
    }

    /** Drops the entries with an offset {@code >=} the given one. */
    public void truncateTo(long offset) {
        while (count > 0 && offsetAt(count - 1) >= offset) {
            count--;
        }
    }

    /** Drops all entries. */
    public void clear() {
        count = 0;
    }

    /** File image of the entries from {@code firstEntry} on: what a disk job writes at {@code firstEntry * ENTRY_BYTES}. A copy. */
    public ByteBuffer image(int firstEntry) {
        ByteBuffer image = ByteBuffer.allocate((count - firstEntry) * ENTRY_BYTES);
        for (int i = firstEntry; i < count; i++) {
            image.putLong(timestamps[i]).putInt(offsets[i]);
        }
        return image.flip();
    }

    /** Gives back spare memory; for a segment that will not grow. */
    public void trim() {
        if (timestamps.length > count) {
            timestamps = Arrays.copyOf(timestamps, count);
            offsets = Arrays.copyOf(offsets, count);
        }
    }
}
