package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log durable in the background: files pending index entries, closes rolled segments (index, sync, producer snapshot), flushes on demand. One job
 * at a time, in the order asked, on the BLOCKING lane: it never holds up an append.
 */
final class LogFlusher {

    private static final Logger LOG = LoggerFactory.getLogger(LogFlusher.class);
    /** Pending index entries are filed when they take this many bytes. */
    private static final int FILING_BYTES = 8192;

    /**
     * One piece of work.
     *
     * @param segment to be closed, or null: flush all up to the end as it is when the task starts
     * @param end of a segment to close: its successor's base
     * @param image producer states at {@code end}; null: as they are when the task starts, if {@code snapshot}
     * @param sync false: only file index entries
     */
    private record Task(
            Segment segment, long end, ProducerStates.Image image, boolean sync, boolean snapshot, Callback<Void> done) {}

    private final LogState log;
    private final ArrayDeque<Task> tasks = new ArrayDeque<>(1);
    private boolean running;
    /** The last close failed (say, disk full): tried again by housekeeping. */
    private boolean waiting;
    private Runnable whenIdle;

    LogFlusher(LogState log) {
        this.log = log;
    }

    /** The segment takes no more batches; {@code end} is its successor's base. Closed once all its batches are written. */
    void rolled(Segment segment, long end, ProducerStates.Image image) {
        tasks.add(new Task(segment, end, image, true, true, null));
        startNext();
    }

    /** Rolls past {@code end} have not happened. */
    void cancelAbove(long end) {
        Iterator<Task> all = tasks.iterator();
        while (all.hasNext()) {
            Task task = all.next();
            if (task.segment() != null && task.end() > end) {
                all.remove();
            }
        }
    }

    /** Makes all that is written now durable; {@code snapshot}: with a producer snapshot at the end, which must not move meanwhile. */
    void flush(boolean snapshot, Callback<Void> done) {
        tasks.add(new Task(null, -1, null, true, snapshot, done));
        startNext();
    }

    /** The written end has moved. */
    void onWritten() {
        if (!running && tasks.isEmpty()) {
            if (log.segments.last().index.pendingBytes() >= FILING_BYTES) {
                tasks.add(new Task(null, -1, null, false, false, null));
            } else {
                return;
            }
        }
        startNext();
    }

    /** The segments were opened anew: what waited to be tried again is done or void. */
    void forgetWaiting() {
        tasks.clear();
        waiting = false;
    }

    void retry() {
        waiting = false;
        startNext();
    }

    boolean idle() {
        return !running && tasks.isEmpty();
    }

    /** Runs {@code task} once, when nothing is running and all that could begin is done (or failed and waits to be tried again). */
    void whenIdle(Runnable task) {
        Runnable before = whenIdle;
        whenIdle = before == null ? task : () -> {
            before.run();
            task.run();
        };
        startNext();
    }

    /** Paths of the segment files before {@code segment} whose content is not all durable: for a sync that must cover them. */
    List<String> unsyncedBefore(Segment segment) {
        int index = log.segments.floorIndex(segment.baseOffset) - 1;
        if (index < 0 || segment.baseOffset <= log.durableEnd) {
            return List.of();
        }
        ArrayList<String> paths = new ArrayList<>();
        while (index >= 0 && log.segments.get(index + 1).baseOffset > log.durableEnd) {
            paths.add(0, log.segments.get(index).path(log.identity, SegmentFiles.LOG));
            index--;
        }
        return paths;
    }

    /** The base of the first segment that is rolled but not closed; MAX_VALUE when there is none: recovery must go through it. */
    long firstUnclosed() {
        for (Task task : tasks) {
            if (task.segment() != null) {
                return task.segment().baseOffset;
            }
        }
        return Long.MAX_VALUE;
    }

