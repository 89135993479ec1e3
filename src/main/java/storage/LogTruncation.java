package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Cuts a log (rule I3): an exclusive step. The files are cut first ({@link LogCut}); then the log is opened anew as after a crash. */
final class LogTruncation {

    private final LogState log;
    private final LogReader reader;
    private final LogFlusher flusher;

    LogTruncation(LogState log, LogReader reader, LogFlusher flusher) {
        this.log = log;
        this.reader = reader;
        this.flusher = flusher;
    }

    /** Cuts to {@code offset}; if that lies inside a batch, before that batch. Durable before {@code done}. */
    void truncateTo(long offset, Callback<Void> done) {
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
            return;
        }
        if (offset < log.logStart) {
            done.fail(
                    FailureCode.OFFSET_OUT_OF_RANGE, "cannot cut to " + offset + ", the log starts at " + log.logStart);
            return;
        }
        if (offset >= log.writtenEnd) {
            log.epochsDirty |= log.epochs.truncateFromEnd(offset);
            done.succeed(null);
            return;
        }
        int keep = log.segments.floorIndex(offset);
        List<Long> behind = new ArrayList<>();
        for (int i = log.segments.count() - 1; i > keep; i--) {
            behind.add(log.segments.get(i).baseOffset);
        }
        log.epochs.truncateFromEnd(offset);
        long last = log.segments.get(keep).baseOffset;
        ByteBuffer epochs = log.epochs.image();
        LogCut cut = new LogCut(log.identity, offset, log.mayHaveGaps());
        DiskJob<Long> job = files -> cut.run(files, last, behind, epochs);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (end, failure) -> {
            if (failure == null) {
                reopen(end, done);
            } else {
                log.context.goOffline(failure);
                done.fail(failure);
            }
        });
    }

    private void reopen(long end, Callback<Void> done) {
        for (int i = 0; i < log.segments.count(); i++) {
            log.context.openFiles().drop(log.segments.get(i));
        }
        long checkFrom = Math.min(end, flusher.firstUnclosed());
        LogStart start = new LogStart(true, false, checkFrom, log.logStart, log.highWatermark, log.cleanedTo);
        Recovery recovery = new Recovery(
                log.identity,
                log.config,
                start,
                log.context.ports().clock().wallMillis(),
                log.context.ports().mutations());
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, recovery, (found, failure) -> {
            if (failure != null) {
                log.context.goOffline(failure);
                done.fail(failure);
                return;
            }
            log.segments.removeFirst(log.segments.count());
            log.recent.clear();
            reader.clear();
            log.damage.removeIf(range -> range.toOffset() > end);
            log.adopt(found);
            flusher.opened();
            log.recleanTo = Math.max(log.recleanTo, found.cleanedTo() < log.cleanedTo ? log.cleanedTo : -1);
            log.cleanedTo = Math.min(found.cleanedTo(), log.writtenEnd);
            log.durableEnd = Math.min(Math.max(log.durableEnd, log.logStart), log.writtenEnd);
            log.highWatermark = Math.min(log.highWatermark, log.writtenEnd);
            log.producers.advanceHighWatermark(log.highWatermark);
            done.succeed(null);
        });
    }
}
