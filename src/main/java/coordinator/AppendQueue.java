package coordinator;

import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Timers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;

/**
 * Records of one shard on their way to the log, and the answers that wait for them. At most one append is under way; what comes meanwhile shares the next batch
 * (group commit). The records of one result are never spread over batches. Confined to the owner.
 */
final class AppendQueue {
    /** Lengths, time and offset of a record take at most this much beside key and value. */
    private static final int RECORD_OVERHEAD = 40;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RuntimeSetup<?, ?> setup;
    private final Outcome outcome;
    private final RuntimeStats stats;
    private final ArrayDeque<Batch> gathering = new ArrayDeque<>();
    private PartitionStore store;
    private Batch inFlight;
    private long pendingBytes;
    private boolean turnEnd;
    private Timers.Handle linger;

    /** Told of each append, in order. */
    interface Outcome {
        /** All waiters have been answered. */
        void committed();

        /** It is not in the log, or nobody knows. The waiters are not answered yet: {@link #abandon} gives them. */
        void failed(Failure why);

        /** An append whose waiters were taken by {@link #abandon} has ended, either way. */
        void abandonedEnded();
    }

    /** The bytes of the records of one result. */
    record Encoded(List<ByteBuffer> keys, List<ByteBuffer> values, long bytes) {}

    private static final class Batch {
        private final List<Waiter<?>> waiters = new ArrayList<>();
        private final BatchBuilder builder;
        private final long sinceNanos;
        private long bytes = BatchHeader.SIZE;
        private boolean abandoned;

        Batch(Codec codec, long sinceNanos) {
            this.builder = new BatchBuilder(codec, 0, -1);
            this.sinceNanos = sinceNanos;
        }
    }

    AppendQueue(RuntimeSetup<?, ?> setup, RuntimeStats stats, Outcome outcome) {
        this.setup = setup;
        this.stats = stats;
        this.outcome = outcome;
    }

    /** Nothing may be pending. */
    void use(PartitionStore newStore) {
        store = newStore;
    }

    static <R> Encoded encode(List<R> records, RecordCodec<R> codec) {
        List<ByteBuffer> keys = new ArrayList<>(records.size());
        List<ByteBuffer> values = new ArrayList<>(records.size());
        long bytes = 0;
        for (R each : records) {
            ByteBuffer key = codec.key(each);
            ByteBuffer value = codec.value(each);
            keys.add(key);
            values.add(value);
            bytes += RECORD_OVERHEAD + key.remaining() + (value == null ? 0 : value.remaining());
        }
        return new Encoded(keys, values, bytes);
    }

    /** Why no record is taken now; null when they are. Passes by itself. */
    Failure refusal() {
        Failure why = store.refusal();
        if (why != null) {
            return Failure.of(
                    FailureCode.COORDINATOR_NOT_AVAILABLE, "the partition takes no records for now: " + why.message());
        }
        if (pendingBytes >= setup.limits().maxPendingBytes()) {
            return Failure.of(
                    FailureCode.COORDINATOR_NOT_AVAILABLE,
                    pendingBytes + " bytes of records wait for the disk already; retry later");
        }
        return null;
    }

    /** Why these records cannot be taken; null when they can. */
    Failure refusal(Encoded records) {
        Failure why = refusal();
        if (why != null) {
            return why;
        }
        if (BatchHeader.SIZE + records.bytes > store.maxBatchBytes()) {
            return Failure.of(
                    FailureCode.RECORD_LIST_TOO_LARGE,
                    "the request would write about " + records.bytes + " bytes at once, and a batch of " + setup.topic()
                            + " has at most " + store.maxBatchBytes());
        }
        return null;
    }

    /** Everything added is committed. */
    boolean isSettled() {
        return !isAppending() && gathering.isEmpty();
    }

    /** An append is under way, abandoned or not. */
    boolean isAppending() {
        return inFlight != null;
    }

