package coordinator;

import common.Callback;
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
