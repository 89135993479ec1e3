package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import records.BatchHeader;
import records.BatchSummary;

/**
 * Appends with group commit: one write job of this log is in flight at most; batches that come meanwhile wait and go together in the next. Offsets,
 * epoch and producer state are settled in one step when a batch comes (rule P5), and taken back if its write fails (rule S2).
 */
final class LogAppender {

    /** Most batches in one job; Linux takes 1024 buffers in a gathering write. */
    private static final int MAX_GROUP = 512;

    private final LogState log;
    private final LogFlusher flusher;
    /** Null while nothing was ever queued: with many partitions each batch finds its log idle. */
    private ArrayDeque<QueuedBatch> queue;

    private int queuedBytes;
    private boolean writing;
    private Runnable whenIdle;

    LogAppender(LogState log, LogFlusher flusher) {
        this.log = log;
        this.flusher = flusher;
    }

    void append(ByteBuffer batch, BatchOrigin origin, int leaderEpoch, Callback<AppendResult> done) {
        Failure refusal = refusal(batch.remaining());
        if (refusal != null) {
            log.producers.refused(BatchSummary.of(batch, batch.position()));
            done.fail(refusal);
            return;
        }
        int at = batch.position();
        BatchHeader.assign(batch, at, log.assignedEnd, leaderEpoch);
        long appendTime = -1;
        if (log.config.logAppendTime() && !BatchHeader.isControl(batch, at)) {
            appendTime = log.context.ports().clock().wallMillis();
            BatchHeader.setLogAppendTime(batch, at, appendTime);
        }
        BatchSummary summary = BatchSummary.of(batch, at);
        ProducerVerdict verdict = verdictOn(summary, origin);
        switch (verdict.kind()) {
            case REFUSED -> {
                done.fail(verdict.failure());
                return;
            }
            case DUPLICATE -> {
                long time = log.config.logAppendTime() ? verdict.timestamp() : -1;
                AppendResult original = new AppendResult(verdict.baseOffset(), verdict.lastOffset(), time, true);
                enqueue(new QueuedBatch(null, summary, log.segments.last(), original, done));
                writeNext();
            }
            case OK -> {
                AppendResult result = new AppendResult(summary.baseOffset(), summary.lastOffset(), appendTime, false);
                boolean early = log.context.ports().mutations().active("ack-before-write");
                write(takeIn(batch, summary, result, early ? null : done));
                if (early) {
                    done.succeed(result);
                }
            }
        }
    }

    ProducerVerdict verdictOn(BatchSummary batch, BatchOrigin origin) {
        return switch (origin) {
            case CLIENT -> log.producers.check(batch, log.assignedEnd);
            case COORDINATOR -> log.producers.checkOwn(batch);
            case MARKER, MARKER_V2 -> {
                boolean lax = log.context.ports().mutations().active("old-epoch-marker");
                yield log.producers.checkMarker(batch, origin == BatchOrigin.MARKER_V2 && !lax);
            }
        };
    }

    /** Batches of a leader, each as it is. */
    void appendFetched(ByteBuffer batches, Callback<AppendResult> done) {
        Failure refusal = refusal(batches.remaining());
        if (refusal != null) {
            done.fail(refusal);
            return;
        }
        List<ByteBuffer> slices = new ArrayList<>();
        long expected = log.assignedEnd;
        for (int at = batches.position(); at < batches.limit(); at += BatchHeader.sizeInBytes(batches, at)) {
            if (!BatchHeader.isFramed(batches, at) || BatchHeader.baseOffset(batches, at) < expected) {
                done.fail(FailureCode.CORRUPT_BATCH, "fetched batch is cut, or below the log's end " + expected);
                return;
            }
            expected = BatchHeader.nextOffset(batches, at);
            slices.add(batches.slice(at, BatchHeader.sizeInBytes(batches, at)));
        }
        long first = slices.isEmpty() ? -1 : BatchHeader.baseOffset(slices.get(0), 0);
        AppendResult all = new AppendResult(first, expected - 1, -1, false);
        for (int i = 0; i < slices.size(); i++) {
            BatchSummary summary = BatchSummary.of(slices.get(i), 0);
            boolean last = i == slices.size() - 1;
            enqueue(takeIn(slices.get(i), summary, all, last ? done : null));
        }
        if (slices.isEmpty()) {
            done.succeed(all);
        }
        writeNext();
    }

