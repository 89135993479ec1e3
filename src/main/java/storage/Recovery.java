package storage;

import common.FailureCode;
import common.Mutations;
import config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a partition's directory. After a clean stop: sizes, the end of the last segment, the last snapshot; nothing else is read. After an unclean one
 * everything from the recovery point on is checked (rules S7, S8) and what depends on it rebuilt. Blocking. Needs no free space: what cannot be
 * written is left missing.
 */
final class Recovery implements DiskJob<RecoveredLog> {

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

        Settings truncatedTo(long offset) {
            return new Settings(
                    identity,
                    config,
                    start.truncatedTo(offset),
                    Math.min(recoveryPoint, offset),
                    wallMillis,
                    mutations);
        }

        /** Compaction has taken batches away, or may have. */
        boolean mayHaveGaps() {
            return config.cleanupCompact() || start.cleanedTo() >= 0;
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
    private Map<Long, IndexNote.Line> notedIndexes;
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
        long truncating = TruncationNote.read(files, directory, names);
        if (truncating >= 0) {
            new LogCut(settings.identity(), truncating, settings.mayHaveGaps()).repeat(files, names);
            names = files.list(directory);
            settings = settings.truncatedTo(truncating);
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
        new IndexRecovery(files, settings, names).rebuildMissing(segments, scannedFrom, damage);
        damage.sort(Comparator.comparingLong(DamagedRange::fromOffset));
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
        long cleanedTo = Math.min(settings.start().cleanedTo(), cleanedAtMost(noted));
        long from = damage.isEmpty() ? Long.MAX_VALUE : damage.get(0).fromOffset();
        boolean cleanedLess = cleanedTo < settings.start().cleanedTo();
        if (noted < Long.MAX_VALUE) {
            // Rule P4: processes that could not read all batches have made them, and they would count once there is no
            // note.
            SegmentFiles.dropSnapshotsBehind(files, directory, noted, names);
        }
        boolean snapshot = names.contains(SegmentFiles.name(end, SegmentFiles.SNAPSHOT));
        long notedNow = DamageNote.update(files, directory, noted, cleanedLess ? Math.min(noted, from) : from);
        return new RecoveredLog(
                segments,
                end,
                durableEnd,
                producers,
                epochs,
                epochsChanged,
                epochsOnDisk,
                snapshot,
                cleanedTo,
                damage,
                notedNow,
                List.copyOf(notedIndexes.values()));
    }

    /**
     * A segment with damage was never rewritten, and the keys of what could not be read are in no cleaner's map: all from there on must be learnt anew, since it may
     * be whole again. Else tombstones behind would go before what they hide.
     */
    private long cleanedAtMost(long noted) {
        long base = Long.MAX_VALUE;
        for (Segment each : segments) {
            base = noted < Long.MAX_VALUE && each.baseOffset <= noted ? each.baseOffset : base;
        }
        return base;
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
            SegmentFiles.delete(files, directory, found.remove(0).baseOffset, names);
        }
        notedIndexes = IndexNote.read(files, directory, names);
        for (int i = 0; i < found.size(); i++) {
            Segment segment = found.get(i);
            try {
                segment.aborted = loadAborted(files, segment);
            } catch (DamagedIndexException e) {
                unreadableAbortedFrom = Math.min(unreadableAbortedFrom, segment.baseOffset);
                if (wasFinished(i + 1 < found.size() ? found.get(i + 1).baseOffset : Long.MAX_VALUE)) {
                    LOG.warn(
                            "{}. It is made anew now from the batches, and so are those behind it: nothing is lost. If this comes again, check the disk",
                            e.getMessage());
                }
            }
        }
        return found;
    }

    /** Whether the index of the segment that ends at {@code end} is as it was left; after a crash those of late are torn, which is no damage. */
    private boolean wasFinished(long end) {
        long known = settings.start().recoveryPoint();
        return settings.start().cleanStop()
                || end < known
                || (end == known && names.contains(SegmentFiles.name(end, SegmentFiles.SNAPSHOT)));
    }

    private TransactionTail loadAborted(FileSystem files, Segment segment) throws IOException {
        IndexNote.Line noted = notedIndexes.get(segment.baseOffset);
        String path = segment.path(settings.identity(), SegmentFiles.TRANSACTION_INDEX);
        if (!names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TRANSACTION_INDEX))) {
            if (noted != null) {
                throw new DamagedIndexException(path, segment.baseOffset, "it is missing");
            }
            return null;
        }
        FileHandle file = files.open(path, FileSystem.Mode.READ);
        try {
            return TransactionTail.load(file, segment.baseOffset, noted);
        } finally {
            file.release();
        }
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

    private void scan(FileSystem files, long from) throws IOException {
        RecoveryScan scan = new RecoveryScan(files, settings, names, segments, epochs, damage);
        scan.run(from);
        end = scan.end();
        scannedFrom = scan.scannedFrom();
        epochsChanged |= scan.epochsChanged();
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
