package node;

import common.Ports;
import config.GroupConfig;
import coordinator.RecordCodec;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
import group.GroupCoordinator;
import group.GroupShard;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.internals.Topic;
import records.schemas.GroupRecord;

/** The group coordinators of one loop. Confined to it. */
final class GroupCoordinatorNode extends InternalTopicCoordinator<GroupShard, GroupRecord> implements GroupCoordinator {
    static final String METRICS = "kafka_server_group_coordinator_metrics";

    /** @param share which partitions of this node are on this loop */
    GroupCoordinatorNode(
            Ports ports,
            Consumer<Runnable> soon,
            GroupConfig config,
            RecordCodec<GroupRecord> codec,
            PartitionTable partitions,
            ShardImage.Share share,
            MetadataImage first) {
        super(setup(ports, soon, config, codec, first), new RuntimeStats(ports.metrics(), METRICS), partitions, share);
    }

    private static RuntimeSetup<GroupShard, GroupRecord> setup(
            Ports ports,
            Consumer<Runnable> soon,
            GroupConfig config,
            RecordCodec<GroupRecord> codec,
            MetadataImage first) {
        GroupConfig.OffsetsTopic topic = config.topic();
        RuntimeSetup.Limits limits = new RuntimeSetup.Limits(
                topic.compressionCodec(),
                topic.loadBufferBytes(),
                topic.appendLingerMillis(),
                topic.maxBufferBytes(),
                config.offsets().commitTimeoutMillis());
        return new RuntimeSetup<>(
                Topic.GROUP_METADATA_TOPIC_NAME,
                ports,
                soon,
                limits,
                codec,
                GroupRecord.class,
                context -> new GroupShard(context, config),
                first);
    }
}
