package coordinator;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Timers;
import coordinator.Coordinator.ProducerTransaction;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;

/**
 * Records of one shard on their way to the log, and the answers that wait for them. At most one group of batches is under way; what comes meanwhile shares
 * the next (group commit). Records of different transactions are in different batches. Confined to the owner.
 */
final class AppendQueue {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** In one group, so that the log's queue takes them all. */
    private static final int MOST_AT_ONCE = 64;

    private static final int MOST_BYTES_AT_ONCE = 512 * 1024;

    private final RuntimeSetup<?, ?> setup;
    private final Outcome outcome;
    private final RuntimeStats stats;
    private final PendingBytes allPending;
    private final ArrayDeque<Batch> gathering = new ArrayDeque<>();
    /** Whose batches are in {@link #gathering}. */
    private final GatheredProducers producers = new GatheredProducers();

    private PartitionStore store;
    /** The group under way, oldest first: handed over at once, so that one write takes them all. */
    private final ArrayDeque<Batch> inFlight = new ArrayDeque<>();

    private Batch failed;
    private boolean flushing;
    /** A batch takes no more: nothing is gained by waiting. */
    private boolean full;

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

    private static final class Batch {
        private final List<Waiter<?>> waiters = new ArrayList<>();
        /** null for a marker. */
        private final BatchBuilder builder;
        /** null for records of no transaction, and for a marker. */
        private final ProducerTransaction transaction;
        /** null for records. */
        private final TransactionEnd marker;

        private final long sinceNanos;
        private long bytes = BatchHeader.SIZE;
        private boolean abandoned;

        Batch(BatchBuilder builder, ProducerTransaction transaction, TransactionEnd marker, long sinceNanos) {
            this.builder = builder;
            this.transaction = transaction;
            this.marker = marker;
            this.sinceNanos = sinceNanos;
        }

        boolean takes(ProducerTransaction of) {
            return marker == null && (of == null ? transaction == null : isOf(of));
        }

        private boolean isOf(ProducerTransaction of) {
            return transaction != null
                    && transaction.producerId() == of.producerId()
                    && transaction.producerEpoch() == of.producerEpoch();
        }
    }

    /** @param allPending counts what is pending here too */
    AppendQueue(RuntimeSetup<?, ?> setup, RuntimeStats stats, PendingBytes allPending, Outcome outcome) {
        this.setup = setup;
        this.stats = stats;
        this.allPending = allPending;
        this.outcome = outcome;
    }

    /** Nothing may be pending. */
    void use(PartitionStore newStore) {
        store = newStore;
    }

    /** Most bytes of the records of one batch. */
    long room() {
        return (long) store.maxBatchBytes() - BatchHeader.SIZE;
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
        if (allPending.isFull()) {
            return Failure.of(
                    FailureCode.COORDINATOR_NOT_AVAILABLE,
                    allPending.bytes() + " bytes of records of all partitions of " + setup.topic()
                            + " wait for the disk already; retry later");
        }
        return null;
    }

    /** Why these records cannot be taken, each part in a batch; null when they can. */
    Failure refusal(List<EncodedRecords> parts) {
        Failure why = refusal();
        if (why != null) {
            return why;
        }
        for (EncodedRecords each : parts) {
            if (each.bytes() > room()) {
                return Failure.of(
                        FailureCode.RECORD_LIST_TOO_LARGE,
                        "the request would write about " + each.bytes() + " bytes at once, and a batch of "
                                + setup.topic() + " has at most " + store.maxBatchBytes()
                                + " (max.message.bytes of the topic)");
            }
        }
        return null;
    }

    /** Everything added is committed. */
    boolean isSettled() {
        return !isAppending() && gathering.isEmpty();
    }

    /** An append is under way, abandoned or not. */
    boolean isAppending() {
        return !inFlight.isEmpty();
    }

    /** Of what has not been given to the log yet. */
    boolean holdsMarkerOf(long producerId) {
        return producers.hasMarker(producerId);
    }

    /** Of what has not been given to the log yet. */
    boolean holdsRecordsOf(ProducerTransaction transaction) {
        return producers.hasRecords(transaction.producerId(), transaction.producerEpoch());
    }

    /** Of what has not been given to the log yet. */
    boolean holdsAnyOf(long producerId) {
        return producers.hasAny(producerId);
    }

    /**
     * {@code waiters} are answered, in order, when the records are committed.
     *
     * @param parts each into one batch, in order
     * @param transaction null for none
     */
    void add(List<EncodedRecords> parts, ProducerTransaction transaction, List<Waiter<?>> waiters) {
        parts.forEach(each -> add(each, transaction));
        gathering.peekLast().waiters.addAll(waiters);
        flushLater();
    }

