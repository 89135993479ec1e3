package storage;

import common.Check;
import java.util.ArrayList;
import java.util.List;

/** The segments of a log in offset order; never empty once the log is open. The last one is being written. */
final class SegmentList {

    private final ArrayList<Segment> segments = new ArrayList<>(2);
    /** What each append asks for; null when there is none. */
    private Segment last;

    void add(Segment segment) {
        if (!segments.isEmpty()) {
            Check.invariant(segment.baseOffset > last.baseOffset, "segments rise", last.baseOffset, segment.baseOffset);
        }
        segments.add(segment);
        last = segment;
    }

    int count() {
        return segments.size();
    }

    Segment get(int index) {
        return segments.get(index);
    }

    Segment first() {
        return segments.get(0);
    }

    Segment last() {
        return last;
    }

    /** Index of the segment that holds {@code offset} or would: the last whose base is {@code <= offset}; -1 when all are above. */
    int floorIndex(long offset) {
        int low = 0;
        int high = segments.size() - 1;
        if (high >= 0 && segments.get(high).baseOffset <= offset) {
            return high;
        }
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (segments.get(middle).baseOffset <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** Bytes written in all segments. */
    long sizeBytes() {
        long total = 0;
        for (int i = 0; i < segments.size(); i++) {
            total += segments.get(i).size;
        }
        return total;
    }

    /** Takes away the segments before index {@code count}, and returns them. */
    List<Segment> removeFirst(int count) {
        List<Segment> head = segments.subList(0, count);
        List<Segment> removed = List.copyOf(head);
        head.clear();
        noteLast();
        return removed;
    }

    /** Takes away the segments from {@code index} on, and returns them. */
    List<Segment> removeFrom(int index) {
        List<Segment> tail = segments.subList(index, segments.size());
        List<Segment> removed = List.copyOf(tail);
        tail.clear();
        noteLast();
        return removed;
    }

    /** Index of this very segment; -1 when it is not in the list any more. */
    int indexOf(Segment segment) {
        int index = floorIndex(segment.baseOffset);
        return index >= 0 && segments.get(index) == segment ? index : -1;
    }

    /** Puts one segment in the place of {@code count} from {@code index} on. */
    void replace(int index, int count, Segment segment) {
        List<Segment> old = segments.subList(index, index + count);
        old.clear();
        segments.add(index, segment);
        noteLast();
    }

    private void noteLast() {
        last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
    }

    List<Segment> all() {
        return List.copyOf(segments);
    }
}
