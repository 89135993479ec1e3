package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import records.BatchSummary;

/** The owner-side state of one log, shared by its parts (appender, reader, flusher, ...). No behaviour beyond keeping itself consistent. */
final class LogState {

    /** A log of one segment of at most so many bytes is read anew at a start faster than snapshot and index files are made at a stop. */
    static final int TINY_BYTES = 1 << 16;

    final LogIdentity identity;
    final LogContext context;
    final SegmentList segments = new SegmentList();
    final RecentBatches recent = new RecentBatches(128);
    final List<DamagedRange> damage = new ArrayList<>(0);
    LogConfig config;
    ProducerStates producers;
    LeaderEpochCache epochs;

    long logStart;
    /** End of what is written: LEO. */
    long writtenEnd;
    /** End of what is written or queued: the next offset to give. */
    long assignedEnd;
    /** End of what is fsynced, names and all. */
    long durableEnd;

    long highWatermark;
    /** Up to there the log has been compacted; -1: never. */
    long cleanedTo = -1;
    /** The cleaner's checkpoint may say that the log was compacted up to there, although it must be compacted anew: so long the {@link DamageNote} stays. */
    long recleanTo = -1;
    /** What the {@link DamageNote} says; MAX_VALUE: there is none. */
    long notedFrom = Long.MAX_VALUE;
    /** What the {@link IndexNote} says; empty: it says nothing, or there is none. */
    List<IndexNote.Line> notedIndexes = List.of();
    /** Damage was there when transaction indexes were made: they may be wrong about what lies before it, since markers may lie in it. */
    boolean abortedUnsure;
    /** Offset of the newest producer snapshot, -1 when there is none. */
    long snapshotEnd = -1;

    long lastFlushNanos;

    boolean directoryMade;
    /** The names of the directory and of partition.metadata have been synced. */
    boolean directoryDurable;

    boolean epochsDirty;
    /** There is a leader-epoch-checkpoint, so it must be kept up to date. */
    boolean epochsOnDisk;

    boolean closed;
    /** Segments whose files are being renamed: a name may lead to another's. */
    private List<Segment> renaming = List.of();

    /** Null while nobody has had to wait. */
    private List<Callback<Void>> waitingForNames;

    /** Told when a job that opened a segment by name has ended; or null. */
    Runnable onReadByName;

    LogState(LogIdentity identity, LogContext context, LogConfig config) {
        this.identity = identity;
        this.context = context;
        this.config = config;
    }

    /** Null, or why nothing can be done with this log any more. */
    Failure unusable() {
        if (closed) {
            return Failure.of(FailureCode.STORAGE_ERROR, "log " + identity.directory() + " is closed");
        }
        if (context.offline()) {
            return Failure.of(FailureCode.STORAGE_ERROR, "the log directory is offline");
        }
        return null;
    }

    /** Takes over what opening found. */
    void adopt(RecoveredLog found) {
        for (Segment segment : found.segments()) {
            segments.add(segment);
        }
        segments.last().rollJitterMillis = rollJitter();
        producers = found.producers();
        epochs = found.epochs();
        epochsDirty = found.epochsChanged();
        epochsOnDisk = found.epochsOnDisk();
        found.damage().forEach(this::addDamage);
        abortedUnsure |= !found.damage().isEmpty();
        notedFrom = found.notedFrom();
        notedIndexes = found.notedIndexes();
        snapshotEnd = found.snapshotAtEnd() ? found.endOffset() : -1;
        writtenEnd = found.endOffset();
        assignedEnd = found.endOffset();
    }

    /** A job that opens the segment's files by their names begins. */
    void readByName(Segment segment) {
        segment.readsByName++;
    }

    void readByNameEnded(Segment segment) {
        segment.readsByName--;
        if (onReadByName != null) {
            onReadByName.run();
        }
    }

    /** Files are about to be renamed, until {@link #renamed}. */
    void renaming(List<Segment> segments) {
        renaming = segments;
    }

    /** All is done, or not: then with the reason. */
    void renamed(Failure failure) {
        renaming = List.of();
        List<Callback<Void>> waiting = waitingForNames == null ? List.of() : waitingForNames;
        waitingForNames = null;
        waiting.forEach(each -> each.done(null, failure));
    }

    /** Of the segments up to that base, the first whose files are being renamed; null: none. */
    Segment firstRenaming(long base) {
        for (Segment each : renaming) {
            if (each.baseOffset <= base) {
                return each;
            }
        }
        return null;
    }

