package coordinator;

import common.Ports;
import java.util.function.Consumer;
import java.util.function.Function;
import metadata.MetadataImage;

/**
 * What a {@link CoordinatorRuntime} is made of.
 *
 * @param topic the internal topic, for log lines
 * @param soon runs a task on the owner, never inside the caller's stack
 * @param shards makes an empty shard
 * @param type of its records
 * @param image the first one
 */
public record RuntimeSetup<S extends CoordinatorShard<R>, R>(
        String topic,
        Ports ports,
        Consumer<Runnable> soon,
        Limits limits,
        RecordCodec<R> codec,
        Class<R> type,
        Function<ShardContext<R>, S> shards,
        MetadataImage image) {

    /**
     * Bounds per partition, but for those of all.
     *
     * @param compressionCodec id of the codec of batches, 0 none
     * @param loadBytes read at once while loading
     * @param lingerMillis how long a batch waits for more records; -1: while another one is being written, else until the loop has done what it has at hand
     * @param maxPendingBytes most bytes of records that are not committed yet
     * @param maxPendingBytesOfAll as before, of all partitions of the runtime together
     * @param maxStateBytesOfAll most bytes that all shards of the runtime keep together, from which on nothing new is taken
     * @param commitTimeoutMillis after which a write is answered TIMED_OUT
     */
    public record Limits(
            int compressionCodec,
            int loadBytes,
            int lingerMillis,
            long maxPendingBytes,
            long maxPendingBytesOfAll,
            long maxStateBytesOfAll,
            long commitTimeoutMillis) {}
}
