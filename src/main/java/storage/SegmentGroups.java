package storage;

import config.LogConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which neighbouring segments become one when they are cleaned: so many that the outcome cannot be larger than a segment may be. */
final class SegmentGroups {

    /** Their files are open together for a moment. */
    static final int MAX_SEGMENTS = 64;

    private static final int SMALLEST_BATCH = 61;

    private SegmentGroups() {}

    /** The closed segments that begin below {@code end}, grouped, in order; not those that {@code skipped} names. */
    static List<List<Segment>> of(SegmentList segments, long end, LogConfig config, Predicate<Segment> skipped) {
        List<List<Segment>> groups = new ArrayList<>();
        List<Segment> group = new ArrayList<>();
        long bytes = 0;
        int interval = Math.max(SMALLEST_BATCH, config.indexIntervalBytes());
        long maxEntries = config.segmentIndexBytes() / TimeIndex.ENTRY_BYTES;
        for (int i = 0; i < segments.count() - 1 && segments.get(i).baseOffset < end; i++) {
            Segment segment = segments.get(i);
            if (skipped.test(segment)) {
                if (!group.isEmpty()) {
                    groups.add(group);
                    group = new ArrayList<>();
                }
                bytes = 0;
                continue;
            }
            long together = bytes + segment.size;
            boolean fits = !group.isEmpty()
                    && group.size() < MAX_SEGMENTS
                    && together <= config.segmentBytes()
                    && together / interval + 2 <= maxEntries
                    && segments.get(i + 1).baseOffset - 1 - group.get(0).baseOffset <= Integer.MAX_VALUE;
            if (!fits && !group.isEmpty()) {
                groups.add(group);
                group = new ArrayList<>();
                bytes = 0;
            }
            group.add(segment);
            bytes += segment.size;
        }
        if (!group.isEmpty()) {
            groups.add(group);
        }
        return groups;
    }
}