    /** Calls back when the segment's files can be opened by their names; before it returns as a rule. */
    void whenNamed(Segment segment, Callback<Void> done) {
        if (renaming.contains(segment)) {
            waitingForNames = waitingForNames == null ? new ArrayList<>(1) : waitingForNames;
            waitingForNames.add(done);
        } else {
            done.succeed(null);
        }
    }

    /** False: some of it was known. */
    boolean addDamage(DamagedRange range) {
        for (DamagedRange each : damage) {
            boolean overlap = each.segmentBase() == range.segmentBase()
                    && each.fromPosition() < range.toPosition()
                    && range.fromPosition() < each.toPosition();
            if (overlap || each.equals(range)) {
                return false;
            }
        }
        damage.add(range);
        damage.sort(Comparator.comparingLong(DamagedRange::fromOffset));
        return true;
    }

    /** The segment is no longer one of the log, and so nor is what was damaged in it. */
    void forgetDamage(Segment gone) {
        damage.removeIf(range -> range.segmentBase() == gone.baseOffset);
    }

    boolean isDamaged(Segment segment) {
        return damage.stream().anyMatch(range -> range.segmentBase() == segment.baseOffset);
    }

    /** The segment, or its parts around what is damaged (rule S8), for jobs; {@code file} as in {@link SegmentView}. */
    List<SegmentView> soundParts(Segment segment, FileHandle file) {
        List<SegmentView> parts = new ArrayList<>(1);
        int from = 0;
        for (DamagedRange range : damage) {
            if (range.segmentBase() == segment.baseOffset) {
                if (from < range.fromPosition()) {
                    parts.add(new SegmentView(identity, segment.baseOffset, range.fromPosition(), file, from));
                }
                from = range.toPosition();
            }
        }
        if (from < segment.size) {
            parts.add(new SegmentView(identity, segment.baseOffset, segment.size, file, from));
        }
        return parts;
    }

    /** Compaction has taken batches away, or may have. */
    boolean mayHaveGaps() {
        return config.cleanupCompact() || cleanedTo >= 0;
    }

    boolean tiny() {
        return segments.count() == 1 && segments.last().size <= TINY_BYTES;
    }

    /** A segment to be written next. */
    Segment newSegment(long baseOffset) {
        Segment segment = new Segment(baseOffset, context.ports().clock().wallMillis());
        segment.index = new IndexTail(baseOffset);
        segment.rollJitterMillis = rollJitter();
        return segment;
    }

    /** So that the segments of many partitions do not roll at one moment. */
    long rollJitter() {
        long bound = Math.min(config.segmentJitterMillis(), config.segmentMillis());
        return bound <= 0 ? 0 : Math.floorMod(context.ports().random().nextLong(), bound);
    }

    /** Takes a batch, offsets given, into producer and epoch state; in the step that gave the offsets (rule P5). */
    void apply(BatchSummary batch, Segment segment) {
        CompletedTransaction ended = producers.apply(batch);
        if (ended != null && ended.aborted()) {
            segment.addAborted(ended);
        }
        if (batch.leaderEpoch() >= 0 && epochs.assign(batch.leaderEpoch(), batch.baseOffset())) {
            epochsDirty = true;
        }
    }

    /** Appends failed: nothing at or above the written end was taken in (rule S2). */
    void undoUnwritten() {
        assignedEnd = writtenEnd;
        producers.undoFrom(writtenEnd);
        cutEpochs(writtenEnd);
        int keep = segments.floorIndex(writtenEnd) + 1;
        for (Segment dropped : segments.removeFrom(keep)) {
            context.openFiles().drop(dropped);
        }
        Segment active = segments.last();
        active.resetAssigned();
        if (active.aborted != null) {
            active.aborted.truncateTo(writtenEnd);
        }
    }

    /** Not below the log start: the oldest transaction may have begun in records that were deleted. */
    long lastStableOffset() {
        return Math.max(logStart, Math.min(highWatermark, producers.firstUnstableOffset()));
    }

    /** Epochs that began after what is now the end begin at it (a failed append or a cut took the batches away). */
    void cutEpochs(long end) {
        int latest = epochs.latestEpoch();
        if (epochs.truncateFromEnd(end + 1)) {
            epochsDirty = true;
        }
        if (latest > epochs.latestEpoch()) {
            epochs.assign(latest, end);
            epochsDirty = true;
        }
    }
}
