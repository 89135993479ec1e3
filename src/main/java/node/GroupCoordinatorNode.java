package node;

import common.Callback;
import common.PartitionId;
import common.Ports;
import config.GroupConfig;
import coordinator.CoordinatorRuntime;
import coordinator.RecordCodec;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
import group.GroupCoordinator;
import group.GroupCounts;
import group.GroupShard;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.internals.Topic;
import records.schemas.GroupRecord;

/**
 * The group coordinator of one loop: leads the partitions of __consumer_offsets that this node leads and whose storage shard is on the same loop, so that an append
 * costs no message. Follows the metadata. Confined to its loop.
 */
final class GroupCoordinatorNode implements GroupCoordinator {
    static final String METRICS = "kafka_server_group_coordinator_metrics";

    private final PartitionTable partitions;
    private final ShardImage.Share share;
    private final RuntimeStats stats;
    private final GroupCounts counts = new GroupCounts();
    private final CoordinatorRuntime<GroupShard, GroupRecord> runtime;
    private final Map<Integer, PartitionId> led = new TreeMap<>();

    /** @param share which partitions of this node are on this loop */
    GroupCoordinatorNode(
            Ports ports,
            Consumer<Runnable> soon,
            GroupConfig config,
            RecordCodec<GroupRecord> codec,
            PartitionTable partitions,
            ShardImage.Share share,
            MetadataImage first) {
        this.partitions = partitions;
        this.share = share;
        this.stats = new RuntimeStats(ports.metrics(), METRICS);
        GroupConfig.OffsetsTopic topic = config.topic();
        RuntimeSetup.Limits limits = new RuntimeSetup.Limits(
                topic.compressionCodec(),
                topic.loadBufferBytes(),
                topic.appendLingerMillis(),
                topic.maxBufferBytes(),
                config.offsets().commitTimeoutMillis());
        this.runtime = new CoordinatorRuntime<>(
                new RuntimeSetup<>(
                        Topic.GROUP_METADATA_TOPIC_NAME,
                        ports,
                        soon,
                        limits,
                        codec,
                        GroupRecord.class,
                        context -> new GroupShard(context, config, counts),
                        first),
                stats);
    }

    RuntimeStats stats() {
        return stats;
    }

    GroupCounts counts() {
        return counts;
    }

    /** The storage shards have applied this image. {@code done} when partitions that were never written to take requests; others are still being loaded. */
    void applyImage(MetadataImage image, Callback<Void> done) {
        Map<Integer, PartitionImage> mine = new TreeMap<>();
        TopicImage topic = image.topic(Topic.GROUP_METADATA_TOPIC_NAME);
        if (topic != null) {
            for (PartitionImage each : topic.partitions()) {
                PartitionId id = new PartitionId(topic.id(), each.partition());
                if (share.holds(id, each) && each.leader() == share.nodeId()) {
                    mine.put(each.partition(), each);
                }
            }
        }
        for (Map.Entry<Integer, PartitionId> each : List.copyOf(led.entrySet())) {
            boolean kept = mine.containsKey(each.getKey())
                    && topic.id().equals(each.getValue().topicId());
            if (!kept) {
                led.remove(each.getKey());
                runtime.resign(each.getKey(), "this broker does not lead the group's partition any more");
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

    /** A clean stop, before the logs are closed. */
    void stop(Callback<Void> done) {
        runtime.stop(done);
    }

    @Override
    public <T> void write(int partition, Write<GroupShard, T> request, Callback<T> done) {
        runtime.write(partition, request, done);
    }

    @Override
    public <T> void park(int partition, ParkingWrite<GroupShard, T> request, Callback<T> done) {
        runtime.park(partition, request, done);
    }

    @Override
    public <T> void read(int partition, Read<GroupShard, T> question, Callback<T> done) {
        runtime.read(partition, question, done);
    }

    @Override
    public <T> void readAll(Read<GroupShard, T> question, Callback<List<T>> done) {
        runtime.readAll(question, done);
    }
}
