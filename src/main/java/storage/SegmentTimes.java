package storage;

import common.Callback;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Looks up the times of closed segments that nobody has asked for since the start. */
final class SegmentTimes {

    private SegmentTimes() {}

    /** Of one segment: its first batch's largest time (-1: none), and its last time index entry, or the file's last change as in Kafka. */
    private record Times(long first, IndexSearch.TimeEntry last) {}

    /** {@code segments}, whose times are not known, know them when {@code done} succeeds. */
    static void learn(LogState log, List<Segment> segments, Callback<Void> done) {
        List<SegmentView> views = new ArrayList<>(segments.size());
        for (Segment segment : segments) {
            views.add(new SegmentView(log.identity, segment.baseOffset, segment.size, null, 0));
        }
        DiskJob<List<Times>> job = files -> {
            List<Times> all = new ArrayList<>(views.size());
            for (SegmentView view : views) {
                all.add(lookUp(files, view));
            }
            return all;
        };
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (times, failure) -> {
            if (failure == null) {
                for (int i = 0; i < times.size(); i++) {
                    tell(segments.get(i), times.get(i));
                }
            }
            done.done(null, failure);
        });
    }

    private static Times lookUp(FileSystem files, SegmentView view) throws IOException {
        String logPath = view.path(SegmentFiles.LOG);
        IndexSearch.TimeEntry last = IndexSearch.lastTime(files, view.path(SegmentFiles.TIME_INDEX), view.baseOffset());
        if (last == null) {
            last = new IndexSearch.TimeEntry(files.lastModifiedMillis(logPath), view.baseOffset());
        }
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, view.size());
            // Damaged at its front: no time of it is known to be overdue.
            return new Times(scanner.load() == BatchScanner.Place.BATCH ? scanner.maxTimestamp() : -1, last);
        } finally {
            view.close(file);
        }
    }

    private static void tell(Segment segment, Times times) {
        if (!segment.maxTimestampKnown) {
            segment.maxTimestampKnown = true;
            segment.maxTimestamp = times.last.timestamp();
            segment.maxTimestampOffset = times.last.lastOffset();
            segment.firstTimestamp = Math.max(segment.firstTimestamp, times.first);
        }
    }
}
