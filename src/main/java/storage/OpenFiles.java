package storage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The segment files that one owner keeps open in one log directory; those not used lately are closed first, so the number of descriptors is bounded
 * whatever the number of partitions. Confined to the owner. A handle that a job or a response still uses stays open until they release it.
 *
 * <p>Each append asks here, so the handle lies in the segment itself, and a use only marks it (the clock algorithm): an order of use would have each append
 * write to its neighbours', which with thousands of partitions are in no CPU's cache.
 */
final class OpenFiles {

    /** Files looked at, at most, for one that was not used lately; then the next is closed whatever it is. */
    private static final int MAX_PASSED = 64;

    private final int capacity;
    private final ArrayList<Segment> open = new ArrayList<>();
    /** Where to look for the next one to close. */
    private int hand;
    /** Files that are being renamed: found here and nowhere else. Few. */
    private final Map<Segment, FileHandle> pinned = new LinkedHashMap<>(0);

    OpenFiles(int capacity) {
        this.capacity = capacity;
    }

    /** The segment's handle with a reference for the caller, or null when it is not open. */
    FileHandle retained(Segment segment) {
        FileHandle handle = segment.openFile;
        segment.usedLately = true;
        if (handle == null && !pinned.isEmpty()) {
            handle = pinned.get(segment);
        }
        return handle != null && handle.retain() ? handle : null;
    }

    /** Keeps a handle that a job has opened; takes over the job's reference. */
    void adopt(Segment segment, FileHandle handle) {
        if (segment.openFile != null) {
            handle.release();
            return;
        }
        segment.openFile = handle;
        segment.usedLately = false;
        if (open.size() < capacity) {
            segment.openSlot = open.size();
            open.add(segment);
            return;
        }
        segment.openSlot = leastUsed();
        Segment closed = open.set(segment.openSlot, segment);
        hand = segment.openSlot + 1;
        closed.openFile.release();
        closed.openFile = null;
    }

    private int leastUsed() {
        for (int passed = 0; ; passed++) {
            hand = hand < open.size() ? hand : 0;
            Segment next = open.get(hand);
            if (!next.usedLately || passed == MAX_PASSED) {
                return hand;
            }
            next.usedLately = false;
            hand++;
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
        FileHandle handle = segment.openFile;
        if (handle == null) {
            return;
        }
        Segment last = open.remove(open.size() - 1);
        if (last != segment) {
            open.set(segment.openSlot, last);
            last.openSlot = segment.openSlot;
        }
        segment.openFile = null;
        handle.release();
    }

    int size() {
        return open.size();
    }
}