    private void add(EncodedRecords records, ProducerTransaction transaction) {
        Batch batch = gathering.peekLast();
        boolean fits = batch != null && batch.bytes + records.bytes() <= store.maxBatchBytes();
        full |= batch != null && !fits;
        if (!fits || !batch.takes(transaction)) {
            BatchBuilder.Producer producer = transaction == null
                    ? BatchBuilder.Producer.NONE
                    // As Apache Kafka: a coordinator's batches have no sequences, and 0 stands there.
                    : new BatchBuilder.Producer(transaction.producerId(), transaction.producerEpoch(), 0, true);
            BatchBuilder builder = new BatchBuilder(Codec.forId(setup.limits().compressionCodec()), 0, -1, producer);
            batch = new Batch(builder, transaction, null, setup.ports().clock().monotonicNanos());
            gathering.add(batch);
            if (transaction != null) {
                producers.addRecords(transaction.producerId(), transaction.producerEpoch());
            }
        }
        long wallMillis = setup.ports().clock().wallMillis();
        for (int i = 0; i < records.keys().size(); i++) {
            batch.builder.add(
                    wallMillis, records.keys().get(i), records.values().get(i), List.of());
        }
        batch.bytes += records.bytes();
        pending(records.bytes());
    }

    private void pending(long change) {
        pendingBytes += change;
        allPending.add(change);
    }

    /** Behind everything added so far. */
    void add(TransactionEnd marker, Waiter<?> waiter) {
        Batch batch = new Batch(null, null, marker, setup.ports().clock().monotonicNanos());
        batch.waiters.add(waiter);
        gathering.add(batch);
        producers.addMarker(marker.producerId());
        flushLater();
    }

    /** Answered when everything added so far is committed; not to be called when it is. */
    void await(Waiter<?> waiter) {
        Batch last = gathering.isEmpty() ? inFlight.peekLast() : gathering.peekLast();
        last.waiters.add(waiter);
    }

    private void flushLater() {
        if (isAppending()) {
            return;
        }
        int lingerMillis = setup.limits().lingerMillis();
        if (full || gathering.size() >= MOST_AT_ONCE || lingerMillis == 0) {
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

    /** Begins to append what was gathered, if nothing is under way. */
    void flush() {
        if (linger != null) {
            linger.cancel();
            linger = null;
        }
        if (flushing) {
            return;
        }
        flushing = true;
        full = false;
        long bytes = 0;
        // A failed one ends the group: abandon() empties what is gathered, so none behind it gets into the log.
        while (inFlight.isEmpty() && !gathering.isEmpty()) {
            while (!gathering.isEmpty()
                    && inFlight.size() < MOST_AT_ONCE
                    && (inFlight.isEmpty() || bytes + gathering.peek().bytes <= MOST_BYTES_AT_ONCE)) {
                Batch batch = gathering.poll();
                left(batch);
                bytes += batch.bytes;
                inFlight.add(batch);
                append(batch);
            }
            bytes = 0;
        }
        flushing = false;
    }

    private void left(Batch batch) {
        if (batch.marker != null) {
            producers.removeMarker(batch.marker.producerId());
        } else if (batch.transaction != null) {
            producers.removeRecords(batch.transaction.producerId(), batch.transaction.producerEpoch());
        }
    }

    private void append(Batch batch) {
        long start = setup.ports().clock().monotonicNanos();
        Callback<Void> done = (none, failure) -> {
            stats.appended(setup.ports().clock().monotonicNanos() - start, failure == null);
            ended(batch, failure);
        };
        if (batch.marker != null) {
            stats.appending(1, (int) batch.bytes);
            store.appendMarker(batch.marker, done);
        } else {
            ByteBuffer bytes = batch.builder.build();
            stats.appending(batch.builder.count(), bytes.remaining());
            store.append(bytes, done);
        }
    }

    private void ended(Batch batch, Failure failure) {
        inFlight.remove(batch);
        if (batch.abandoned) {
            if (inFlight.isEmpty()) {
                outcome.abandonedEnded();
            }
            return;
        }
        if (failure != null) {
            failed = batch;
            outcome.failed(failure);
            return;
        }
        pending(BatchHeader.SIZE - batch.bytes);
        batch.waiters.forEach(Waiter::committed);
        if (!inFlight.isEmpty()) {
            return;
        }
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
        if (failed != null) {
            all.addAll(failed.waiters);
            failed = null;
        }
        for (Batch each : inFlight) {
            each.abandoned = true;
            all.addAll(each.waiters);
            each.waiters.clear();
        }
        gathering.forEach(each -> all.addAll(each.waiters));
        gathering.clear();
        producers.clear();
        pending(-pendingBytes);
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
        inFlight.forEach(each -> all.addAll(each.waiters));
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