    /** Why so many bytes would be refused now; null when they would not. */
    Failure refusal(int bytes) {
        Failure unusable = log.unusable();
        if (unusable != null) {
            return unusable;
        }
        if (queuedBytes > 0 && queuedBytes + bytes > log.context.limits().queuedBytes()) {
            return Failure.of(FailureCode.OVERLOADED, "append queue of " + log.identity.directory() + " is full");
        }
        if (log.context.diskSpace().isFull(bytes)) {
            return Failure.of(FailureCode.DISK_FULL, "free disk space is below the reserve");
        }
        return null;
    }

    /** Settles the batch's place in the log (rule P5); it is written later. */
    private QueuedBatch takeIn(
            ByteBuffer batch, BatchSummary summary, AppendResult result, Callback<AppendResult> done) {
        Segment segment = segmentFor(summary);
        log.apply(summary, segment);
        segment.onAssigned(summary);
        log.assignedEnd = summary.nextOffset();
        queuedBytes += summary.sizeInBytes();
        return new QueuedBatch(batch, summary, segment, result, done);
    }

    /** With many partitions nothing is queued as a rule: what passes by the queue need not touch its memory, which is in no cache. */
    private void write(QueuedBatch taken) {
        if (idle()) {
            writing = true;
            submit(List.of(taken));
        } else {
            enqueue(taken);
            writeNext();
        }
    }

    private void enqueue(QueuedBatch next) {
        queue = queue == null ? new ArrayDeque<>(4) : queue;
        queue.add(next);
    }

    private boolean queued() {
        return queue != null && !queue.isEmpty();
    }

    private Segment segmentFor(BatchSummary batch) {
        Segment active = log.segments.last();
        long wallMillis = log.context.ports().clock().wallMillis();
        if (!active.mustRollFor(batch, log.config, wallMillis)) {
            return active;
        }
        return roll();
    }

    /** The active segment takes no more; the next batch begins a new one. */
    Segment roll() {
        Segment old = log.segments.last();
        Segment fresh = log.newSegment(log.assignedEnd);
        log.segments.add(fresh);
        flusher.rolled(old, log.assignedEnd, log.producers.image());
        return fresh;
    }

    /** Nothing queued, nothing being written. */
    boolean idle() {
        return !writing && !queued();
    }

    /** Runs {@code task} once, when no write is in flight and nothing is queued; now if so. */
    void whenIdle(Runnable task) {
        if (idle()) {
            task.run();
        } else {
            Runnable before = whenIdle;
            whenIdle = before == null
                    ? task
                    : () -> {
                        before.run();
                        task.run();
                    };
        }
    }

    private void writeNext() {
        while (!writing && queued()) {
            writing = true;
            List<QueuedBatch> group = new ArrayList<>(Math.min(queue.size(), MAX_GROUP));
            int bytes = takeGroup(group);
            if (bytes == 0) {
                answer(group, null);
            } else {
                submit(group);
            }
        }
        if (idle() && whenIdle != null) {
            Runnable task = whenIdle;
            whenIdle = null;
            task.run();
        }
    }

    /** Moves the next batches, all of one segment, into {@code group}; how many bytes they are. */
    private int takeGroup(List<QueuedBatch> group) {
        int bytes = 0;
        Segment segment = null;
        while (!queue.isEmpty() && group.size() < MAX_GROUP) {
            QueuedBatch next = queue.peek();
            if (next.buffer() != null) {
                if (segment != null && next.segment() != segment) {
                    break;
                }
                segment = next.segment();
                bytes += next.size();
            }
            group.add(queue.poll());
        }
        return bytes;
    }

