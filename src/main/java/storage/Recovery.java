package storage;

import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a partition's directory. After a clean stop: sizes, the end of the last segment, the last snapshot; nothing else is read. After an unclean one
 * everything from the recovery point on is checked (rules S7, S8) and what depends on it rebuilt. Blocking. Needs no free space: what cannot be
 * written is left missing.
 */
final class Recovery implements DiskJob<RecoveredLog> {

    /** Checks of more bytes are told of. */
    private static final int PROGRESS_BYTES = 64 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /**
     * What a recovery goes by.
     *
     * @param recoveryPoint batches below it need no checksum: that of the checkpoint, or lower where damage was noted
     */
    record Settings(
            LogIdentity identity,
            LogConfig config,
            LogStart start,
            long recoveryPoint,
            long wallMillis,
            Mutations mutations) {

        Settings checkingFrom(long offset) {
            return new Settings(identity, config, start, Math.min(recoveryPoint, offset), wallMillis, mutations);
        }

        /** Without looking at checksums. */
        Settings trusting() {
            return new Settings(identity, config, start, Long.MAX_VALUE, wallMillis, mutations);
        }
    }

    private Settings settings;
    private final String directory;
    private final List<DamagedRange> damage = new ArrayList<>(0);
    private List<Segment> segments;
    private List<String> names;
    private LeaderEpochCache epochs;
    private boolean epochsChanged;
    private boolean epochsLost;
    private boolean epochsOnDisk;
    private long end;
    /** Base of the first segment that was checked batch by batch; MAX_VALUE when none was. */
    private long scannedFrom = Long.MAX_VALUE;
    /** Base of the first segment whose transaction index cannot be read; MAX_VALUE when none. */
    private long unreadableAbortedFrom = Long.MAX_VALUE;

    Recovery(LogIdentity identity, LogConfig config, LogStart start, long wallMillis, Mutations mutations) {
        this.settings = new Settings(identity, config, start, start.recoveryPoint(), wallMillis, mutations);
        this.directory = identity.directory();
    }

    @Override
    public RecoveredLog run(FileSystem files) throws IOException {
        names = files.list(directory);
        if (new SegmentSwap(files, directory, settings.mutations()).recover(names)) {
            names = files.list(directory);
        }
        dropLeftovers(files);
        segments = findSegments(files);
        loadEpochs(files);
        end = segments.isEmpty() ? 0 : segments.get(0).baseOffset;
        long noted = names.contains(DamageNote.FILE_NAME) ? DamageNote.read(files, directory) : Long.MAX_VALUE;
        settings = settings.checkingFrom(noted);
        boolean trusted = settings.start().cleanStop() && noted == Long.MAX_VALUE;
        if (!segments.isEmpty() && (!trusted || !openTrusting(files))) {
            scan(files, trusted ? Long.MAX_VALUE : settings.recoveryPoint());
        }
        DamageNote.update(files, directory, noted, damage);
        rebuildMissingIndexes(files);
        boolean unsynced =
                !settings.start().cleanStop() && end > settings.start().recoveryPoint();
        if (unsynced && settings.config().durable()) {
            syncScanned(files);
            unsynced = false;
        }
        long durableEnd = unsynced ? settings.start().recoveryPoint() : end;
        ensureActive();
        epochsLost &= segments.get(0).baseOffset < scannedFrom;
        LeaderEpochCache rebuilt = epochsLost ? new LeaderEpochCache() : null;
        ProducerStates producers = new ProducerRecovery(settings, segments, names, damage)
                .load(files, end, Math.min(scannedFrom, unreadableAbortedFrom), rebuilt);
        if (epochsLost) {
            epochs = rebuilt;
            epochsChanged = true;
        }
        epochsChanged |= epochs.truncateFromEnd(end);
        boolean snapshot = names.contains(SegmentFiles.name(end, SegmentFiles.SNAPSHOT));
        return new RecoveredLog(
                segments, end, durableEnd, producers, epochs, epochsChanged, epochsOnDisk, snapshot, damage);
    }

    /** What a stop in the middle of a deletion or replacement has left. */
    private void dropLeftovers(FileSystem files) throws IOException {
        List<String> kept = new ArrayList<>(names.size());
        for (String name : names) {
            if (name.endsWith(SegmentFiles.DELETED) || name.endsWith(".tmp")) {
                files.delete(directory + '/' + name);
            } else {
                kept.add(name);
            }
        }
        names = kept;
    }

