package storage;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The segment files that one owner keeps open in one log directory, least recently used closed first; so the number of descriptors is bounded whatever
 * the number of partitions. Confined to the owner. A handle that a job or a response still uses stays open until they release it.
 */
final class OpenFiles {

    private final int capacity;
    private final LinkedHashMap<Segment, FileHandle> open;
    /** Files that are being renamed: found here and nowhere else. Few. */
    private final LinkedHashMap<Segment, FileHandle> pinned = new LinkedHashMap<>(0);

    OpenFiles(int capacity) {
        this.capacity = capacity;
        this.open = new LinkedHashMap<>(16, 0.75f, true);
    }

    /** The segment's handle with a reference for the caller, or null when it is not open. */
    FileHandle retained(Segment segment) {
        FileHandle handle = open.get(segment);
        if (handle == null && !pinned.isEmpty()) {
            handle = pinned.get(segment);
        }
        return handle != null && handle.retain() ? handle : null;
    }

    /** Keeps a handle that a job has opened; takes over the job's reference. */
    void adopt(Segment segment, FileHandle handle) {
        FileHandle known = open.get(segment);
        if (known != null) {
            handle.release();
            return;
        }
        open.put(segment, handle);
        if (open.size() > capacity) {
            Iterator<Map.Entry<Segment, FileHandle>> eldest = open.entrySet().iterator();
            FileHandle dropped = eldest.next().getValue();
            eldest.remove();
            dropped.release();
        }
    }

    /** Keeps a handle, whose reference it takes over, until the segment is dropped or unpinned: its files' names are about to change. */
    void pin(Segment segment, FileHandle handle) {
        FileHandle before = pinned.put(segment, handle);
        if (before != null) {
            before.release();
        }
    }

    void unpin(Segment segment) {
        FileHandle handle = pinned.remove(segment);
        if (handle != null) {
            handle.release();
        }
    }

    /** Closes the segment's handle once its users are done. */
    void drop(Segment segment) {
        unpin(segment);
        FileHandle handle = open.remove(segment);
        if (handle != null) {
            handle.release();
        }
    }

    int size() {
        return open.size();
    }
}
