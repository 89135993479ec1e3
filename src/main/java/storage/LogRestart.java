package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties a log and lets it go on at a later offset: an exclusive step. First all files go; then the log's start rises. A crash at any moment leaves the log as it was,
 * empty at its old start ({@link TruncationNote}), or empty at the new one.
 */
final class LogRestart {
    private static final Logger LOG = LoggerFactory.getLogger(LogRestart.class);

    private final LogState log;
    private final PartitionLog owner;
    private final LogReader reader;
    private final LogFlusher flusher;

    LogRestart(LogState log, PartitionLog owner, LogReader reader, LogFlusher flusher) {
        this.log = log;
        this.owner = owner;
        this.reader = reader;
        this.flusher = flusher;
    }

    void at(long offset, Callback<Void> done) {
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
            return;
        }
        if (offset < log.logStart && log.logStart == log.writtenEnd) {
            // There is nothing, so nothing comes back; what is persisted of the start may stay: it rises to that again.
            empty(offset);
            done.succeed(null);
            return;
        }
        if (offset < log.logStart) {
            done.fail(
                    FailureCode.OFFSET_OUT_OF_RANGE,
                    "cannot go on at " + offset + ", the log starts at " + log.logStart);
            return;
        }
        LOG.warn(
                "{}: records {} to {} are given up, the log goes on at {}",
                log.identity.directory(),
                log.logStart,
                log.writtenEnd - 1,
                offset);
        if (!log.directoryMade) {
            raise(offset, done);
            return;
        }
        DiskJob<Void> job = new Emptying(log.identity.directory(), log.logStart);
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
            if (failure != null) {
                log.context.goOffline(failure);
                done.fail(failure);
                return;
            }
            raise(offset, done);
        });
    }

    /** Rule I12: persisted first. */
    private void raise(long offset, Callback<Void> done) {
        empty(log.logStart);
        if (offset == log.logStart) {
            done.succeed(null);
            return;
        }
        log.context.host().persistLogStart(owner, offset, (none, failure) -> {
            if (failure == null) {
                empty(offset);
            }
            done.done(null, failure);
        });
    }

    private void empty(long start) {
        for (Segment each : log.segments.removeFirst(log.segments.count())) {
            log.context.openFiles().drop(each);
        }
        log.recent.clear();
        reader.clear();
        log.damage.clear();
        log.notedFrom = Long.MAX_VALUE;
        log.notedIndexes = List.of();
        log.abortedUnsure = false;
        log.epochs.clear();
        log.epochsDirty = log.directoryMade;
        log.producers = new ProducerStates(start);
        log.snapshotEnd = -1;
        log.cleanedTo = -1;
        log.recleanTo = -1;
        log.logStart = start;
        log.writtenEnd = start;
        log.assignedEnd = start;
        log.durableEnd = start;
        log.highWatermark = start;
        log.producers.advanceHighWatermark(start);
        log.segments.add(log.newSegment(start));
        flusher.opened();
    }

    /** @param start of the log: what a power cut brings back of its files is cut to that */
    private record Emptying(String directory, long start) implements DiskJob<Void> {
        @Override
        public Void run(FileSystem files) throws IOException {
            TruncationNote.write(files, directory, start);
            String epochs = directory + '/' + LeaderEpochCache.FILE_NAME;
            ByteBuffer none = new LeaderEpochCache().image();
            AtomicFile.replace(files, epochs, none);
            for (String name : files.list(directory)) {
                boolean ofSegment = SegmentFiles.WITH_SNAPSHOT.stream()
                        .anyMatch(suffix -> SegmentFiles.baseOffset(name, suffix) >= 0);
                if (ofSegment || name.equals(IndexNote.FILE_NAME) || name.equals(DamageNote.FILE_NAME)) {
                    files.delete(directory + '/' + name);
                }
            }
            files.syncDirectory(directory);
            TruncationNote.remove(files, directory);
            return null;
        }
    }
}