    private List<Segment> findSegments(FileSystem files) throws IOException {
        List<Segment> found = new ArrayList<>();
        for (String name : names) {
            long base = SegmentFiles.baseOffset(name, SegmentFiles.LOG);
            if (base >= 0) {
                Segment segment = new Segment(base, settings.wallMillis());
                segment.made = true;
                segment.nameDurable = settings.start().cleanStop();
                segment.size = (int) Math.min(Integer.MAX_VALUE, files.size(directory + '/' + name));
                segment.assignedSize = segment.size;
                segment.maxTimestampKnown = segment.size == 0;
                found.add(segment);
            }
        }
        // Power lost during a deletion brings back any of the names. What is wholly below the log start is gone: a gap
        // in it is no damage.
        while (found.size() > 1 && found.get(1).baseOffset <= settings.start().logStartOffset()) {
            deleteFiles(files, found.remove(0));
        }
        for (int i = 0; i < found.size(); i++) {
            Segment segment = found.get(i);
            if (names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TRANSACTION_INDEX))) {
                segment.aborted = loadAborted(files, segment);
            }
        }
        return found;
    }

    private TransactionIndex loadAborted(FileSystem files, Segment segment) throws IOException {
        ByteBuffer content = AtomicFile.read(
                files, SegmentFiles.path(directory, segment.baseOffset, SegmentFiles.TRANSACTION_INDEX), 64 << 20);
        IndexLoad<TransactionIndex> loaded =
                content == null ? null : TransactionIndex.load(content, segment.baseOffset, Long.MAX_VALUE);
        if (loaded == null || loaded.index() == null) {
            LOG.warn("{}: the transaction index of segment {} is rebuilt", directory, segment.baseOffset);
            unreadableAbortedFrom = Math.min(unreadableAbortedFrom, segment.baseOffset);
            return null;
        }
        return loaded.index();
    }

    /** Rule S9; only of segments that were not checked anyway. */
    private void rebuildMissingIndexes(FileSystem files) throws IOException {
        for (int i = 0; i < segments.size() - 1; i++) {
            Segment segment = segments.get(i);
            boolean missing = !names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.OFFSET_INDEX))
                    || !names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TIME_INDEX));
            if (missing && segment.size > 0 && segment.baseOffset < scannedFrom) {
                LOG.info("{}: the indexes of segment {} are rebuilt", directory, segment.baseOffset);
                rebuildIndex(files, segment, segments.get(i + 1).baseOffset);
            }
        }
    }

    private void rebuildIndex(FileSystem files, Segment segment, long nextBase) throws IOException {
        int size = segment.size;
        TransactionIndex aborted = segment.aborted;
        FileHandle file = files.open(segment.path(settings.identity(), SegmentFiles.LOG), FileSystem.Mode.READ);
        try {
            new SegmentScan(
                            file,
                            segment,
                            nextBase,
                            segment.baseOffset,
                            settings.trusting(),
                            new LeaderEpochCache(),
                            new ArrayList<>())
                    .run();
        } finally {
            file.release();
        }
        segment.size = size;
        segment.resetAssigned();
        segment.aborted = aborted;
        finishIndex(files, segment, false);
    }

    private void loadEpochs(FileSystem files) throws IOException {
        ByteBuffer content = names.contains(LeaderEpochCache.FILE_NAME)
                ? AtomicFile.read(files, directory + '/' + LeaderEpochCache.FILE_NAME, 16 << 20)
                : null;
        epochsOnDisk = content != null;
        LeaderEpochCache.Loaded loaded = content == null ? null : LeaderEpochCache.load(content);
        if (loaded != null && loaded.failure() == null) {
            epochs = loaded.cache();
            return;
        }
        if (loaded != null && loaded.failure().code() == FailureCode.UNSUPPORTED_FORMAT) {
            throw new DirectoryRefusedException(directory + '/' + LeaderEpochCache.FILE_NAME + ": "
                    + loaded.failure().message());
        }
        epochs = new LeaderEpochCache();
        epochsLost = true;
    }

    /** After a clean stop; false: something is not as a clean stop leaves it, so all from the last segment on must be checked. */
    private boolean openTrusting(FileSystem files) throws IOException {
        CleanOpening opening = new CleanOpening(settings.identity(), segments.get(segments.size() - 1));
        boolean sound = opening.run(files) && opening.end() >= settings.recoveryPoint();
        end = opening.end();
        epochsLost |= sound && opening.lastEpoch() > epochs.latestEpoch();
        return sound;
    }

    /** From the segment that holds {@code from} to the end. */
    private void scan(FileSystem files, long from) throws IOException {
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
            if (!scanSegment(files, i)) {
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

    /** Whether the segment before {@code next} was closed whole: the snapshot is the last that a closing writes. */
    private boolean wasClosed(Segment next) {
        return names.contains(SegmentFiles.name(next.baseOffset, SegmentFiles.SNAPSHOT));
    }

    /** Checks segment {@code i}; false when the log was cut in it and so ends there. */
    private boolean scanSegment(FileSystem files, int i) throws IOException {
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
            boolean cut = !whole && !joined && !goesOnBehind(files, i, valid, fileSize);
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
                removeAfter(files, i);
            }
            finishIndex(files, segment, i == segments.size() - 1);
            return !cut;
        } finally {
            file.release();
        }
    }

    /** Whether what is invalid or missing behind {@code valid} is damage inside of the log (rule S8); false: nothing valid follows, the log ends there. */
    private boolean goesOnBehind(FileSystem files, int i, int valid, int fileSize) throws IOException {
        long rotEnd = rotEnd(files, i, end);
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
    private long rotEnd(FileSystem files, int i, long expected) throws IOException {
        if (settings.mutations().active("cut-at-rot")) {
            return 0;
        }
        for (int later = i + 1; later < segments.size(); later++) {
            Segment segment = segments.get(later);
            if (segment.size > 0 && beginsValid(files, segment, expected)) {
                return segments.get(i + 1).baseOffset;
            }
        }
        long known = settings.start().recoveryPoint();
        if (known <= expected) {
            return 0;
        }
        return i == segments.size() - 1 ? known : Math.max(known, segments.get(i + 1).baseOffset);
    }

    private boolean beginsValid(FileSystem files, Segment segment, long expected) throws IOException {
        SegmentView view = new SegmentView(settings.identity(), segment.baseOffset, segment.size, null, 0);
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, segment.size);
            return (scanner.load() && scanner.baseOffset() >= expected && scanner.crcValid())
                    || new RotProbe(
                                            file,
                                            segment.size,
                                            expected,
                                            -1,
                                            settings.config().cleanupCompact())
                                    .validAfter(0)
                            >= 0;
        } finally {
            view.close(file);
        }
    }

    private void removeAfter(FileSystem files, int i) throws IOException {
        while (segments.size() > i + 1) {
            deleteFiles(files, segments.remove(segments.size() - 1));
        }
        files.syncDirectory(directory);
    }

    private void deleteFiles(FileSystem files, Segment removed) throws IOException {
        for (String suffix : SegmentFiles.ALL) {
            String name = SegmentFiles.name(removed.baseOffset, suffix);
            if (names.contains(name)) {
                files.delete(directory + '/' + name);
            }
        }
    }

    /** Old index files go; those of a segment that is not written any more are made anew, if there is room. */
    private void finishIndex(FileSystem files, Segment segment, boolean active) throws IOException {
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

    private void syncScanned(FileSystem files) throws IOException {
        for (Segment segment : segments) {
            if (segment.baseOffset >= scannedFrom) {
                PartitionFiles.sync(files, segment.path(settings.identity(), SegmentFiles.LOG));
            }
        }
        files.syncDirectory(directory);
        files.syncDirectory("");
    }

    /** The log goes on at its end; in a new segment if there is none, if the last is damaged at its end, or if all lies below the log start. */
    private void ensureActive() {
        Segment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        long start = settings.start().logStartOffset();
        boolean behind = end < start;
        if (behind && last != null) {
            LOG.warn(
                    "{}: its records end at offset {}, but log-start-offset-checkpoint says that all below {} were deleted: the log goes on there",
                    directory,
                    end,
                    start);
        }
        boolean spoilt = last != null
                && !damage.isEmpty()
                && damage.get(damage.size() - 1).segmentBase() == last.baseOffset
                && damage.get(damage.size() - 1).toPosition() == last.size
                && last.size > 0;
        if (last == null || behind || spoilt) {
            end = Math.max(end, start);
            Segment fresh = new Segment(end, settings.wallMillis());
            fresh.index = new IndexTail(end);
            if (last != null) {
                last.index = null;
            }
            segments.add(fresh);
        }
    }
}
