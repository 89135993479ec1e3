package coordinator;

import common.Callback;
import common.FailureCode;
import java.util.List;

/**
 * By what calls others use the shards of one owner. A partition that is not led here is answered NOT_COORDINATOR, one that is still being loaded
 * COORDINATOR_LOADING, one that cannot take records for now COORDINATOR_NOT_AVAILABLE.
 *
 * @param <S> the shard's type
 */
public interface Coordinator<S> {

    /**
     * A request that may change state. {@code done} when what it yielded is committed; TIMED_OUT when that takes too long (it may still happen). Refused with
     * RECORD_LIST_TOO_LARGE when its records do not fit a batch. A thrown exception is a bug: answered INTERNAL, the shard stays.
     */
    <T> void write(int partition, Write<S, T> request, Callback<T> done);

    /**
     * A request whose answer may come much later (JoinGroup, SyncGroup): {@code done} is handed to the shard, which calls it once, at the latest when it is
     * unloaded. When the partition does not take requests or records for now, {@code done} fails at once and the request is not run. What the shard answers while
     * a request runs is given when all records before it, and those of that request, are committed.
     */
    <T> void park(int partition, ParkingWrite<S, T> request, Callback<T> done);

    /** A question: computed at once, answered when everything it may have seen is committed. */
    <T> void read(int partition, Read<S, T> question, Callback<T> done);

    /**
     * As {@link #read}, over all partitions that are led here, in rising order. Those that are loading fail it with COORDINATOR_LOADING; those whose log cannot be
     * read are left out, as in Kafka.
     */
    <T> void readAll(Read<S, T> question, Callback<List<T>> done);

    /**
     * A write that is part of a producer's transaction: run when the transaction coordinator has confirmed it (rule T5), unless it has begun here already. What it
     * yields takes effect when the transaction ends. Refused as the transaction coordinator says; INVALID_PRODUCER_EPOCH for a producer that is past it.
     */
    default <T> void writeTransactional(
            int partition, ProducerTransaction transaction, Write<S, T> request, Callback<T> done) {
        done.fail(FailureCode.INTERNAL, "this topic has no transactional records");
    }

    /**
     * A transaction has ended (rule T7). {@code done} when the marker is committed, also one that had been written before; fails with INVALID_PRODUCER_EPOCH when
     * the partition is past it, with TRANSACTION_COORDINATOR_FENCED when it knows a newer transaction coordinator.
     */
    default void completeTransaction(int partition, TransactionEnd end, Callback<Void> done) {
        done.fail(FailureCode.INTERNAL, "this topic has no transactional records");
    }

    /**
     * Whose transaction it is.
     *
     * @param add the producer's protocol is V2: the partition becomes part of the transaction
     */
    record ProducerTransaction(String transactionalId, long producerId, short producerEpoch, boolean add) {}

    @FunctionalInterface
    interface Write<S, T> {
        Result<?, T> run(S shard);
    }

    @FunctionalInterface
    interface ParkingWrite<S, T> {
        Result<?, Void> run(S shard, Callback<T> done);
    }

    @FunctionalInterface
    interface Read<S, T> {
        T run(S shard);
    }
}