    private void startNext() {
        if (running) {
            return;
        }
        Task task = tasks.peek();
        if (task == null || waiting || task.end() > log.writtenEnd) {
            Runnable idle = whenIdle;
            whenIdle = null;
            if (idle != null) {
                idle.run();
            }
            return;
        }
        running = true;
        Segment segment = task.segment() == null ? log.segments.last() : task.segment();
        if (task.sync() && segment.maxTimestamp >= 0 && task.snapshot()) {
            segment.index.addTime(segment.maxTimestamp, segment.maxTimestampOffset);
        }
        long end = task.segment() == null ? log.writtenEnd : task.end();
        ProducerStates.Image image =
                task.image() == null && task.snapshot() ? log.producers.image() : task.image();
        IndexTail.Filing filing = segment.index.filing();
        Job job = new Job(
                log.identity,
                segment.baseOffset,
                segment.made,
                segment.size,
                task.segment() != null || task.snapshot(),
                filing,
                segment.aborted == null ? null : segment.aborted.image(0),
                image == null || !segment.made ? null : image.encode(),
                end,
                task.sync(),
                task.sync() && log.durableEnd < end ? unsyncedBefore(segment) : List.of(),
                log.epochsDirty && log.directoryMade ? log.epochs.image() : null,
                task.sync() && !log.directoryDurable);
        boolean epochsWritten = job.epochs() != null;
        log.epochsDirty &= !epochsWritten;
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
            log.epochsDirty |= epochsWritten && failure != null;
            finished(task, segment, filing, end, failure);
        });
    }

    private void finished(Task task, Segment segment, IndexTail.Filing filing, long end, Failure failure) {
        running = false;
        if (failure == null) {
            tasks.poll();
            segment.index.filed(filing);
            if (task.sync()) {
                log.durableEnd = Math.max(log.durableEnd, end);
                segment.nameDurable = segment.made;
                log.directoryDurable = log.directoryMade;
            }
            if (task.segment() != null) {
                segment.index = null;
            }
        } else {
            if (failure.code() == FailureCode.SYNC_FAILED) {
                log.context.goOffline(failure);
            }
            LOG.warn("Could not flush {}: {}. It is tried again.", log.identity.directory(), failure.message());
            if (task.segment() != null) {
                waiting = true;
                failFlushes(failure);
            } else {
                tasks.poll();
            }
        }
        if (task.done() != null) {
            task.done().done(null, failure);
        }
        startNext();
    }

    /** Flushes behind a close that failed fail too: they would have covered it. */
    private void failFlushes(Failure failure) {
        List<Task> flushes = tasks.stream().filter(task -> task.segment() == null).toList();
        tasks.removeAll(flushes);
        for (Task flush : flushes) {
            if (flush.done() != null) {
                flush.done().fail(failure);
            }
        }
    }

    /**
     * @param closing cut the file to {@code size} (it may have been preallocated) and make index files even when empty
     * @param end names the snapshot
     */
    private record Job(
            LogIdentity log,
            long baseOffset,
            boolean made,
            int size,
            boolean closing,
            IndexTail.Filing filing,
            ByteBuffer aborted,
            ByteBuffer snapshot,
            long end,
            boolean sync,
            List<String> olderFiles,
            ByteBuffer epochs,
            boolean syncParent)
            implements DiskJob<Void> {

        @Override
        public Void run(FileSystem files) throws IOException {
            if (!made) {
                return null;
            }
            for (String older : olderFiles) {
                PartitionFiles.sync(files, older);
            }
            if (sync) {
                syncLog(files);
            }
            boolean force = closing || filing.firstOffsetEntry() > 0;
            PartitionFiles.writeIndex(
                    files, path(SegmentFiles.OFFSET_INDEX), filing.firstOffsetEntry(), OffsetIndex.ENTRY_BYTES,
                    filing.offsetEntries(), sync && force);
            PartitionFiles.writeIndex(
                    files, path(SegmentFiles.TIME_INDEX), filing.firstTimeEntry(), TimeIndex.ENTRY_BYTES,
                    filing.timeEntries(), sync && force);
            if (aborted != null) {
                PartitionFiles.writeIndex(
                        files, path(SegmentFiles.TRANSACTION_INDEX), 0, TransactionIndex.ENTRY_BYTES, aborted, sync);
            }
            if (epochs != null) {
                AtomicFile.replaceUnsynced(files, log.directory() + '/' + LeaderEpochCache.FILE_NAME, epochs);
            }
            if (snapshot != null) {
                AtomicFile.replaceUnsynced(
                        files, SegmentFiles.path(log.directory(), end, SegmentFiles.SNAPSHOT), snapshot);
            }
            if (syncParent) {
                PartitionFiles.sync(files, log.directory() + '/' + PartitionMetadataFile.FILE_NAME);
            }
            if (sync) {
                files.syncDirectory(log.directory());
            }
            if (syncParent) {
                files.syncDirectory("");
            }
            return null;
        }

        private void syncLog(FileSystem files) throws IOException {
            FileHandle file = files.open(path(SegmentFiles.LOG), FileSystem.Mode.READ_WRITE);
            try {
                if (closing && file.size() > size) {
                    file.truncate(size);
                }
                file.sync();
            } finally {
                file.release();
            }
        }

        private String path(String suffix) {
            return SegmentFiles.path(log.directory(), baseOffset, suffix);
        }
    }
}
