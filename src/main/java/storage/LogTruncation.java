package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Cuts a log (rule I3): an exclusive step. The files are cut first, from the end to the front; then the log is opened anew as after a crash. */
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
        List<String> remove = new ArrayList<>();
        for (int i = log.segments.count() - 1; i > keep; i--) {
            for (String suffix : SegmentFiles.ALL) {
                remove.add(log.segments.get(i).path(log.identity, suffix));
            }
        }
        log.epochs.truncateFromEnd(offset);
        Segment last = log.segments.get(keep);
        SegmentView view = new SegmentView(log.identity, last.baseOffset, last.size, null, 0);
        Cut cut = new Cut(view, offset, remove, log.epochs.image());
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, cut, (end, failure) -> {
            if (failure == null) {
                reopen(end, done);
            } else {
                log.context.goOffline(failure);
                done.fail(failure);
            }
        });
    }

    private record Cut(SegmentView segment, long offset, List<String> remove, ByteBuffer epochs)
            implements DiskJob<Long> {
        @Override
        public Long run(FileSystem files) throws IOException {
            AtomicFile.replace(files, segment.log().directory() + '/' + LeaderEpochCache.FILE_NAME, epochs);
            for (String path : remove) {
                files.delete(path);
            }
            files.syncDirectory(segment.log().directory());
            long end = segment.baseOffset();
            FileHandle file = segment.open(files);
            try {
                BatchScanner scanner = segment.find(files, file, offset, -1);
                if (scanner == null) {
                    return offset;
                }
                end = Math.min(offset, scanner.baseOffset());
                file.truncate(scanner.position());
                file.sync();
            } finally {
                segment.close(file);
            }
            return end;
        }
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
            flusher.forgetWaiting();
            log.segments.removeFirst(log.segments.count());
            log.recent.clear();
            reader.clear();
            log.damage.removeIf(range -> range.toOffset() > end);
            log.adopt(found);
            log.cleanedTo = Math.min(log.cleanedTo, log.writtenEnd);
            log.durableEnd = Math.min(Math.max(log.durableEnd, log.logStart), log.writtenEnd);
            log.highWatermark = Math.min(log.highWatermark, log.writtenEnd);
            log.producers.advanceHighWatermark(log.highWatermark);
            done.succeed(null);
        });
    }
}
