package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
        ProducerReplay replay =
                new ProducerReplay(files, settings.identity(), states, damage, this::passUnknown, false);
        for (int i = 0; i < segments.size() && from < end; i++) {
            boolean below = i + 1 < segments.size() && segments.get(i + 1).baseOffset <= from;
            if (!below && segments.get(i).made && segments.get(i).size > 0) {
                replay.run(segments.get(i), from, end, segments.get(i).baseOffset >= rebuiltFrom, epochs);
            }
        }
        states.settled(end);
        boolean changed = false;
        for (Segment segment : segments) {
            if (segment.baseOffset >= rebuiltFrom) {
                changed |= writeAborted(files, replay, segment);
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
    private boolean writeAborted(FileSystem files, ProducerReplay replay, Segment segment) throws IOException {
        if (segment.aborted == null) {
            boolean there = names.contains(SegmentFiles.name(segment.baseOffset, SegmentFiles.TRANSACTION_INDEX));
            if (there) {
                files.delete(segment.path(settings.identity(), SegmentFiles.TRANSACTION_INDEX));
            }
            return there;
        }
        return replay.fileAborted(segment, true);
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

    /** Rot in a segment that nothing has gone through before: states of what lies behind it must not be missing (rules P4, S8). */
    private void passUnknown(SegmentView view, FileHandle file, BatchScanner scanner, long expected)
            throws IOException {
        int bad = scanner.position();
        int next = new RotProbe(file, view.size(), expected, -1, settings.mayHaveGaps()).validAfter(bad);
        long to = end;
        for (int i = segments.size() - 1; i > 0 && segments.get(i).baseOffset > view.baseOffset(); i--) {
            to = segments.get(i).baseOffset;
        }
        scanner.moveTo(next < 0 ? view.size() : next);
        if (next >= 0 && scanner.load() == Place.BATCH) {
            to = scanner.baseOffset();
        }
        if (to <= expected) {
            // Too much of it, but nothing is missing.
            return;
        }
        damage.add(new DamagedRange(view.baseOffset(), expected, to, bad, scanner.position()));
        damage.sort(Comparator.comparingLong(DamagedRange::fromOffset));
        LOG.warn(
                "{}: offsets {} to {} are damaged on this disk (rule S8); the rest is served",
                settings.identity().directory(),
                expected,
                to - 1);
    }
}