    /** {@code waiters} are answered, in order, when the records are committed. */
    void add(Encoded records, List<Waiter<?>> waiters) {
        Batch batch = gathering.peekLast();
        if (batch == null || batch.bytes + records.bytes > store.maxBatchBytes()) {
            batch = new Batch(
                    Codec.forId(setup.limits().compressionCodec()),
                    setup.ports().clock().monotonicNanos());
            gathering.add(batch);
        }
        long wallMillis = setup.ports().clock().wallMillis();
        for (int i = 0; i < records.keys.size(); i++) {
            batch.builder.add(wallMillis, records.keys.get(i), records.values.get(i), List.of());
        }
        batch.bytes += records.bytes;
        pendingBytes += records.bytes;
        batch.waiters.addAll(waiters);
        flushLater();
    }

    /** Answered when everything added so far is committed; not to be called when it is. */
    void await(Waiter<?> waiter) {
        Batch last = gathering.isEmpty() ? inFlight : gathering.peekLast();
        last.waiters.add(waiter);
    }

    private void flushLater() {
        if (inFlight != null) {
            return;
        }
        int lingerMillis = setup.limits().lingerMillis();
        if (gathering.size() > 1 || lingerMillis == 0) {
            flush();
        } else if (lingerMillis < 0 && !turnEnd) {
            turnEnd = true;
            setup.soon().accept(() -> {
                turnEnd = false;
                flush();
            });
        } else if (lingerMillis > 0 && linger == null) {
            Clock clock = setup.ports().clock();
            long waited = (clock.monotonicNanos() - gathering.peek().sinceNanos) / NANOS_PER_MILLI;
            linger = setup.ports().timers().after(Math.max(0, lingerMillis - waited), () -> {
                linger = null;
                flush();
            });
        }
    }

    /** Begins to append the next batch, if none is under way. */
    void flush() {
        if (linger != null) {
            linger.cancel();
            linger = null;
        }
        if (inFlight != null || gathering.isEmpty()) {
            return;
        }
        Batch batch = gathering.poll();
        inFlight = batch;
        ByteBuffer bytes = batch.builder.build();
        stats.appending(batch.builder.count(), bytes.remaining());
        long start = setup.ports().clock().monotonicNanos();
        store.append(bytes, (none, failure) -> {
            stats.appended(setup.ports().clock().monotonicNanos() - start, failure == null);
            ended(batch, failure);
        });
    }

    private void ended(Batch batch, Failure failure) {
        if (batch.abandoned) {
            inFlight = null;
            outcome.abandonedEnded();
            return;
        }
        inFlight = null;
        if (failure != null) {
            gathering.addFirst(batch);
            outcome.failed(failure);
            return;
        }
        pendingBytes -= batch.bytes - BatchHeader.SIZE;
        batch.waiters.forEach(Waiter::committed);
        outcome.committed();
        if (!gathering.isEmpty()) {
            if (setup.limits().lingerMillis() <= 0) {
                flush();
            } else {
                flushLater();
            }
        }
    }

    /** Takes all answers that wait, in order. An append under way goes on, and its outcome concerns nobody any more. */
    List<Waiter<?>> abandon() {
        List<Waiter<?>> all = new ArrayList<>();
        if (inFlight != null && !inFlight.abandoned) {
            inFlight.abandoned = true;
            all.addAll(inFlight.waiters);
            inFlight.waiters.clear();
        }
        gathering.forEach(each -> all.addAll(each.waiters));
        gathering.clear();
        pendingBytes = 0;
        if (linger != null) {
            linger.cancel();
            linger = null;
        }
        return all;
    }

    /**
     * Tells those whose time is up.
     *
     * @return the answer that is waited for the longest now; null when there is none
     */
    Waiter<?> expire(long nowNanos) {
        Failure late = Failure.of(
                FailureCode.TIMED_OUT,
                "not committed within " + setup.limits().commitTimeoutMillis() + " ms; it may still happen");
        List<Waiter<?>> all = new ArrayList<>();
        if (inFlight != null) {
            all.addAll(inFlight.waiters);
        }
        gathering.forEach(each -> all.addAll(each.waiters));
        for (Waiter<?> each : all) {
            if (each.isOpen() && each.deadlineNanos() - nowNanos > 0) {
                return each;
            }
            if (each.isOpen()) {
                each.timedOut(late);
            }
        }
        return null;
    }
}
