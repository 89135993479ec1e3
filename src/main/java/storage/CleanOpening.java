package storage;

import java.io.IOException;
import java.util.List;
import storage.BatchScanner.Place;

/** Opens the last segment of a log that was stopped cleanly: only what lies behind its last index entry is walked. Blocking. */
final class CleanOpening {

    private final LogIdentity log;
    private final Segment last;
    private long end;
    private int lastEpoch = -1;

    CleanOpening(LogIdentity log, Segment last) {
        this.log = log;
        this.last = last;
    }

    /** False: something is not as a clean stop leaves it. */
    boolean run(FileSystem files) throws IOException {
        last.index = new IndexTail(last.baseOffset);
        end = last.baseOffset;
        if (last.size == 0) {
            return true;
        }
        if (last.size > LogState.TINY_BYTES && !hasIndexes(files)) {
            return false;
        }
        SegmentView view = new SegmentView(log, last.baseOffset, last.size, null, 0);
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, last.size);
            if (scanner.load() != Place.BATCH) {
                return false;
            }
            last.firstTimestamp = scanner.maxTimestamp();
            last.maxTimestampKnown = true;
            String offsetIndex = last.path(log, SegmentFiles.OFFSET_INDEX);
            IndexSearch.OffsetEntry entry =
                    IndexSearch.floorOffset(files, offsetIndex, last.baseOffset, Long.MAX_VALUE);
            if (entry != null && !continueIndexes(files, view, scanner, entry)) {
                return false;
            }
            Place place = scanner.load();
            for (; place == Place.BATCH; place = scanner.load()) {
                if (scanner.maxTimestamp() > last.maxTimestamp) {
                    last.maxTimestamp = scanner.maxTimestamp();
                    last.maxTimestampOffset = scanner.lastOffset();
                }
                lastEpoch = scanner.leaderEpoch();
                end = scanner.lastOffset() + 1;
                scanner.skip();
            }
            return place == Place.END;
        } finally {
            view.close(file);
        }
    }

    private boolean hasIndexes(FileSystem files) throws IOException {
        for (String suffix : List.of(SegmentFiles.OFFSET_INDEX, SegmentFiles.TIME_INDEX)) {
            String path = last.path(log, suffix);
            int entry = suffix.equals(SegmentFiles.OFFSET_INDEX) ? OffsetIndex.ENTRY_BYTES : TimeIndex.ENTRY_BYTES;
            if (!files.exists(path) || files.size(path) % entry != 0) {
                return false;
            }
        }
        return true;
    }

    /** Goes to the last indexed batch; what lies behind it is walked. False when an index does not fit the log. */
    private boolean continueIndexes(
            FileSystem files, SegmentView view, BatchScanner scanner, IndexSearch.OffsetEntry entry)
            throws IOException {
        String timeIndex = last.path(log, SegmentFiles.TIME_INDEX);
        IndexSearch.TimeEntry time = IndexSearch.lastTime(files, timeIndex, last.baseOffset);
        if (!hasIndexes(files) || !view.moveTo(scanner, entry)) {
            return false;
        }
        last.maxTimestamp = time == null ? -1 : time.timestamp();
        last.maxTimestampOffset = time == null ? -1 : time.lastOffset();
        last.index.startFrom(
                (int) (files.size(last.path(log, SegmentFiles.OFFSET_INDEX)) / OffsetIndex.ENTRY_BYTES),
                (int) (files.size(timeIndex) / TimeIndex.ENTRY_BYTES),
                last.maxTimestamp,
                last.size - scanner.position());
        return true;
    }

    /** End of the log. */
    long end() {
        return end;
    }

    /** Of the last batch that was walked; -1 for none. */
    int lastEpoch() {
        return lastEpoch;
    }
}
