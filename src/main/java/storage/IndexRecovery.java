package storage;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes offset and time indexes anew at a start: of segments that were checked batch by batch, and of those that have none (rule S9). Blocking. */
final class IndexRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(IndexRecovery.class);

    private final FileSystem files;
    private final Recovery.Settings settings;
    private final List<String> names;

    /** @param names of the files in the log's directory */
    IndexRecovery(FileSystem files, Recovery.Settings settings, List<String> names) {
        this.files = files;
        this.settings = settings;
        this.names = names;
    }

    /**
     * Only of closed segments below {@code scannedFrom}: the others were checked, and so have theirs.
     *
     * @param damage gets what is found on the way
     */
    void rebuildMissing(List<Segment> segments, long scannedFrom, List<DamagedRange> damage) throws IOException {
        for (int i = 0; i < segments.size() - 1; i++) {
            Segment segment = segments.get(i);
            boolean missing = !names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.OFFSET_INDEX))
                    || !names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TIME_INDEX));
            if (missing && segment.size > 0 && segment.baseOffset < scannedFrom) {
                LOG.info(
                        "{}: the indexes of segment {} are rebuilt",
                        settings.identity().directory(),
                        segment.baseOffset);
                rebuild(segment, segments.get(i + 1).baseOffset, damage);
            }
        }
    }

    private void rebuild(Segment segment, long nextBase, List<DamagedRange> damage) throws IOException {
        int size = segment.size;
        TransactionTail aborted = segment.aborted;
        FileHandle file = files.open(segment.path(settings.identity(), SegmentFiles.LOG), FileSystem.Mode.READ);
        try {
            LeaderEpochCache none = new LeaderEpochCache();
            new SegmentScan(file, segment, nextBase, segment.baseOffset, settings.trusting(), none, damage).run();
        } finally {
            file.release();
        }
        segment.size = size;
        segment.resetAssigned();
        segment.aborted = aborted;
        finish(segment, false);
    }

    /** Old index files of a checked segment go; those of one that is not written any more are made anew, if there is room. */
    void finish(Segment segment, boolean active) throws IOException {
        for (String suffix : List.of(SegmentFiles.OFFSET_INDEX, SegmentFiles.TIME_INDEX)) {
            if (names.contains(SegmentFiles.name(segment.baseOffset, suffix))) {
                files.delete(segment.path(settings.identity(), suffix));
            }
        }
        if (active) {
            return;
        }
        if (segment.maxTimestamp >= 0) {
            segment.index.addTime(segment.maxTimestamp, segment.maxTimestampOffset);
        }
        IndexTail.Filing filing = segment.index.filing();
        try {
            PartitionFiles.writeIndex(
                    files,
                    segment.path(settings.identity(), SegmentFiles.OFFSET_INDEX),
                    0,
                    OffsetIndex.ENTRY_BYTES,
                    filing.offsetEntries(),
                    true,
                    true);
            PartitionFiles.writeIndex(
                    files,
                    segment.path(settings.identity(), SegmentFiles.TIME_INDEX),
                    0,
                    TimeIndex.ENTRY_BYTES,
                    filing.timeEntries(),
                    true,
                    true);
        } catch (DiskFullException noRoom) {
            LOG.warn("No room for the index of {}: reads of it search longer", segment.path(settings.identity(), ""));
        }
        segment.index = null;
    }
}
