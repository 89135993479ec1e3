package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one log's closed segments again, a little at a time, to find what rots unseen (rule S1); what is found is told of, noted, and refused to readers as
 * the damage that a recovery finds (rule S8). Confined to the log's owner.
 */
final class LogScrub {

    private static final Logger LOG = LoggerFactory.getLogger(LogScrub.class);

    private final LogState log;
    private final LogFlusher flusher;
    private final FileGate gate;
    /** The one to go on in; null: from the start. */
    private Segment segment;

    private int position;
    private long expected;
    /** Who waits until the damage is noted. */
    private final List<Callback<Void>> noteFor = new ArrayList<>(0);

    private boolean noting;

    LogScrub(LogState log, LogFlusher flusher, FileGate gate) {
        this.log = log;
        this.flusher = flusher;
        this.gate = gate;
    }

    /** Gives how many bytes were read; 0 when all that is closed was, and the next step begins anew. */
    void step(int maxBytes, Callback<Integer> done) {
        int at = log.unusable() == null && !gate.held() ? seek() : -1;
        if (at < 0) {
            segment = null;
            done.succeed(0);
            return;
        }
        Segment checked = segment;
        int limit = checked.size;
        for (DamagedRange range : log.damage) {
            if (range.segmentBase() == checked.baseOffset && range.fromPosition() > position) {
                limit = Math.min(limit, range.fromPosition());
            }
        }
        long endOffset = log.segments.get(at + 1).baseOffset;
        check(checked, position, expected, limit, endOffset, maxBytes, (result, failure) -> {
            boolean present = !log.closed && log.segments.indexOf(checked) >= 0;
            if (failure != null || !present) {
                if (failure != null && present && failure.code() != FailureCode.OVERLOADED) {
                    LOG.warn(
                            "{}: segment {} cannot be read again to check it: {}",
                            log.identity.directory(),
                            checked.baseOffset,
                            failure.message());
                }
                position = Integer.MAX_VALUE;
                done.succeed(1);
                return;
            }
            position = result.position();
            expected = result.expectedOffset();
            if (result.damage() != null) {
                found(checked, result.damage(), endOf(log.segments.indexOf(checked)));
            }
            done.succeed(Math.max(1, result.bytes()));
        });
    }

    /** Index of the segment to go on in, with {@link #position} at a batch that is not known to be damaged; -1: nothing is left. */
    private int seek() {
        int at = segment == null ? 0 : log.segments.indexOf(segment);
        if (segment != null && at < 0) {
            // It was deleted or compacted meanwhile.
            at = log.segments.floorIndex(segment.baseOffset) + 1;
            segment = null;
        }
        for (; at < log.segments.count() - 1; at++) {
            Segment next = log.segments.get(at);
            if (next.baseOffset >= flusher.firstUnclosed()) {
                return -1;
            }
            if (next != segment) {
                segment = next;
                position = 0;
                expected = next.baseOffset;
            }
            for (DamagedRange range : log.damage) {
                boolean inside = range.segmentBase() == next.baseOffset
                        && position >= range.fromPosition()
                        && position < range.toPosition();
                if (inside) {
                    position = range.toPosition();
                    expected = Math.max(expected, range.toOffset());
                }
            }
            if (position < next.size) {
                return at;
            }
        }
        return -1;
    }

    /** As {@link #examine(Segment, int, Callback)}, for who knows the offset of what cannot be read. */
    void examine(long offset, Callback<Boolean> done) {
        Segment segment = log.segments.get(Math.max(0, log.segments.floorIndex(offset)));
        int position = 0;
        for (DamagedRange range : log.damage) {
            if (range.segmentBase() == segment.baseOffset && range.toOffset() <= offset) {
                position = Math.max(position, range.toPosition());
            }
        }
        examine(segment, position, done);
    }

    /**
     * A reader has met something that is no valid batch: looks for the first damage that is not known, in the part of the segment around {@code position}, notes
     * and tells it. Gives whether there is some; a reader may then try again.
     */
    void examine(Segment examined, int position, Callback<Boolean> done) {
        gate.whenFree(() -> examineNow(examined, position, done));
    }

