package group;

import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignment;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignmentValue;
import records.schemas.ConsumerGroupRecord.MemberMetadata;
import records.schemas.ConsumerGroupRecord.Metadata;
import records.schemas.ConsumerGroupRecord.MetadataValue;
import records.schemas.ConsumerGroupRecord.RegularExpression;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMember;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMemberValue;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMetadata;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMetadataValue;
import records.schemas.ConsumerGroupRecord.TargetPartitions;
import records.schemas.GroupRecord;

/** Makes the records of KIP-848 groups. Functions. */
final class ConsumerGroupRecords {

    /** Of a record of what a member has: all that is there once. */
    private static final int NAMELESS_BYTES = 64;
    /** Of a topic: its id, and the lengths of two lists. */
    private static final int TOPIC_BYTES = 32;
    /** Of a partition: its number and its epoch. */
    private static final int PARTITION_BYTES = 2 * Integer.BYTES;

    private ConsumerGroupRecords() {}

    static GroupRecord group(String group, int epoch, long metadataHash) {
        return new Metadata(group, new MetadataValue(epoch, metadataHash));
    }

    static GroupRecord noGroup(String group) {
        return new Metadata(group, null);
    }

    static GroupRecord metadata(String group, ConsumerMember member) {
        return new MemberMetadata(group, member.id(), member.metadata());
    }

    static GroupRecord current(String group, ConsumerMember member) {
        return new CurrentMemberAssignment(
                group,
                member.id(),
                new CurrentMemberAssignmentValue(
                        member.epoch(),
                        member.previousEpoch(),
                        member.state().id(),
                        member.assigned().toRecord(),
                        member.revoking().toRecord()));
    }

    static GroupRecord target(String group, String member, PartitionSet partitions) {
        List<TargetPartitions> topics = new ArrayList<>();
        for (Uuid topic : partitions.topics()) {
            topics.add(new TargetPartitions(topic, partitions.of(topic)));
        }
        return new TargetAssignmentMember(group, member, new TargetAssignmentMemberValue(topics));
    }

    /** What the records of a member that has these take at most, key and value, whichever of them it still has to give up. */
    static long mostBytes(String group, String member, PartitionSet partitions) {
        long names = 3L * (group.length() + member.length());
        return NAMELESS_BYTES
                + names
                + 2L * TOPIC_BYTES * partitions.topics().size()
                + PARTITION_BYTES * (long) partitions.size();
    }

    static PartitionSet targetOf(TargetAssignmentMemberValue value) {
        PartitionSet.Builder all = new PartitionSet.Builder();
        for (TargetPartitions topic : value.topicPartitions()) {
            topic.partitions().forEach(partition -> all.add(topic.topicId(), partition));
        }
        return all.build();
    }

    /** @param timestampMillis wall time when it was computed; 0 so that the next one need not wait */
    static GroupRecord targetEpoch(String group, int epoch, long timestampMillis) {
        return new TargetAssignmentMetadata(group, new TargetAssignmentMetadataValue(epoch, timestampMillis));
    }

    static GroupRecord noTargetEpoch(String group) {
        return new TargetAssignmentMetadata(group, null);
    }

    /** The tombstones of one member, in the order that replay needs: what it has, what it shall have, the member. */
    static void removal(String group, String member, List<GroupRecord> records) {
        records.add(new CurrentMemberAssignment(group, member, null));
        records.add(new TargetAssignmentMember(group, member, null));
        records.add(new MemberMetadata(group, member, null));
    }

    /** @param topics null: its tombstone */
    static GroupRecord pattern(String group, String pattern, RegularExpressionValue topics) {
        return new RegularExpression(group, pattern, topics);
    }
}
