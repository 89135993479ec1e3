package node;

import config.GroupConfig;
import coordinator.RecordCodec;
import coordinator.RuntimeSetup;
import coordinator.RuntimeStats;
import group.GroupCoordinator;
import group.GroupCounts;
import group.GroupShard;
import org.apache.kafka.common.internals.Topic;
import records.schemas.GroupRecord;

/** The group coordinators of one loop. Confined to it. */
final class GroupCoordinatorNode extends InternalTopicCoordinator<GroupShard, GroupRecord> implements GroupCoordinator {
    static final String METRICS = "kafka_server_group_coordinator_metrics";

    /** For groups, members and offsets. */
    private static final int HEAP_PART = 5;

    private final GroupCounts counts;

    GroupCoordinatorNode(Place place, GroupConfig config, RecordCodec<GroupRecord> codec) {
        this(place, config, codec, new GroupCounts());
    }

    private GroupCoordinatorNode(Place place, GroupConfig config, RecordCodec<GroupRecord> codec, GroupCounts counts) {
        super(
                new RuntimeSetup<>(
                        Topic.GROUP_METADATA_TOPIC_NAME,
                        place.ports(),
                        place.soon(),
                        limits(config, place),
                        codec,
                        GroupRecord.class,
                        context -> new GroupShard(context, config, counts),
                        place.first()),
                new RuntimeStats(place.ports().metrics(), METRICS),
                place);
        this.counts = counts;
    }

    private static RuntimeSetup.Limits limits(GroupConfig config, Place place) {
        GroupConfig.OffsetsTopic topic = config.topic();
        return new RuntimeSetup.Limits(
                topic.compressionCodec(),
                topic.loadBufferBytes(),
                topic.appendLingerMillis(),
                place.maxPendingBytesOfOne(),
                place.maxPendingBytes(),
                place.heapPart(HEAP_PART),
                config.offsets().commitTimeoutMillis());
    }

    GroupCounts counts() {
        return counts;
    }
}