    private void examineNow(Segment examined, int position, Callback<Boolean> done) {
        int from = 0;
        long expected = examined.baseOffset;
        int limit = examined.size;
        for (DamagedRange range : log.damage) {
            if (range.segmentBase() == examined.baseOffset && range.toPosition() <= position) {
                from = Math.max(from, range.toPosition());
                expected = Math.max(expected, range.toOffset());
            } else if (range.segmentBase() == examined.baseOffset) {
                limit = Math.min(limit, range.fromPosition());
            }
        }
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
            return;
        }
        int at = log.segments.indexOf(examined);
        if (at < 0) {
            // Replaced or deleted meanwhile: the reader has not met what is there now.
            done.succeed(true);
            return;
        }
        long endOffset = endOf(at);
        check(examined, from, expected, limit, endOffset, Integer.MAX_VALUE, (result, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            if (result.damage() != null && log.segments.indexOf(examined) >= 0) {
                found(examined, result.damage(), endOffset);
            }
            done.succeed(result.damage() != null);
        });
    }

    private void check(
            Segment checked,
            int from,
            long expectedOffset,
            int limit,
            long endOffset,
            int maxBytes,
            Callback<ScrubJob.Checked> done) {
        // While a segment is replaced its name may lead to the new one: then the old one is open, and only that is
        // looked at.
        FileHandle file = log.context.openFiles().retained(checked);
        SegmentView view = new SegmentView(log.identity, checked.baseOffset, checked.size, file, 0);
        ScrubJob job = new ScrubJob(view, from, expectedOffset, limit, endOffset, maxBytes, log.mayHaveGaps());
        gate.enter();
        if (file == null) {
            log.readByName(checked);
        }
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (result, failure) -> {
            if (file == null) {
                log.readByNameEnded(checked);
            } else {
                file.release();
            }
            done.done(result, failure);
            gate.left();
        });
    }

    private long endOf(int index) {
        return index + 1 < log.segments.count() ? log.segments.get(index + 1).baseOffset : log.writtenEnd;
    }

    /** @param segmentEnd offset where the damage ends when no valid batch follows in the segment */
    private void found(Segment checked, DamagedRange range, long segmentEnd) {
        long end = range.toOffset() >= 0 ? range.toOffset() : segmentEnd;
        DamagedRange damage = new DamagedRange(
                range.segmentBase(), range.fromOffset(), end, range.fromPosition(), range.toPosition());
        if (!log.addDamage(damage)) {
            return;
        }
        LOG.error(
                "{}: offsets {} to {} have rotted on this disk (rule S8): found by reading segment {} again; the rest is served",
                log.identity.directory(),
                damage.fromOffset(),
                end - 1,
                checked.baseOffset);
        note((none, failure) -> {
            if (failure != null) {
                LOG.warn(
                        "{}: the damage could not be noted, so a restart does not know of it before it is found again: {}",
                        log.identity.directory(),
                        failure.message());
            }
        });
    }

    /** Makes the {@link DamageNote} say what is known now, durably. One write at a time: the last one must be the newest. */
    void note(Callback<Void> done) {
        noteFor.add(done);
        if (!noting) {
            writeNote();
        }
    }

    private void writeNote() {
        List<Callback<Void>> served = List.copyOf(noteFor);
        noteFor.clear();
        long from = log.recleanTo >= 0 ? log.notedFrom : Long.MAX_VALUE;
        for (DamagedRange each : log.damage) {
            from = Math.min(Math.min(from, log.notedFrom), each.fromOffset());
        }
        if (from == log.notedFrom) {
            served.forEach(each -> each.succeed(null));
            return;
        }
        noting = true;
        long written = from;
        DiskJob<Void> job = DamageNote.writing(log.identity.directory(), written);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
            noting = false;
            if (failure == null) {
                log.notedFrom = written;
            } else if (failure.code() == FailureCode.SYNC_FAILED) {
                log.context.goOffline(failure);
            }
            served.forEach(each -> each.done(null, failure));
            if (!noting && !noteFor.isEmpty()) {
                writeNote();
            }
        });
    }
}