    private void submit(List<QueuedBatch> group) {
        ByteBuffer[] buffers = new ByteBuffer[group.size()];
        int count = 0;
        Segment segment = null;
        long end = log.writtenEnd;
        for (int i = 0; i < group.size(); i++) {
            QueuedBatch queued = group.get(i);
            if (queued.buffer() != null) {
                buffers[count++] = queued.buffer();
                segment = queued.segment();
                end = queued.summary().nextOffset();
            }
        }
        boolean sync = log.config.flushMessages() <= end - log.durableEnd;
        FileHandle open = segment.made ? log.context.openFiles().retained(segment) : null;
        // Rule I1. Without syncs the batch itself keeps its epoch best: recovery reads it from there.
        ByteBuffer epochs = sync && log.epochsDirty ? log.epochs.image() : null;
        log.epochsDirty &= epochs == null;
        int reserve = log.config.preallocate() && !segment.made ? log.config.segmentBytes() : 0;
        AppendJob job = new AppendJob(
                log.identity,
                !log.directoryMade,
                log.directoryMade ? null : log.context.siblings().of(log.identity),
                epochs,
                open != null ? null : segment.path(log.identity, SegmentFiles.LOG),
                open,
                !segment.made,
                segment.made ? null : flusher.uncutBefore(segment),
                reserve,
                buffers,
                count,
                segment.size,
                sync,
                sync && !(segment.nameDurable && log.directoryDurable),
                sync && !log.directoryDurable,
                sync ? flusher.unsyncedBefore(segment) : List.of(),
                log.context.ports().mutations());
        Segment target = segment;
        long start = sync ? log.context.ports().clock().monotonicNanos() : 0;
        log.context.disk().run(DiskExecutor.Lane.APPEND, job, (file, failure) -> {
            if (open != null) {
                open.release();
            }
            if (sync) {
                log.context.flushed(start);
            }
            target.reserved = Math.max(target.reserved, reserve);
            if (failure == null) {
                written(group, target, open == null ? file : null, sync, epochs != null);
            } else {
                log.epochsDirty |= epochs != null;
                failed(group, failure);
            }
        });
    }

    private void written(
            List<QueuedBatch> group, Segment segment, FileHandle opened, boolean synced, boolean epochsWritten) {
        if (opened != null) {
            log.context.openFiles().adopt(segment, opened);
        }
        segment.made = true;
        log.epochsOnDisk |= epochsWritten;
        if (!log.directoryMade) {
            log.directoryMade = true;
            log.context.siblings().made(log.identity);
        }
        int from = segment.size;
        for (int i = 0; i < group.size(); i++) {
            QueuedBatch queued = group.get(i);
            if (queued.buffer() != null) {
                BatchSummary batch = queued.summary();
                if (batch.baseOffset() != log.writtenEnd) {
                    // After a hole an offset may belong to no batch: only the files tell.
                    log.recent.clear();
                }
                log.recent.add(batch.baseOffset(), segment.size);
                segment.onWritten(
                        batch,
                        batch.maxTimestamp(),
                        log.config.indexIntervalBytes(),
                        log.context.ports().mutations());
                log.writtenEnd = batch.nextOffset();
            }
        }
        queuedBytes -= segment.size - from;
        if (from == 0 || from / WarmChunks.CHUNK_BYTES != (segment.size - 1) / WarmChunks.CHUNK_BYTES) {
            log.context.warm().add(segment, from, segment.size);
        }
        if (synced) {
            segment.nameDurable = true;
            log.directoryDurable = true;
            log.durableEnd = log.writtenEnd;
        }
        log.producers.settled(log.writtenEnd);
        flusher.onWritten();
        answer(group, null);
        writeNext();
    }

    /** Nothing of the group nor of what was queued behind it is in the log: offsets, producers, epochs and segments go back to the written end. */
    private void failed(List<QueuedBatch> group, Failure failure) {
        FailureCode code = failure.code();
        if (code == FailureCode.SYNC_FAILED) {
            log.context.goOffline(failure);
        } else if (code == FailureCode.DISK_FULL) {
            log.context.diskSpace().foundFull();
        }
        List<QueuedBatch> refused = new ArrayList<>(group);
        if (queue != null) {
            refused.addAll(queue);
            queue.clear();
        }
        queuedBytes = 0;
        flusher.cancelAbove(log.writtenEnd);
        log.undoUnwritten();
        flusher.onFailed();
        for (QueuedBatch each : refused) {
            log.producers.refused(each.summary());
        }
        answer(refused, failure);
        writeNext();
    }

    /** Answers batches in order. Calls made by the callbacks join the queue; {@link #writing} holds them back until all are answered. */
    private void answer(List<QueuedBatch> answered, Failure failure) {
        for (int i = 0; i < answered.size(); i++) {
            QueuedBatch queued = answered.get(i);
            if (queued.done() != null) {
                if (failure == null) {
                    queued.done().succeed(queued.result());
                } else {
                    queued.done().fail(failure);
                }
            }
        }
        writing = false;
    }
}
