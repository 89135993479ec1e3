package coordinator;

import common.Failure;
import metadata.MetadataImage;

/**
 * The state machine of one internal partition. Its durable state changes only in {@link #replay}; requests are methods that look at the state and return a
 * {@link Result}. State that is not in the log (timers, parked answers, a rebalance under way) belongs to the shard alone and dies with it. Confined to the
 * coordinator's owner; never called re-entrantly.
 *
 * @param <R> the decoded records of its log
 */
public interface CoordinatorShard<R> {

    /** Applies one record of the log, in its order: while loading, and right after a request that yielded it. Must not schedule, submit or answer. */
    void replay(R record);

    /**
     * Applies one record that belongs to a producer's transaction: it takes effect with {@link #replayMarker}, or never. In the log's order, as {@link #replay}.
     */
    default void replayTransactional(long producerId, short producerEpoch, R record) {
        throw new IllegalStateException("a transactional record in a log that has none");
    }

    /** A producer's transaction has ended in this partition; perhaps without any record here. In the log's order. */
    default void replayMarker(long producerId, short producerEpoch, boolean commit) {}

    /** The whole log was replayed; requests come from now on. Starts timers, each with its full time (rule G9). */
    void loaded();

    /** {@link ShardContext#image} gives a newer image now. Only between {@link #loaded} and {@link #unloaded}. */
    default void imageChanged(MetadataImage before, MetadataImage now) {}

    /**
     * The end of this instance: leadership lost, a failed append, or the broker stops. Fails every parked answer with {@code why}. Timers are cancelled by the
     * runtime.
     */
    void unloaded(Failure why);
}
