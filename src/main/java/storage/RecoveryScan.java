package storage;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the segments from the recovery point on, batch by batch, after an unclean stop (rule S7): what is torn at the end is cut off, what is rotten stays
 * where it is and is told of (rule S8). Blocking.
 */
final class RecoveryScan {

    /** Checks of more bytes are told of. */
    private static final int PROGRESS_BYTES = 64 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryScan.class);

    private final FileSystem files;
    private final Recovery.Settings settings;
    private final String directory;
    private final List<String> names;
    private final List<Segment> segments;
    private final LeaderEpochCache epochs;
    private final List<DamagedRange> damage;
    private final IndexRecovery indexes;
    private boolean epochsChanged;
    private long end;
    private long scannedFrom;

    /**
     * @param names of the files in the log's directory
     * @param segments all of the log, in order, at least one; those behind its new end are removed
     * @param epochs are completed by what the batches say
     * @param damage gets what is found, in order
     */
    RecoveryScan(
            FileSystem files,
            Recovery.Settings settings,
            List<String> names,
            List<Segment> segments,
            LeaderEpochCache epochs,
            List<DamagedRange> damage) {
        this.files = files;
        this.settings = settings;
        this.directory = settings.identity().directory();
        this.names = names;
        this.segments = segments;
        this.epochs = epochs;
        this.damage = damage;
        this.indexes = new IndexRecovery(files, settings, names);
    }

    /** Of the log. */
    long end() {
        return end;
    }

    /** Base of the first segment that was checked. */
    long scannedFrom() {
        return scannedFrom;
    }

    boolean epochsChanged() {
        return epochsChanged;
    }

    /** From the segment that holds {@code from} to the end. */
    void run(long from) throws IOException {
        int first = segments.size() - 1;
        while (first > 0 && segments.get(first).baseOffset > from) {
            first--;
        }
        if (first > 0 && segments.get(first).baseOffset == from && !wasClosed(segments.get(first))) {
            // All batches before are durable, but the indexes of the segment that held them need not be.
            first--;
        }
        scannedFrom = segments.get(first).baseOffset;
        end = scannedFrom;
        long bytes = 0;
        for (int i = first; i < segments.size(); i++) {
            if (segments.get(i).size > PROGRESS_BYTES) {
                LOG.info(
                        "Checking segment {} of {} after an unclean stop ({} bytes, {} of {} segments)",
                        segments.get(i).baseOffset,
                        directory,
                        segments.get(i).size,
                        i - first + 1,
                        segments.size() - first);
            }
            bytes += segments.get(i).size;
            if (!scanSegment(i)) {
                break;
            }
        }
        if (bytes > PROGRESS_BYTES || !damage.isEmpty()) {
            LOG.info(
                    "Recovered {}: {} bytes checked from offset {}, log ends at {}, {} damaged ranges",
                    directory,
                    bytes,
                    scannedFrom,
                    end,
                    damage.size());
        }
    }

    /** Whether the segment before {@code next} has finished indexes: the snapshot is the last that a closing writes, and that a stop writes. */
    private boolean wasClosed(Segment next) {
        return names.contains(SegmentFiles.name(next.baseOffset, SegmentFiles.SNAPSHOT));
    }

    /** Checks segment {@code i}; false when the log was cut in it and so ends there. */
    private boolean scanSegment(int i) throws IOException {
        Segment segment = segments.get(i);
        boolean last = i == segments.size() - 1;
        int fileSize = segment.size;
        FileHandle file = files.open(segment.path(settings.identity(), SegmentFiles.LOG), FileSystem.Mode.READ_WRITE);
        try {
            long nextBase = last ? SegmentScan.LAST : segments.get(i + 1).baseOffset;
            SegmentScan scan = new SegmentScan(file, segment, nextBase, end, settings, epochs, damage);
            int valid = scan.run();
            end = scan.nextOffset();
            epochsChanged |= scan.epochsChanged();
            // A tail behind which the next segment goes on without a gap (room made in advance) costs that segment
            // nothing.
            boolean joined = !last && segments.get(i + 1).baseOffset <= end;
            boolean whole = valid == fileSize && (last || joined);
            boolean cut = !whole && !joined && !goesOnBehind(i, valid, fileSize);
            segment.size = cut || joined ? valid : fileSize;
            if (segment.size < fileSize) {
                if (!scan.endsInZeroes()) {
                    LOG.info("{}: torn tail of {} bytes cut at offset {}", directory, fileSize - valid, end);
                }
                file.truncate(valid);
                file.sync();
            }
            segment.resetAssigned();
            if (cut) {
                removeAfter(i);
            }
            boolean active = i == segments.size() - 1;
            indexes.finish(segment, active);
            if (active) {
                // Its indexes are unfinished again, and a snapshot at its end would say that they are not (wasClosed).
                SegmentFiles.dropSnapshotsBehind(files, directory, segment.baseOffset, names);
            }
            return !cut;
        } finally {
            file.release();
        }
    }

    /** Whether what is invalid or missing behind {@code valid} is damage inside of the log (rule S8); false: nothing valid follows, the log ends there. */
    private boolean goesOnBehind(int i, int valid, int fileSize) throws IOException {
        long rotEnd = rotEnd(i, end);
        if (rotEnd <= end) {
            return false;
        }
        damage.add(new DamagedRange(segments.get(i).baseOffset, end, rotEnd, valid, fileSize));
        LOG.warn(
                "{}: offsets {} to {} are damaged on this disk (rule S8); the rest is served",
                directory,
                end,
                rotEnd - 1);
        end = rotEnd;
        return true;
    }

    /** Where a rotten end of segment {@code i} ends: before the next valid batch, or at the recovery point; 0: it is a torn tail. */
    private long rotEnd(int i, long expected) throws IOException {
        if (settings.mutations().active("cut-at-rot")) {
            return 0;
        }
        for (int later = i + 1; later < segments.size(); later++) {
            Segment segment = segments.get(later);
            if (segment.size > 0 && beginsValid(segment, expected)) {
                return segments.get(i + 1).baseOffset;
            }
        }
        long known = settings.start().recoveryPoint();
        if (known <= expected) {
            return 0;
        }
        return i == segments.size() - 1 ? known : Math.max(known, segments.get(i + 1).baseOffset);
    }

    private boolean beginsValid(Segment segment, long expected) throws IOException {
        SegmentView view = new SegmentView(settings.identity(), segment.baseOffset, segment.size, null, 0);
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, segment.size);
            boolean first = scanner.load() == BatchScanner.Place.BATCH
                    && scanner.baseOffset() >= expected
                    && scanner.crcValid();
            RotProbe probe = new RotProbe(file, segment.size, expected, -1, settings.mayHaveGaps());
            return first || probe.validAfter(0) >= 0;
        } finally {
            view.close(file);
        }
    }

    private void removeAfter(int i) throws IOException {
        while (segments.size() > i + 1) {
            SegmentFiles.delete(files, directory, segments.remove(segments.size() - 1).baseOffset, names);
        }
        files.syncDirectory(directory);
    }
}
