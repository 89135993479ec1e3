package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the log start: by age and size of whole segments, or on demand (DeleteRecords). Always the new start is persisted first, then files are renamed,
 * and unlinked later (rules I12, S4). Works in the background, one round at a time; never above the high watermark, never the active segment (K6).
 */
final class LogRetention {

    private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);
    /** Segments looked up or removed in one round; the rest at the next. */
    private static final int MAX_SEGMENTS = 256;

    private final LogState log;
    private final PartitionLog owner;
    private final LogAppender appender;
    private final LogFlusher flusher;
    private boolean running;
    private Runnable whenIdle;

    LogRetention(LogState log, PartitionLog owner, LogAppender appender, LogFlusher flusher) {
        this.log = log;
        this.owner = owner;
        this.appender = appender;
        this.flusher = flusher;
    }

    /** Periodic duty; does nothing if a round is under way. */
    void run(long wallMillis) {
        if (running || (log.segments.count() == 1 && log.segments.last().size == 0)) {
            return;
        }
        running = true;
        List<Segment> unknown = new ArrayList<>();
        if (log.config.cleanupDelete() && log.config.retentionMillis() >= 0) {
            for (int i = 0; i < log.segments.count() && unknown.size() < MAX_SEGMENTS; i++) {
                Segment segment = log.segments.get(i);
                if (!segment.maxTimestampKnown) {
                    unknown.add(segment);
                } else if (!expired(segment, wallMillis)) {
                    break;
                }
            }
        }
        if (unknown.isEmpty()) {
            rollIfAllGo(wallMillis);
            return;
        }
        SegmentTimes.learn(log, unknown, (none, failure) -> {
            if (failure == null) {
                rollIfAllGo(wallMillis);
            } else {
                finish();
            }
        });
    }

    /** The active segment is never removed; when it should go too it is rolled first, and goes once it is closed. */
    private void rollIfAllGo(long wallMillis) {
        Segment active = log.segments.last();
        boolean all = removable(wallMillis) == log.segments.count() - 1;
        boolean activeToo = all
                && active.size > 0
                && appender.idle()
                && log.writtenEnd <= log.highWatermark
                && reason(active, log.writtenEnd, log.segments.sizeBytes() - sizeBefore(active), wallMillis);
        if (activeToo) {
            appender.roll();
            flusher.whenIdle(() -> remove(wallMillis));
        } else {
            remove(wallMillis);
        }
    }

    private long sizeBefore(Segment active) {
        return log.segments.sizeBytes() - active.size;
    }

    private boolean expired(Segment segment, long wallMillis) {
        return log.config.retentionMillis() >= 0 && wallMillis - segment.newestMillis() > log.config.retentionMillis();
    }

    private boolean reason(Segment segment, long endOffset, long bytesFromHere, long wallMillis) {
        if (endOffset <= log.logStart) {
            return true;
        }
        if (!log.config.cleanupDelete()) {
            return false;
        }
        return expired(segment, wallMillis)
                || (log.config.retentionBytes() >= 0 && bytesFromHere - segment.size >= log.config.retentionBytes());
    }

    /** How many closed segments from the first on may go now. */
    private int removable(long wallMillis) {
        long bytes = log.segments.sizeBytes();
        int count = 0;
        while (count < log.segments.count() - 1 && count < MAX_SEGMENTS) {
            Segment segment = log.segments.get(count);
            long end = log.segments.get(count + 1).baseOffset;
            boolean closed = segment.index == null;
            if (!closed || end > log.highWatermark || !reason(segment, end, bytes, wallMillis)) {
                break;
            }
            bytes -= segment.size;
            count++;
        }
        return count;
    }

    private void remove(long wallMillis) {
        int count = log.unusable() == null ? removable(wallMillis) : 0;
        if (count == 0) {
            finish();
            return;
        }
        long newStart = Math.max(log.logStart, log.segments.get(count).baseOffset);
        raise(newStart, failure -> {
            if (failure != null) {
                finish();
                return;
            }
            dropFiles(log.segments.removeFirst(count), newStart);
        });
    }

    private interface Raised {
        void done(Failure failure);
    }

    /** Rule I12: persisted first. */
    private void raise(long newStart, Raised raised) {
        if (newStart <= log.logStart) {
            raised.done(null);
            return;
        }
        log.context.host().persistLogStart(owner, newStart, (none, failure) -> {
            if (failure == null && newStart > log.logStart) {
                log.logStart = newStart;
                log.epochsDirty |= log.epochs.truncateFromStart(newStart);
                log.producers.advanceLogStart(newStart);
            }
            raised.done(failure);
        });
    }

    private void dropFiles(List<Segment> removed, long newStart) {
        List<String> paths = new ArrayList<>();
        long bytes = 0;
        for (Segment segment : removed) {
            log.context.openFiles().drop(segment);
            log.forgetDamage(segment);
            bytes += segment.size;
            for (String suffix : SegmentFiles.ALL) {
                paths.add(segment.path(log.identity, suffix));
            }
            paths.add(segment.path(log.identity, SegmentFiles.SNAPSHOT));
        }
        LOG.info(
                "{}: {} segments ({} bytes) deleted, log starts at {}",
                log.identity.directory(),
                removed.size(),
                bytes,
                newStart);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, new Rename(paths), (renamed, failure) -> {
            if (failure == null) {
                unlinkLater(renamed);
            } else {
                LOG.warn("{}: could not rename deleted segments: {}", log.identity.directory(), failure.message());
            }
            finish();
        });
    }

    private record Rename(List<String> paths) implements DiskJob<List<String>> {
        @Override
        public List<String> run(FileSystem files) throws IOException {
            List<String> renamed = new ArrayList<>(paths.size());
            for (String path : paths) {
                if (files.exists(path)) {
                    files.rename(path, path + SegmentFiles.DELETED);
                    renamed.add(path + SegmentFiles.DELETED);
                }
            }
            return renamed;
        }
    }

    /** A cleaned segment has taken the place of those whose files have these paths now. */
    void replaced(List<String> old) {
        flusher.noteIndexes();
        unlinkLater(old);
    }

    /** Removes files that nobody finds any more, once their readers have had time to end. */
    private void unlinkLater(List<String> paths) {
        log.context.ports().timers().after(log.config.fileDeleteDelayMillis(), () -> unlink(paths, 0));
    }

    /** One file a job, one after the other: freeing a large file takes the disk's time, which appends and reads want too. */
    private void unlink(List<String> paths, int next) {
        if (next == paths.size()) {
            return;
        }
        DiskJob<Void> one = files -> {
            files.delete(paths.get(next));
            return null;
        };
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, one, (none, failure) -> unlink(paths, next + 1));
    }

    /** DeleteRecords. */
    void deleteBefore(long offset, Callback<Long> done) {
        Failure unusable = log.unusable();
        long target = offset == -1 ? log.highWatermark : offset;
        if (unusable != null) {
            done.fail(unusable);
        } else if (target < 0 || target > log.highWatermark) {
            done.fail(
                    FailureCode.OFFSET_OUT_OF_RANGE,
                    "cannot delete up to " + offset + ", the high watermark is " + log.highWatermark);
        } else {
            raise(target, failure -> {
                if (failure == null) {
                    done.succeed(log.logStart);
                } else {
                    done.fail(failure);
                }
            });
        }
    }

    /** Runs {@code task} once, when no round is under way. */
    void whenIdle(Runnable task) {
        if (!running) {
            task.run();
            return;
        }
        Runnable before = whenIdle;
        whenIdle = before == null
                ? task
                : () -> {
                    before.run();
                    task.run();
                };
    }

    private void finish() {
        running = false;
        if (whenIdle != null) {
            Runnable task = whenIdle;
            whenIdle = null;
            task.run();
        }
    }
}
