package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Looks entries up in index files by binary search with positional reads: nothing is held in memory, the page cache is the cache. Blocking: inside a
 * job. A missing or odd file just finds nothing; whoever uses an entry checks it against the batch it points at (rule S9).
 */
final class IndexSearch {

    /** Finds nothing: begin at the segment's start. */
    static final int NONE = -1;

    private final FileHandle file;
    private final int entryBytes;
    private final int count;
    private final ByteBuffer entry;

    private IndexSearch(FileHandle file, int entryBytes, int count) {
        this.file = file;
        this.entryBytes = entryBytes;
        this.count = count;
        this.entry = ByteBuffer.allocate(entryBytes);
    }

    /** An offset index entry: last offset of a batch relative to the base, and where the batch begins. */
    record OffsetEntry(long lastOffset, int position) {}

    /** A time index entry: no batch before the one that ends at {@code lastOffset} is later than {@code timestamp}. */
    record TimeEntry(long timestamp, long lastOffset) {}

    private interface Key {
        long of(ByteBuffer entry);
    }

    /** The last entry whose offset is at or below {@code offset}; null for none. */
    static OffsetEntry floorOffset(FileSystem files, String path, long base, long offset) throws IOException {
        return offsetEntry(files, path, base, offset - base, entry -> entry.getInt(0));
    }

    /** The last entry whose batch begins at or before {@code position}; null for none. */
    static OffsetEntry floorPosition(FileSystem files, String path, long base, int position) throws IOException {
        return offsetEntry(files, path, base, position, entry -> entry.getInt(Integer.BYTES));
    }

    private static OffsetEntry offsetEntry(FileSystem files, String path, long base, long wanted, Key key)
            throws IOException {
        if (!files.exists(path)) {
            return null;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            IndexSearch search = of(file, OffsetIndex.ENTRY_BYTES);
            int found = search.floor(wanted, key);
            if (found == NONE) {
                return null;
            }
            search.read(found);
            return new OffsetEntry(base + search.entry.getInt(0), search.entry.getInt(Integer.BYTES));
        } finally {
            file.release();
        }
    }

    /** The last entry with a time below {@code timestamp}; null for none. */
    static TimeEntry below(FileSystem files, String path, long base, long timestamp) throws IOException {
        return timeEntry(files, path, base, timestamp - 1);
    }

    /** The last entry; null for none. */
    static TimeEntry lastTime(FileSystem files, String path, long base) throws IOException {
        return timeEntry(files, path, base, Long.MAX_VALUE);
    }

    private static TimeEntry timeEntry(FileSystem files, String path, long base, long wanted) throws IOException {
        if (!files.exists(path)) {
            return null;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            IndexSearch search = of(file, TimeIndex.ENTRY_BYTES);
            int found = wanted == Long.MAX_VALUE ? search.count - 1 : search.floor(wanted, entry -> entry.getLong(0));
            if (found == NONE) {
                return null;
            }
            search.read(found);
            return new TimeEntry(search.entry.getLong(0), base + search.entry.getInt(Long.BYTES));
        } finally {
            file.release();
        }
    }

    private static IndexSearch of(FileHandle file, int entryBytes) throws IOException {
        return new IndexSearch(file, entryBytes, (int) Math.min(Integer.MAX_VALUE, file.size() / entryBytes));
    }

    private int floor(long wanted, Key key) throws IOException {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            read(middle);
            if (key.of(entry) <= wanted) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    private void read(int index) throws IOException {
        entry.clear();
        if (PartitionFiles.readFully(file, entry, (long) index * entryBytes) < entryBytes) {
            throw new IOException("index entry " + index + " of " + file.path() + " cannot be read");
        }
    }
}
