package storage;

import java.util.LinkedHashMap;

/**
 * A guess at what the page cache holds: the most recently written or read chunks of segment files, up to a number of bytes. A range outside is "cold":
 * a worker reads it once before it is sent, so that sendfile does not wait for the disk on an event loop. A wrong guess costs time only.
 */
final class WarmChunks {

    static final int CHUNK_BYTES = 1 << 20;

    private record Chunk(Segment segment, int index) {}

    private final int capacity;
    private final LinkedHashMap<Chunk, Boolean> warm = new LinkedHashMap<>(16, 0.75f, true);

    WarmChunks(long warmBytes) {
        this.capacity = (int) Math.max(4, Math.min(1 << 16, warmBytes / CHUNK_BYTES));
    }

    /** The range was written, or read by a worker. */
    void add(Segment segment, int from, int to) {
        for (int chunk = from / CHUNK_BYTES; chunk <= (to - 1) / CHUNK_BYTES; chunk++) {
            warm.put(new Chunk(segment, chunk), Boolean.TRUE);
        }
        while (warm.size() > capacity) {
            warm.remove(warm.keySet().iterator().next());
        }
    }

    /** Whether all of the range is taken to be warm; marks it used. */
    boolean contains(Segment segment, int from, int to) {
        for (int chunk = from / CHUNK_BYTES; chunk <= (to - 1) / CHUNK_BYTES; chunk++) {
            if (warm.get(new Chunk(segment, chunk)) == null) {
                return false;
            }
        }
        return true;
    }
}
