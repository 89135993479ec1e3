package storage;

import common.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The sparse offset index of one segment: for some batches, the offset and where in the segment file the batch begins. A hint (rule S9): a reader goes on
 * from the floor entry batch by batch. Kafka's {@code .index} file byte for byte: entries of 8 bytes, big endian, both parts rising.
 *
 * <pre>
 *   0                       4                       8
 *   +-----------------------+-----------------------+
 *   | offset - base (int32) | file position (int32) |
 *   +-----------------------+-----------------------+
 * </pre>
 *
 * Held as one long per entry, which is the entry's file image. Confined to one thread at a time. Grows by doubling up to its limit.
 */
public final class OffsetIndex {

    public static final int ENTRY_BYTES = 8;
    private static final long[] EMPTY = {};
    private static final int FIRST_CAPACITY = 16;

    private final long baseOffset;
    private final int maxEntries;
    private long[] entries = EMPTY;
    private int count;

    /**
     * @param baseOffset of the segment
     * @param maxBytes size limit of the file ({@code segment.index.bytes}), > 0
     */
    public OffsetIndex(long baseOffset, int maxBytes) {
        this.baseOffset = baseOffset;
        this.maxEntries = maxBytes / ENTRY_BYTES;
    }

    /**
     * The index in the bytes of a file, from position to limit. Entries of zeroes at the end (a preallocated file after a crash) are left out.
     *
     * @param segmentBytes size of the segment file; a position at or past it means rebuild
     * @param endOffset first offset after the segment; an offset at or past it means rebuild
     */
    public static IndexLoad<OffsetIndex> load(
            long baseOffset, int maxBytes, ByteBuffer file, long segmentBytes, long endOffset) {
        int bytes = file.remaining();
        if (bytes % ENTRY_BYTES != 0) {
            return IndexLoad.rebuild("size " + bytes + " is no multiple of " + ENTRY_BYTES);
        }
        int total = bytes / ENTRY_BYTES;
        while (total > 0 && file.getLong(file.position() + (total - 1) * ENTRY_BYTES) == 0) {
            total--;
        }
        OffsetIndex index = new OffsetIndex(baseOffset, Math.max(maxBytes, total * ENTRY_BYTES));
        index.entries = new long[total];
        for (int i = 0; i < total; i++) {
            long entry = file.getLong(file.position() + i * ENTRY_BYTES);
            index.entries[i] = entry;
            boolean rising = i == 0
                    || (relative(entry) > relative(index.entries[i - 1])
                            && position(entry) > position(index.entries[i - 1]));
            if (!rising || relative(entry) < 0 || position(entry) < 0) {
                return IndexLoad.rebuild("entry " + i + " does not rise");
            }
        }
        index.count = total;
        if (total > 0 && (index.positionAt(total - 1) >= segmentBytes || index.lastOffset() >= endOffset)) {
            return IndexLoad.rebuild("entry " + (total - 1) + " points past the end of the segment");
        }
        return IndexLoad.valid(index);
    }

    /**
     * Adds an entry; {@code offset} and {@code position} must be above those of the last one.
     *
     * @return false, and nothing added, when the index is full or the offset too far from the base: time to roll the segment
     */
    public boolean append(long offset, int position) {
        long distance = offset - baseOffset;
        if (count >= maxEntries || distance > Integer.MAX_VALUE) {
            return false;
        }
        Check.invariant(distance >= 0 && position >= 0, "S9: index entry below the segment", offset, position);
        Check.invariant(count == 0 || offset > lastOffset(), "S9: index offsets must rise", offset, lastOffset());
        Check.invariant(
                count == 0 || position > positionAt(count - 1), "S9: index positions must rise", position, offset);
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, Math.min(maxEntries, Math.max(FIRST_CAPACITY, count * 2)));
        }
        entries[count++] = distance << 32 | position;
        return true;
    }

    public boolean isFull() {
        return count >= maxEntries;
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

    /** Of the last entry; the base offset when there is none. */
    public long lastOffset() {
        return count == 0 ? baseOffset : offsetAt(count - 1);
    }

    public long offsetAt(int entry) {
        return baseOffset + relative(entries[entry]);
    }

    public int positionAt(int entry) {
        return position(entries[entry]);
    }

    /** The last entry with an offset {@code <=} the asked one; -1 when there is none. */
    public int floor(long offset) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (offsetAt(middle) <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** File position from which to look for {@code offset}: that of the floor entry, 0 when there is none. */
    public int positionFor(long offset) {
        int entry = floor(offset);
        return entry < 0 ? 0 : positionAt(entry);
    }

    /** Drops the entries with an offset {@code >=} the given one. */
    public void truncateTo(long offset) {
        count = floor(offset - 1) + 1;
    }

    /** Drops all entries. */
    public void clear() {
        count = 0;
    }

    /** File image of the entries from {@code firstEntry} on: what a disk job writes at {@code firstEntry * ENTRY_BYTES}. A copy. */
    public ByteBuffer image(int firstEntry) {
        ByteBuffer image = ByteBuffer.allocate((count - firstEntry) * ENTRY_BYTES);
        for (int i = firstEntry; i < count; i++) {
            image.putLong(entries[i]);
        }
        return image.flip();
    }

    /** Gives back spare memory; for a segment that will not grow. */
    public void trim() {
        if (entries.length > count) {
            entries = Arrays.copyOf(entries, count);
        }
    }

    private static int relative(long entry) {
        return (int) (entry >>> 32);
    }

    private static int position(long entry) {
        return (int) entry;
    }
}
