package records.schemas;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;

/** The records of groups of the consumer protocol (KIP-848). A value of null is a tombstone. Lists are unmodifiable. */
public sealed interface ConsumerGroupRecord extends GroupRecord {

    short METADATA = 3;
    short PARTITION_METADATA = 4;
    short MEMBER_METADATA = 5;
    short TARGET_ASSIGNMENT_METADATA = 6;
    short TARGET_ASSIGNMENT_MEMBER = 7;
    short CURRENT_MEMBER_ASSIGNMENT = 8;
    short REGULAR_EXPRESSION = 16;

    String group();

    /** Null for a tombstone. */
    Record value();

    @Override
    default boolean tombstone() {
        return value() == null;
    }

    /** Type 3: the group and its epoch. */
    record Metadata(String group, MetadataValue value) implements ConsumerGroupRecord {
        @Override
        public short type() {
            return METADATA;
        }
    }

    /** @param metadataHash of the topics that the group reads (KIP-1101); 0 when not computed */
    record MetadataValue(int epoch, long metadataHash) {}

    /** Type 4: the topics as the group saw them. Kafka 4.0 wrote it; since then only its tombstone is written. */
    record PartitionMetadata(String group, PartitionMetadataValue value) implements ConsumerGroupRecord {
        @Override
        public short type() {
            return PARTITION_METADATA;
        }
    }

    record PartitionMetadataValue(List<SeenTopic> topics) {
        public PartitionMetadataValue {
            topics = List.copyOf(topics);
        }
    }

    record SeenTopic(Uuid topicId, String topicName, int numPartitions, List<SeenPartition> partitionMetadata) {
        public SeenTopic {
            partitionMetadata = List.copyOf(partitionMetadata);
        }
    }

    record SeenPartition(int partition, List<String> racks) {
        public SeenPartition {
            racks = List.copyOf(racks);
        }
    }

    /** Type 5: a member and what it subscribed to. */
    record MemberMetadata(String group, String memberId, MemberMetadataValue value) implements ConsumerGroupRecord {
        @Override
        public short type() {
            return MEMBER_METADATA;
        }
    }

    /**
     * @param instanceId of a static member; else null
     * @param rackId may be null
     * @param subscribedTopicRegex may be null
     * @param rebalanceTimeoutMs -1 when not known
     * @param serverAssignor null: the group's default
     * @param classic null for a member that speaks the consumer protocol; Kafka always writes this, as a record without it reads as time-out 0 and no
     *     protocols
     */
    record MemberMetadataValue(
            String instanceId,
            String rackId,
            String clientId,
            String clientHost,
            List<String> subscribedTopicNames,
            String subscribedTopicRegex,
            int rebalanceTimeoutMs,
            String serverAssignor,
            ClassicMember classic) {
        public MemberMetadataValue {
            subscribedTopicNames = List.copyOf(subscribedTopicNames);
        }
    }

    /** What a member that speaks the classic protocol in a group of the consumer protocol sent. */
    record ClassicMember(int sessionTimeoutMs, List<ClassicProtocol> supportedProtocols) {
        public ClassicMember {
            supportedProtocols = List.copyOf(supportedProtocols);
        }
    }

    /** @param metadata not to be changed */
    record ClassicProtocol(String name, byte[] metadata) {
        @Override
        public boolean equals(Object other) {
            return other instanceof ClassicProtocol that
                    && name.equals(that.name)
                    && Arrays.equals(metadata, that.metadata);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, Arrays.hashCode(metadata));
        }
    }

    /** Type 6: the epoch of the target assignment. */
    record TargetAssignmentMetadata(String group, TargetAssignmentMetadataValue value) implements ConsumerGroupRecord {
        @Override
        public short type() {
            return TARGET_ASSIGNMENT_METADATA;
        }
    }

    /** @param assignmentTimestamp when it was computed (KIP-1263); 0 when not known */
    record TargetAssignmentMetadataValue(int assignmentEpoch, long assignmentTimestamp) {}

    /** Type 7: what a member shall get. */
    record TargetAssignmentMember(String group, String memberId, TargetAssignmentMemberValue value)
            implements ConsumerGroupRecord {
        @Override
        public short type() {
            return TARGET_ASSIGNMENT_MEMBER;
        }
    }

    record TargetAssignmentMemberValue(List<TargetPartitions> topicPartitions) {
        public TargetAssignmentMemberValue {
            topicPartitions = List.copyOf(topicPartitions);
        }
    }

    record TargetPartitions(Uuid topicId, List<Integer> partitions) {
        public TargetPartitions {
            partitions = List.copyOf(partitions);
        }
    }

    /** Type 8: what a member has, and what it still has to give up. */
    record CurrentMemberAssignment(String group, String memberId, CurrentMemberAssignmentValue value)
            implements ConsumerGroupRecord {
        @Override
        public short type() {
            return CURRENT_MEMBER_ASSIGNMENT;
        }
    }

    /** @param state the id of a state of Kafka's members */
    record CurrentMemberAssignmentValue(
            int memberEpoch,
            int previousMemberEpoch,
            byte state,
            List<CurrentPartitions> assignedPartitions,
            List<CurrentPartitions> partitionsPendingRevocation) {
        public CurrentMemberAssignmentValue {
            assignedPartitions = List.copyOf(assignedPartitions);
            partitionsPendingRevocation = List.copyOf(partitionsPendingRevocation);
        }
    }

    /** @param assignmentEpochs of each partition, since when it is the member's, to fence commits by zombies; empty (older writers) or null when not known */
    record CurrentPartitions(Uuid topicId, List<Integer> partitions, List<Integer> assignmentEpochs) {
        public CurrentPartitions {
            partitions = List.copyOf(partitions);
            assignmentEpochs = assignmentEpochs == null ? null : List.copyOf(assignmentEpochs);
        }
    }

    /** Type 16: the topics that a subscribed regular expression means. */
    record RegularExpression(String group, String regularExpression, RegularExpressionValue value)
            implements ConsumerGroupRecord {
        @Override
        public short type() {
            return REGULAR_EXPRESSION;
        }
    }

    /** @param version of the metadata against which it was resolved */
    record RegularExpressionValue(List<String> topics, long version, long timestamp) {
        public RegularExpressionValue {
            topics = List.copyOf(topics);
        }
    }
}
