package group;

import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import records.schemas.ConsumerProtocolBytes;

/** What classic consumers say and are told in JoinGroup and SyncGroup, by topic ids. Functions. */
final class EmbeddedProtocol {
    static final String TYPE = "consumer";

    private EmbeddedProtocol() {}

    /** Of topics that exist. */
    static PartitionSet partitions(ConsumerProtocolAssignment assignment, MetadataImage image) {
        PartitionSet.Builder all = new PartitionSet.Builder();
        assignment.assignedPartitions().forEach(topic -> {
            TopicImage known = image.topic(topic.topic());
            if (known != null) {
                topic.partitions().forEach(partition -> all.add(known.id(), partition));
            }
        });
        return all.build();
    }

    /** What the member says it has, of topics that exist. */
    static List<TopicPartitions> owned(ConsumerProtocolSubscription subscription, MetadataImage image) {
        List<TopicPartitions> owned = new ArrayList<>();
        subscription.ownedPartitions().forEach(topic -> {
            TopicImage known = image.topic(topic.topic());
            if (known != null) {
                owned.add(new TopicPartitions().setTopicId(known.id()).setPartitions(topic.partitions()));
            }
        });
        return owned;
    }

    /** An assignment in the version of the subscription that it answers. */
    static byte[] assignment(PartitionSet partitions, byte[] subscription, MetadataImage image) {
        ConsumerProtocolAssignment assignment = new ConsumerProtocolAssignment();
        for (Uuid id : partitions.topics()) {
            TopicImage topic = image.topic(id);
            if (topic != null) {
                assignment
                        .assignedPartitions()
                        .add(new ConsumerProtocolAssignment.TopicPartition()
                                .setTopic(topic.name())
                                .setPartitions(partitions.of(id)));
            }
        }
        return ConsumerProtocolBytes.bytes(assignment, subscription);
    }
}
