package node;

import common.Callback;
import common.PartitionId;
import common.Ports;
import coordinator.Coordinator;
import coordinator.CoordinatorRuntime;
import coordinator.CoordinatorShard;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
import coordinator.TransactionEnd;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;

/**
 * The coordinators of one internal topic on one loop: leads those of its partitions that this node leads and whose storage shard is on the same loop, so that an
 * append costs no message. Follows the metadata. Confined to its loop.
 */
abstract class InternalTopicCoordinator<S extends CoordinatorShard<R>, R> implements Coordinator<S> {
    private final String topicName;
    private final PartitionTable partitions;
    private final ShardImage.Share share;
    private final RuntimeStats stats;
    private final CoordinatorRuntime<S, R> runtime;
    private final Map<Integer, PartitionId> led = new TreeMap<>();

    /**
     * Where a coordinator runs.
     *
     * @param soon runs a task on the loop, never inside the caller's stack
     * @param share which partitions of this node are on this loop
     * @param maxPendingBytes most bytes of records of one internal topic that are not committed yet
     * @param heapBytes this loop's share of the heap
     * @param first image known when the node is assembled
     */
    record Place(
            Ports ports,
            Consumer<Runnable> soon,
            PartitionTable partitions,
            ShardImage.Share share,
            long maxPendingBytes,
            long heapBytes,
            MetadataImage first) {
        /** Of one partition: a storm of joins of a group of thousands fits. */
        private static final long MAX_PENDING_BYTES_OF_ONE = 16L << 20;

        /** @param part of the heap: one of so many */
        long heapPart(int part) {
            return Math.max(1, heapBytes / part);
        }

        long maxPendingBytesOfOne() {
            return Math.min(MAX_PENDING_BYTES_OF_ONE, maxPendingBytes);
        }
    }

    /** @param stats of this loop, under the topic's own names */
    InternalTopicCoordinator(RuntimeSetup<S, R> setup, RuntimeStats stats, Place place) {
        this.topicName = setup.topic();
        this.partitions = place.partitions();
        this.share = place.share();
        this.stats = stats;
        this.runtime = new CoordinatorRuntime<>(setup, stats);
    }

    final RuntimeStats stats() {
        return stats;
    }

    /** The storage shards have applied this image. {@code done} when partitions that were never written to take requests; others are still being loaded. */
    final void applyImage(MetadataImage image, Callback<Void> done) {
        Map<Integer, PartitionImage> mine = new TreeMap<>();
        TopicImage topic = image.topic(topicName);
        if (topic != null) {
            for (PartitionImage each : topic.partitions()) {
                PartitionId id = new PartitionId(topic.id(), each.partition());
                if (share.holds(id, each) && each.leader() == share.nodeId() && !partitions.isOffline(id)) {
                    mine.put(each.partition(), each);
                }
            }
        }
        for (Map.Entry<Integer, PartitionId> each : List.copyOf(led.entrySet())) {
            boolean kept = mine.containsKey(each.getKey())
                    && topic.id().equals(each.getValue().topicId());
            if (!kept) {
                led.remove(each.getKey());
                runtime.resign(each.getKey(), "this broker does not lead the partition any more");
            }
        }
        runtime.imageChanged(image);
        mine.forEach((partition, state) -> {
            PartitionId id = new PartitionId(topic.id(), partition);
            led.put(partition, id);
            runtime.lead(partition, state.leaderEpoch(), new InternalPartition(partitions, id, state.leaderEpoch()));
        });
        done.succeed(null);
    }

    /** A log directory went offline: what lies in it can be neither written nor trusted, and is not coordinated any more. */
    final void directoryOffline() {
        for (Map.Entry<Integer, PartitionId> each : List.copyOf(led.entrySet())) {
            if (partitions.isOffline(each.getValue())) {
                led.remove(each.getKey());
                runtime.resign(each.getKey(), "the log directory of the partition is offline");
            }
        }
    }

    /** A clean stop, before the logs are closed. */
    final void stop(Callback<Void> done) {
        runtime.stop(done);
    }

    @Override
    public final <T> void write(int partition, Write<S, T> request, Callback<T> done) {
        runtime.write(partition, request, done);
    }

    @Override
    public final <T> void park(int partition, ParkingWrite<S, T> request, Callback<T> done) {
        runtime.park(partition, request, done);
    }

    @Override
    public final <T> void read(int partition, Read<S, T> question, Callback<T> done) {
        runtime.read(partition, question, done);
    }

    @Override
    public final <T> void readAll(Read<S, T> question, Callback<List<T>> done) {
        runtime.readAll(question, done);
    }

    @Override
    public final <T> void writeTransactional(
            int partition, ProducerTransaction transaction, Write<S, T> request, Callback<T> done) {
        runtime.writeTransactional(partition, transaction, request, done);
    }

    @Override
    public final void completeTransaction(int partition, TransactionEnd end, Callback<Void> done) {
        runtime.completeTransaction(partition, end, done);
    }
}
