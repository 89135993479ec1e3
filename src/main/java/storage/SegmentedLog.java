package storage;

import common.Callback;
import common.Failure;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import records.BatchSummary;

/**
 * The log of segments: hands each call to the part that knows how. Calls that change the log's shape (truncate, close, delete) are exclusive: they wait
 * for the writes in flight, and calls that come meanwhile wait for them.
 */
final class SegmentedLog extends PartitionLog {

    /** A log without appends for so long gives its read positions back. */
    private static final long IDLE_NANOS = 600_000_000_000L;

    private final LogState log;
    private final LogFlusher flusher;
    private final LogAppender appender;
    /** Null until one is needed. */
    private LogDuties duties;
    /** Calls that wait for the end of an exclusive step; null while none has had to. */
    private ArrayDeque<Runnable> held;

    private boolean exclusive;
    private long lastAppendNanos;

    private SegmentedLog(LogState log) {
        this.log = log;
        this.flusher = new LogFlusher(log);
        this.appender = new LogAppender(log, flusher);
        this.log.lastFlushNanos = log.context.ports().clock().monotonicNanos();
    }

    private LogDuties duties() {
        duties = duties == null ? new LogDuties(log, this, appender, flusher) : duties;
        return duties;
    }

    /** Until the exclusive step under way has ended. */
    private void hold(Runnable call) {
        held = held == null ? new ArrayDeque<>(1) : held;
        held.add(call);
    }

    /** A partition that has no directory yet. */
    static SegmentedLog create(LogState log, LogStart start) {
        long first = start.logStartOffset();
        log.producers = new ProducerStates(first);
        log.epochs = new LeaderEpochCache();
        log.segments.add(log.newSegment(first));
        return begin(log, start, first, first);
    }

    /** A partition that was found on the disk. */
    static SegmentedLog opened(LogState log, LogStart start, RecoveredLog found) {
        log.adopt(found);
        log.directoryMade = true;
        log.directoryDurable = start.cleanStop();
        log.recleanTo = found.cleanedTo() < start.cleanedTo() ? start.cleanedTo() : -1;
        log.cleanedTo = found.cleanedTo();
        return begin(log, start, found.endOffset(), found.durableEnd());
    }

    private static SegmentedLog begin(LogState log, LogStart start, long end, long durableEnd) {
        log.logStart = Math.max(start.logStartOffset(), log.segments.first().baseOffset);
        log.writtenEnd = end;
        log.assignedEnd = end;
        log.durableEnd = Math.max(log.logStart, Math.min(durableEnd, end));
        log.highWatermark = Math.max(log.logStart, Math.min(start.highWatermark(), end));
        log.producers.advanceHighWatermark(log.highWatermark);
        log.epochsDirty |= log.epochs.truncateFromStart(log.logStart);
        return new SegmentedLog(log);
    }

    @Override
    public LogIdentity identity() {
        return log.identity;
    }

    @Override
    public LogConfig config() {
        return log.config;
    }

    @Override
    public void updateConfig(LogConfig config) {
        log.config = config;
    }

    @Override
    public long logStartOffset() {
        return log.logStart;
    }

    @Override
    public long logEndOffset() {
        return log.writtenEnd;
    }

    @Override
    public long durableEndOffset() {
        return log.durableEnd;
    }

    @Override
    public long recoveryPoint() {
        return Math.min(log.durableEnd, flusher.firstUnclosed());
    }

