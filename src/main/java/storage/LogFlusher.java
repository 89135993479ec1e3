package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
            Segment segment,
            long end,
            ProducerStates.Image image,
            boolean sync,
            boolean snapshot,
            Callback<Void> done) {}

    private final LogState log;
    /** Null while there was none yet. */
    private ArrayDeque<Task> tasks;

    private boolean running;
    /** The last close failed (say, disk full): tried again by housekeeping. */
    private boolean waiting;

    private Runnable whenIdle;
    /** Null as a rule. */
    private ArrayDeque<Turn> turns;

    /** Another's work on index files; it says when it is finished. */
    interface Turn {
        void run(Runnable finished);
    }

    LogFlusher(LogState log) {
        this.log = log;
        opened();
    }

    /** Segments were opened (anew): what waited to be tried again is done or void, and a start may have had no room for an index of aborted transactions. */
    void opened() {
        tasks = null;
        for (int i = 0; i < log.segments.count() - 1; i++) {
            TransactionTail aborted = log.segments.get(i).aborted;
            if (aborted != null && !aborted.isDurable()) {
                addLeft(i);
            }
        }
        waiting = tasks != null;
    }

    private void addLeft(int segment) {
        long end = log.segments.get(segment + 1).baseOffset;
        add(new Task(log.segments.get(segment), end, null, true, false, null));
    }

    /** There is no room for the index of aborted transactions of a segment that was closed; it is tried with the next {@link #retry}. */
    void fileLater(Segment segment) {
        waiting |= nothingToDo();
        addLeft(log.segments.indexOf(segment));
        startNext();
    }

    /** Lets another write index files while nothing here does. Comes before what waits here, also if that cannot be done. */
    void turn(Turn turn) {
        if (turns == null) {
            turns = new ArrayDeque<>(1);
        }
        turns.add(turn);
        startNext();
    }

    /** The segment takes no more batches; {@code end} is its successor's base. Closed once all its batches are written. */
    void rolled(Segment segment, long end, ProducerStates.Image image) {
        add(new Task(segment, end, image, true, true, null));
        startNext();
    }

    /** Rolls past {@code end} have not happened. */
    void cancelAbove(long end) {
        if (tasks != null) {
            tasks.removeIf(task -> task.segment() != null && task.end() > end);
        }
    }

    /** Makes all that is written now durable; {@code snapshot}: with a producer snapshot at the end, which must not move meanwhile. */
    void flush(boolean snapshot, Callback<Void> done) {
        add(new Task(null, -1, null, true, snapshot, done));
        waiting = false;
        startNext();
    }

    /** The written end has moved. */
    void onWritten() {
        if (!running && nothingToDo()) {
            if (gathered(log.segments.last())) {
                add(new Task(null, -1, null, false, false, null));
            } else {
                return;
            }
        }
        startNext();
    }

    private boolean nothingToDo() {
        return tasks == null || tasks.isEmpty();
    }

    private Task next() {
        return tasks == null ? null : tasks.peek();
    }

    private void add(Task task) {
        tasks = tasks == null ? new ArrayDeque<>(1) : tasks;
        tasks.add(task);
    }

    private static boolean gathered(Segment active) {
        return active.index.pendingBytes() >= FILING_BYTES
                || (active.aborted != null && active.aborted.pendingBytes() >= TransactionTail.FILING_BYTES);
    }

    /** Appends failed; what waited for them may go on. */
    void onFailed() {
        startNext();
    }

    void retry() {
        waiting = false;
        startNext();
    }

    boolean idle() {
        return !running && nothingToDo() && turns == null;
    }

    /** Runs {@code task} once, when nothing is running and all that could begin is done (or failed and waits to be tried again). */
    void whenIdle(Runnable task) {
        Runnable before = whenIdle;
        whenIdle = before == null
                ? task
                : () -> {
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

    /** The last segment file before {@code segment}, which has none yet, if it may be longer than its batches; else null. */
    AppendJob.Uncut uncutBefore(Segment segment) {
        int index = log.segments.floorIndex(segment.baseOffset) - 1;
        while (index >= 0 && !log.segments.get(index).made) {
            index--;
        }
        Segment before = index < 0 ? null : log.segments.get(index);
        return before == null || before.reserved <= before.size
                ? null
                : new AppendJob.Uncut(before.path(log.identity, SegmentFiles.LOG), before.size);
    }

    /** The base of the first segment that is rolled but not closed; MAX_VALUE when there is none: recovery must go through it. */
    long firstUnclosed() {
        for (Task task : tasks == null ? List.<Task>of() : tasks) {
            if (task.segment() != null) {
                return task.segment().baseOffset;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Retention takes segments away whose index a start had no room for; nobody looks for their files any more. */
    private void dropGone() {
        Task task = next();
        while (task != null && task.segment() != null && log.segments.indexOf(task.segment()) < 0) {
            tasks.poll();
            task = next();
        }
    }

    /** Makes the {@link IndexNote} say what the indexes of closed segments hold now; else a start after a crash would take them for damaged. */
    void noteIndexes() {
        turn(finished -> {
            List<IndexNote.Line> lines = indexNote(null, null);
            if (lines == null || log.unusable() != null) {
                finished.run();
                return;
            }
            String path = log.identity.directory() + '/' + IndexNote.FILE_NAME;
            DiskJob<Void> job = files -> {
                AtomicFile.replace(files, path, IndexNote.image(lines));
                return null;
            };
            log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
                if (failure == null) {
                    log.notedIndexes = lines;
                } else if (failure.code() == FailureCode.SYNC_FAILED) {
                    log.context.goOffline(failure);
                }
                finished.run();
            });
        });
    }

    private void startTurn() {
        running = true;
        Turn turn = turns.poll();
        turns = turns.isEmpty() ? null : turns;
        turn.run(() -> {
            running = false;
            startNext();
        });
    }

    private void startNext() {
        if (running) {
            return;
        }
        if (turns != null) {
            startTurn();
            return;
        }
        dropGone();
        Task task = next();
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
        if (segment.index == null) {
            fileLeft(task, segment);
        } else {
            start(task, segment);
        }
    }

    private void start(Task task, Segment segment) {
        boolean closing = task.segment() != null;
        boolean keepsMore = closing || !log.tiny();
        // Where there is a snapshot, a start takes the indexes of the segment that ends there for finished.
        boolean indexed = closing || (task.snapshot() && (segment.index.offsetEntries() > 0 || keepsMore));
        if (indexed && segment.maxTimestamp >= 0) {
            segment.index.addTime(segment.maxTimestamp, segment.maxTimestampOffset);
        }
        long end = closing ? task.end() : log.writtenEnd;
        boolean snapshot = task.snapshot() && segment.made && keepsMore && log.snapshotEnd < end;
        ProducerStates.Image image = snapshot && task.image() == null ? log.producers.image() : task.image();
        IndexTail.Filing filing = segment.index.filing();
        boolean writeEpochs = log.epochsDirty && log.directoryMade && task.sync() && (keepsMore || log.epochsOnDisk);
        TransactionTail.Filing aborted = aborted(segment, task.snapshot());
        boolean abortedSynced = aborted != null && task.snapshot();
        Job job = new Job(
                log.identity,
                segment.baseOffset,
                segment.size,
                closing,
                task.snapshot(),
                segment.reserved > segment.size,
                indexed,
                filing,
                aborted,
                snapshot ? image.encode() : null,
                end,
                task.sync() && log.durableEnd < end,
                task.sync() && log.durableEnd < end ? unsyncedBefore(segment) : List.of(),
                task.sync() && (closing || !segment.nameDurable || abortedSynced),
                task.sync() && !log.directoryDurable,
                writeEpochs ? log.epochs.image() : null,
                task.snapshot() ? indexNote(segment, aborted) : null);
        if (!segment.made || job.isEmpty()) {
            finished(task, segment, job, null);
            return;
        }
        log.epochsDirty &= !writeEpochs;
        long start = log.context.ports().clock().monotonicNanos();
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
            if (job.syncLog()) {
                log.context.flushed(start);
            }
            log.epochsDirty |= writeEpochs && failure != null;
            log.epochsOnDisk |= writeEpochs;
            if (failure == null && job.syncRoot()) {
                log.context.rootSync().run((nothing, failed) -> finished(task, segment, job, failed));
            } else {
                finished(task, segment, job, failure);
            }
        });
    }

    /** Null when there is nothing to be written; {@code stopping}: nor to be synced. */
    private TransactionTail.Filing aborted(Segment segment, boolean stopping) {
        if (segment.aborted == null || segment.aborted.isDurable()) {
            return null;
        }
        TransactionTail.Filing filing = segment.aborted.filing(log.writtenEnd);
        return stopping || filing.entries().hasRemaining() ? filing : null;
    }

    /**
     * What the {@link IndexNote} is to say once the job is done; null when it says that.
     *
     * @param last the segment that the job is about, with what it writes of the index; null: only those that are closed
     */
    private List<IndexNote.Line> indexNote(Segment last, TransactionTail.Filing aborted) {
        List<IndexNote.Line> lines = new ArrayList<>(0);
        for (int i = 0; i < log.segments.count(); i++) {
            Segment segment = log.segments.get(i);
            boolean counts = segment.aborted != null && (segment == last || segment.isClosed());
            IndexNote.Line line =
                    counts ? segment.aborted.noted(segment.baseOffset, segment == last ? aborted : null) : null;
            if (line != null) {
                lines.add(line);
            }
        }
        return lines.equals(log.notedIndexes) ? null : lines;
    }

    /** Of a segment that was closed long ago: what a start had no room for. */
    private void fileLeft(Task task, Segment segment) {
        TransactionTail.Filing aborted = segment.aborted.filing(task.end());
        String path = segment.path(log.identity, SegmentFiles.TRANSACTION_INDEX);
        DiskJob<Void> job = files -> {
            if (!files.exists(segment.path(log.identity, SegmentFiles.LOG))) {
                // Retention was faster: an index would be left alone.
                return null;
            }
            PartitionFiles.writeIndex(
                    files, path, aborted.firstEntry(), TransactionIndex.ENTRY_BYTES, aborted.entries(), true, true);
            files.syncDirectory(log.identity.directory());
            return null;
        };
        log.context.disk().run(DiskExecutor.Lane.BLOCKING, job, (none, failure) -> {
            running = false;
            if (failure == null) {
                tasks.poll();
                segment.aborted.filed(aborted, true);
            } else {
                failed(task, failure);
            }
            startNext();
        });
    }

    private void failed(Task task, Failure failure) {
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

    private void finished(Task task, Segment segment, Job job, Failure failure) {
        running = false;
        if (failure == null) {
            tasks.poll();
            segment.index.filed(job.filing());
            if (job.aborted() != null && segment.made) {
                segment.aborted.filed(job.aborted(), task.snapshot());
            }
            if (job.indexNote() != null && segment.made) {
                log.notedIndexes = job.indexNote();
            }
            if (task.sync()) {
                log.durableEnd = Math.max(log.durableEnd, job.end());
                segment.nameDurable |= segment.made;
                log.directoryDurable |= log.directoryMade;
            }
            if (task.snapshot()) {
                segment.reserved = 0;
                log.snapshotEnd = Math.max(log.snapshotEnd, job.end());
            }
            if (task.segment() != null) {
                segment.index = null;
                log.context.segmentClosed();
            }
        } else {
            failed(task, failure);
        }
        if (task.done() != null) {
            task.done().done(null, failure);
        }
        startNext();
    }

    /** Flushes behind a close that failed fail too: they would have covered it. */
    private void failFlushes(Failure failure) {
        List<Task> flushes =
                tasks.stream().filter(task -> task.segment() == null).toList();
        tasks.removeAll(flushes);
        for (Task flush : flushes) {
            if (flush.done() != null) {
                flush.done().fail(failure);
            }
        }
    }

    /**
     * What is synced: of a closed segment everything, for nothing of it is looked at again. Of the active one the log, and at a stop the indexes that are
     * more than empty; a snapshot is checked at the next start, and missed without harm if a power cut took it.
     *
     * @param closing the segment takes no more
     * @param stopping the file is cut to {@code size}, if it may be longer ({@code uncut})
     * @param indexed make index files even when empty, and sync them
     * @param end names the snapshot
     * @param indexNote what is to be written of the transaction indexes, after them; null: nothing new
     */
    private record Job(
            LogIdentity log,
            long baseOffset,
            int size,
            boolean closing,
            boolean stopping,
            boolean uncut,
            boolean indexed,
            IndexTail.Filing filing,
            TransactionTail.Filing aborted,
            ByteBuffer snapshot,
            long end,
            boolean syncLog,
            List<String> olderFiles,
            boolean syncNames,
            boolean syncRoot,
            ByteBuffer epochs,
            List<IndexNote.Line> indexNote)
            implements DiskJob<Void> {

        boolean isEmpty() {
            boolean files = closing || !filing.isEmpty() || snapshot != null || epochs != null;
            files |= aborted != null || indexNote != null;
            return !files && !syncLog && !syncNames && !syncRoot && !(stopping && uncut);
        }

        @Override
        public Void run(FileSystem files) throws IOException {
            for (String older : olderFiles) {
                PartitionFiles.sync(files, older);
            }
            if (stopping && uncut) {
                new AppendJob.Uncut(path(SegmentFiles.LOG), size).cut(files);
            }
            if (syncLog) {
                PartitionFiles.sync(files, path(SegmentFiles.LOG));
            }
            writeIndexes(files);
            if (epochs != null) {
                PartitionFiles.replace(files, log.directory() + '/' + LeaderEpochCache.FILE_NAME, epochs, closing);
            }
            if (snapshot != null) {
                String path = SegmentFiles.path(log.directory(), end, SegmentFiles.SNAPSHOT);
                PartitionFiles.replace(files, path, snapshot, closing);
            }
            if (indexNote != null) {
                AtomicFile.replace(files, log.directory() + '/' + IndexNote.FILE_NAME, IndexNote.image(indexNote));
            }
            if (syncRoot) {
                PartitionFiles.sync(files, log.directory() + '/' + PartitionMetadataFile.FILE_NAME);
            }
            if (syncNames || syncRoot) {
                files.syncDirectory(log.directory());
            }
            return null;
        }

        private void writeIndexes(FileSystem files) throws IOException {
            PartitionFiles.writeIndex(
                    files,
                    path(SegmentFiles.OFFSET_INDEX),
                    filing.firstOffsetEntry(),
                    OffsetIndex.ENTRY_BYTES,
                    filing.offsetEntries(),
                    indexed,
                    indexed);
            PartitionFiles.writeIndex(
                    files,
                    path(SegmentFiles.TIME_INDEX),
                    filing.firstTimeEntry(),
                    TimeIndex.ENTRY_BYTES,
                    filing.timeEntries(),
                    indexed,
                    indexed);
            if (aborted != null) {
                PartitionFiles.writeIndex(
                        files,
                        path(SegmentFiles.TRANSACTION_INDEX),
                        aborted.firstEntry(),
                        TransactionIndex.ENTRY_BYTES,
                        aborted.entries(),
                        true,
                        stopping);
            }
        }

        private String path(String suffix) {
            return SegmentFiles.path(log.directory(), baseOffset, suffix);
        }
    }
}
