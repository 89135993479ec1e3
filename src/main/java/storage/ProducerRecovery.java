package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchSummary;
import records.schemas.ProducerSnapshot;
import storage.BatchScanner.Place;

/** Brings the producer states to exactly the log's end (rules S7, P4): newest readable snapshot, then the batches behind it. Blocking. */
final class ProducerRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerRecovery.class);
    private static final int MAX_SNAPSHOT = 256 << 20;

    private final Recovery.Settings settings;
    private final List<Segment> segments;
    private final List<String> names;
    private final List<DamagedRange> damage;
    private long end;
    private boolean noRoom;

    ProducerRecovery(
            Recovery.Settings settings, List<Segment> segments, List<String> names, List<DamagedRange> damage) {
        this.settings = settings;
        this.segments = segments;
        this.names = names;
        this.damage = damage;
    }

    /**
     * Damage that is met on the way is added to what is known of.
     *
     * @param end of the log
     * @param rebuiltFrom segments from this base on get their transaction index anew: so no snapshot behind it is used
     * @param epochs to be filled from all batches, or null
     */
    ProducerStates load(FileSystem files, long end, long rebuiltFrom, LeaderEpochCache epochs) throws IOException {
        this.end = end;
        for (Segment segment : segments) {
            if (segment.baseOffset >= rebuiltFrom) {
                segment.aborted = null;
            }
        }
        ProducerStates states = snapshot(files, Math.min(end, rebuiltFrom), end);
        dropOldSnapshots(files, states.endOffset(), end);
        long from = states.endOffset();
        if (epochs != null) {
            from = Math.min(from, segments.get(0).baseOffset);
        }
        if (settings.mutations().active("stale-producer-snapshot")) {
            return states;
        }
        for (int i = 0; i < segments.size() && from < end; i++) {
            boolean below = i + 1 < segments.size() && segments.get(i + 1).baseOffset <= from;
            if (!below && segments.get(i).made && segments.get(i).size > 0) {
                replay(files, segments.get(i), from, states, segments.get(i).baseOffset >= rebuiltFrom, epochs);
            }
        }
        states.settled(end);
        boolean changed = false;
        for (Segment segment : segments) {
            if (segment.baseOffset >= rebuiltFrom) {
                changed |= writeAborted(files, segment);
            }
        }
        if (changed) {
            files.syncDirectory(settings.identity().directory());
        }
        return states;
    }

    /**
     * The transaction index is no mere hint (rule T8): what was rebuilt is written, or the old file goes.
     *
     * @return true: the directory is to be synced
     */
    private boolean writeAborted(FileSystem files, Segment segment) throws IOException {
        if (segment.aborted == null) {
            boolean there = names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TRANSACTION_INDEX));
            if (there) {
                files.delete(segment.path(settings.identity(), SegmentFiles.TRANSACTION_INDEX));
            }
            return there;
        }
        return fileAborted(files, segment, true);
    }

    /** False: there is no room. */
    private boolean fileAborted(FileSystem files, Segment segment, boolean durable) throws IOException {
        String path = segment.path(settings.identity(), SegmentFiles.TRANSACTION_INDEX);
        TransactionTail.Filing filing = segment.aborted.filing(Long.MAX_VALUE);
        try {
            PartitionFiles.writeIndex(
                    files, path, filing.firstEntry(), TransactionIndex.ENTRY_BYTES, filing.entries(), true, durable);
            segment.aborted.filed(filing, durable);
            return true;
        } catch (DiskFullException noRoom) {
            LOG.warn("No room for {}: it is in memory only until there is.", path);
            return false;
        }
    }

    private ProducerStates snapshot(FileSystem files, long newest, long end) throws IOException {
        for (int i = names.size() - 1; i >= 0; i--) {
            long offset = SegmentFiles.baseOffset(names.get(i), SegmentFiles.SNAPSHOT);
            if (offset < 0) {
                continue;
            }
            String path = settings.identity().directory() + '/' + names.get(i);
            if (offset > end) {
                files.delete(path);
            } else if (offset <= newest) {
                ByteBuffer content = AtomicFile.read(files, path, MAX_SNAPSHOT);
                ProducerSnapshot.Loaded loaded = content == null ? null : ProducerSnapshot.decode(content);
                if (loaded != null && loaded.failure() == null) {
                    return ProducerStates.of(
                            loaded.entries(), offset, settings.mutations().active("forget-open-transactions"));
                }
                LOG.warn("{} cannot be read; an older one or the log itself is used", path);
            }
        }
        return new ProducerStates(segments.get(0).baseOffset);
    }

    /** Each clean stop leaves a snapshot at the log's end. As in Kafka, those of segments' bases stay, and the newest; and the one that was just used. */
    private void dropOldSnapshots(FileSystem files, long used, long end) {
        Set<Long> kept = new LinkedHashSet<>();
        for (Segment segment : segments) {
            kept.add(segment.baseOffset);
        }
        kept.add(used);
        boolean newest = true;
        for (int i = names.size() - 1; i >= 0; i--) {
            long offset = SegmentFiles.baseOffset(names.get(i), SegmentFiles.SNAPSHOT);
            if (offset >= 0 && offset <= end) {
                if (!newest && !kept.contains(offset)) {
                    drop(files, settings.identity().directory() + '/' + names.get(i));
                }
                newest = false;
            }
        }
    }

    private static void drop(FileSystem files, String snapshot) {
        try {
            files.delete(snapshot);
        } catch (IOException e) {
            LOG.warn("Old {} cannot be removed: {}. It does no harm.", snapshot, e.getMessage());
        }
    }

    private void replay(
            FileSystem files, Segment segment, long from, ProducerStates states, boolean index, LeaderEpochCache epochs)
            throws IOException {
        SegmentView view = new SegmentView(settings.identity(), segment.baseOffset, segment.size, null, 0);
        FileHandle file = view.open(files);
        try {
            BatchScanner scanner = new BatchScanner(file, 0, segment.size);
            if (from > segment.baseOffset) {
                view.moveTo(
                        scanner,
                        IndexSearch.floorOffset(files, view.path(SegmentFiles.OFFSET_INDEX), segment.baseOffset, from));
            }
            long expected = segment.baseOffset;
            while (next(file, scanner, segment, expected)) {
                BatchSummary batch = scanner.summary();
                expected = batch.nextOffset();
                if (epochs != null && batch.leaderEpoch() > epochs.latestEpoch()) {
                    epochs.assign(batch.leaderEpoch(), batch.baseOffset());
                }
                if (batch.baseOffset() >= states.endOffset()) {
                    CompletedTransaction ended = states.apply(batch);
                    if (ended != null && ended.aborted() && index) {
                        segment.addAborted(ended);
                        gathered(files, segment);
                    }
                    states.settled(batch.nextOffset());
                }
                scanner.skip();
            }
        } finally {
            view.close(file);
        }
    }

    private void gathered(FileSystem files, Segment segment) throws IOException {
        if (segment.aborted.pendingBytes() >= TransactionTail.FILING_BYTES && !noRoom) {
            noRoom = !fileAborted(files, segment, false);
        }
    }

    /** Loads the next batch, passing over damaged ranges; false at the segment's end. */
    private boolean next(FileHandle file, BatchScanner scanner, Segment segment, long expected) throws IOException {
        for (DamagedRange range : damage) {
            boolean inside = range.segmentBase() == segment.baseOffset
                    && scanner.position() >= range.fromPosition()
                    && scanner.position() < range.toPosition();
            if (inside) {
                scanner.moveTo(range.toPosition());
            }
        }
        return switch (scanner.load()) {
            case BATCH -> true;
            case END -> false;
            case NO_BATCH -> {
                passUnknown(file, scanner, segment, expected);
                yield scanner.load() == Place.BATCH;
            }
        };
    }

    /** Rot in a segment that nothing has gone through before: states of what lies behind it must not be missing (rules P4, S8). */
    private void passUnknown(FileHandle file, BatchScanner scanner, Segment segment, long expected) throws IOException {
        int bad = scanner.position();
        int next = new RotProbe(file, segment.size, expected, -1, settings.mayHaveGaps()).validAfter(bad);
        int index = segments.indexOf(segment) + 1;
        long to = index < segments.size() ? segments.get(index).baseOffset : end;
        scanner.moveTo(next < 0 ? segment.size : next);
        if (next >= 0 && scanner.load() == Place.BATCH) {
            to = scanner.baseOffset();
        }
        if (to <= expected) {
            // Too much of it, but nothing is missing.
            return;
        }
        damage.add(new DamagedRange(segment.baseOffset, expected, to, bad, scanner.position()));
        damage.sort(Comparator.comparingLong(DamagedRange::fromOffset));
        LOG.warn(
                "{}: offsets {} to {} are damaged on this disk (rule S8); the rest is served",
                settings.identity().directory(),
                expected,
                to - 1);
    }
}