    @Override
    public String damage() {
        if (log.damage.isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder("damaged offsets:");
        for (DamagedRange range : log.damage) {
            text.append(' ').append(range.fromOffset()).append('-').append(range.toOffset() - 1);
        }
        return text.toString();
    }

    @Override
    public List<OffsetRange> damagedOffsets() {
        return log.damage.stream()
                .map(range -> new OffsetRange(range.fromOffset(), range.toOffset()))
                .sorted(Comparator.comparingLong(OffsetRange::from))
                .toList();
    }

    @Override
    public Failure unusable() {
        return log.unusable();
    }

    @Override
    public Failure appendRefusal() {
        return appender.refusal(0);
    }

    @Override
    public long highWatermark() {
        return log.highWatermark;
    }

    @Override
    public long lastStableOffset() {
        return log.lastStableOffset();
    }

    @Override
    public int latestEpoch() {
        return log.epochs.latestEpoch();
    }

    @Override
    public int epochFor(long offset) {
        return log.epochs.epochFor(offset);
    }

    @Override
    public void append(ByteBuffer batch, int leaderEpoch, Callback<AppendResult> done) {
        append(batch, BatchOrigin.CLIENT, leaderEpoch, done);
    }

    @Override
    public void append(ByteBuffer batch, BatchOrigin origin, int leaderEpoch, Callback<AppendResult> done) {
        if (exclusive) {
            hold(() -> append(batch, origin, leaderEpoch, done));
            return;
        }
        lastAppendNanos = log.context.ports().clock().monotonicNanos();
        appender.append(batch, origin, leaderEpoch, done);
    }

    @Override
    public ProducerVerdict verdictOn(ByteBuffer batch, BatchOrigin origin) {
        return appender.verdictOn(BatchSummary.of(batch, batch.position()), origin);
    }

    @Override
    public ActiveProducer producer(long producerId) {
        return log.producers.activeProducer(producerId);
    }

    @Override
    public void refused(ByteBuffer batch) {
        log.producers.refused(BatchSummary.of(batch, batch.position()));
    }

    @Override
    public void appendFetched(ByteBuffer batches, Callback<AppendResult> done) {
        if (exclusive) {
            hold(() -> appendFetched(batches, done));
            return;
        }
        lastAppendNanos = log.context.ports().clock().monotonicNanos();
        appender.appendFetched(batches, done);
    }

    @Override
    public void read(long offset, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadResult> done) {
        duties().reader.read(offset, maxBytes, wholeFirstBatch, bound, done);
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        return log.epochs.endOfEpoch(epoch, log.writtenEnd);
    }

    @Override
    public void offsetForTimestamp(long timestampMillis, ReadBound bound, Callback<TimestampOffset> done) {
        duties().timestamps.first(timestampMillis, bound, done);
    }

    @Override
    public void offsetOfMaxTimestamp(Callback<TimestampOffset> done) {
        duties().timestamps.max(done);
    }

    @Override
    public void beginEpoch(int epoch, Callback<Void> done) {
        if (exclusive) {
            hold(() -> beginEpoch(epoch, done));
            return;
        }
        if (epoch > log.epochs.latestEpoch()) {
            log.epochsDirty |= log.epochs.assign(epoch, log.assignedEnd);
        }
        done.succeed(null);
    }

    @Override
    public void truncateTo(long offset, Callback<Void> done) {
        runExclusively(finish -> new LogTruncation(log, duties().reader, flusher)
                .truncateTo(offset, (none, failure) -> {
                    finish.run();
                    done.done(none, failure);
                }));
    }

    @Override
    public void restartAt(long offset, Callback<Void> done) {
        runExclusively(finish -> new LogRestart(log, this, duties().reader, flusher).at(offset, (none, failure) -> {
            finish.run();
            done.done(none, failure);
        }));
    }

    @Override
    public void whenSettled(Runnable then) {
        if (exclusive) {
            hold(() -> whenSettled(then));
        } else {
            appender.whenIdle(then);
        }
    }

    @Override
    public void deleteBefore(long offset, Callback<Long> done) {
        if (exclusive) {
            hold(() -> deleteBefore(offset, done));
            return;
        }
        duties().retention.deleteBefore(offset, done);
    }

    @Override
    public void advanceHighWatermark(long offset) {
        if (offset > log.highWatermark) {
            log.highWatermark = Math.min(offset, log.writtenEnd);
            log.producers.advanceHighWatermark(log.highWatermark);
        }
    }

    @Override
    public void housekeep(long wallMillis) {
        if (log.unusable() != null || exclusive) {
            return;
        }
        retry();
        long now = log.context.ports().clock().monotonicNanos();
        if (now - lastAppendNanos > IDLE_NANOS) {
            log.recent.clear();
            if (duties != null) {
                duties.reader.clear();
            }
        }
        boolean flushDue = log.config.flushMillis() < Long.MAX_VALUE
                && log.durableEnd < log.writtenEnd
                && now - log.lastFlushNanos >= log.config.flushMillis() * 1_000_000L;
        if (flushDue && flusher.idle()) {
            log.lastFlushNanos = now;
            flusher.flush(false, (none, failure) -> {});
        }
        boolean empty = log.segments.count() == 1 && log.segments.last().size == 0;
        if (!empty && !duties().compaction.swapping()) {
            duties().retention.run(wallMillis);
        }
    }

    @Override
    public void retry() {
        if (log.unusable() == null && !exclusive) {
            log.context.diskSpace().recheckIfFull();
            flusher.retry();
        }
    }

    @Override
    public int expireProducers(long wallMillis, long expirationMillis, int most) {
        return log.producers.expire(wallMillis, expirationMillis, most);
    }

    @Override
    public CleaningPlan cleaningPlan(long wallMillis) {
        return exclusive || !log.config.cleanupCompact()
                ? null
                : duties().compaction.plan(wallMillis);
    }

    @Override
    public void clean(CleanerTools tools, Callback<CleaningReport> done) {
        if (exclusive) {
            hold(() -> clean(tools, done));
        } else {
            duties().compaction.run(tools, done);
        }
    }

    @Override
    public long cleanedTo() {
        return log.cleanedTo;
    }

    @Override
    public void scrub(int maxBytes, Callback<Integer> done) {
        if (log.segments.count() == 1) {
            done.succeed(0);
        } else {
            duties().scrub.step(maxBytes, done);
        }
    }

    @Override
    public void examine(long offset, Callback<Boolean> done) {
        duties().scrub.examine(offset, done);
    }

    @Override
    public List<ActiveProducer> activeProducers() {
        return log.producers.activeProducers();
    }

    @Override
    public ActiveProducer oldestOpenTransaction() {
        return log.producers.oldestOpenTransaction();
    }

    @Override
    public long sizeBytes() {
        return log.segments.sizeBytes();
    }

    @Override
    public void flush(Callback<Void> done) {
        if (exclusive) {
            hold(() -> flush(done));
            return;
        }
        Failure unusable = log.unusable();
        if (unusable != null) {
            done.fail(unusable);
        } else {
            flusher.flush(false, done);
        }
    }

    @Override
    public void close(Callback<Void> done) {
        runExclusively(finish -> {
            Failure unusable = log.unusable();
            if (unusable != null || !log.directoryMade) {
                // A second close is no failure; that of an offline directory is (rule S6), so ask before the log counts
                // as closed.
                Failure answer = log.closed ? null : unusable;
                end(finish);
                done.done(null, answer);
                return;
            }
            flusher.retry();
            flusher.flush(true, (none, failure) -> {
                end(finish);
                done.done(null, failure);
            });
        });
    }

    private void end(Runnable finish) {
        log.closed = true;
        for (int i = 0; i < log.segments.count(); i++) {
            log.context.openFiles().drop(log.segments.get(i));
        }
        finish.run();
    }

    @Override
    public void delete(Callback<Void> done) {
        runExclusively(finish -> {
            boolean made = log.directoryMade;
            end(finish);
            if (!made) {
                done.succeed(null);
                return;
            }
            DirectoryDeletion.run(log, done);
        });
    }

    /** One exclusive step: begins when no write is in flight; other calls wait until it says it is finished. */
    private interface Step {
        void run(Runnable finish);
    }

    private void runExclusively(Step step) {
        if (exclusive) {
            hold(() -> runExclusively(step));
            return;
        }
        exclusive = true;
        Runnable finish = () -> {
            exclusive = false;
            duties().gate.release();
            while (!exclusive && held != null && !held.isEmpty()) {
                held.poll().run();
            }
        };
        LogDuties all = duties();
        all.compaction.stop(() -> appender.whenIdle(() ->
                all.retention.whenIdle(() -> flusher.whenIdle(() -> all.gate.hold(() -> step.run(finish))))));
    }
}
