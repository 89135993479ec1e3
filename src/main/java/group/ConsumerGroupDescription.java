package group;

import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.Member;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.Errors;

/** What ConsumerGroupDescribe tells of a group. Functions. */
final class ConsumerGroupDescription {
    private static final byte CLASSIC = 0;
    private static final byte CONSUMER = 1;

    private ConsumerGroupDescription() {}

    static DescribedGroup of(ConsumerGroup group, String assignor, MetadataImage image) {
        DescribedGroup described = new DescribedGroup()
                .setGroupId(group.id())
                .setGroupState(group.state())
                .setGroupEpoch(group.epoch())
                .setAssignmentEpoch(group.assignmentEpoch())
                .setAssignorName(assignor);
        group.members()
                .values()
                .forEach(member -> described.members().add(of(member, group.target(member.id()), image)));
        return described;
    }

    static DescribedGroup refused(String group, Errors error, String message) {
        return new DescribedGroup().setGroupId(group).setErrorCode(error.code()).setErrorMessage(message);
    }

    private static Member of(ConsumerMember member, PartitionSet target, MetadataImage image) {
        SortedMap<Uuid, List<Integer>> has = new TreeMap<>();
        OwnedPartitions.Visitor note = (topic, partition, epoch) ->
                has.computeIfAbsent(topic, id -> new ArrayList<>()).add(partition);
        member.assigned().forEach(note);
        member.revoking().forEach(note);
        SortedMap<Uuid, List<Integer>> shallHave = new TreeMap<>();
        if (target != null) {
            target.topics().forEach(topic -> shallHave.put(topic, target.of(topic)));
        }
        return new Member()
                .setMemberId(member.id())
                .setMemberEpoch(member.epoch())
                .setInstanceId(member.instanceId())
                .setRackId(member.metadata().rackId())
                .setClientId(member.metadata().clientId())
                .setClientHost(member.metadata().clientHost())
                .setSubscribedTopicNames(new ArrayList<>(member.metadata().subscribedTopicNames()))
                .setSubscribedTopicRegex(member.metadata().subscribedTopicRegex())
                .setAssignment(assignment(has, image))
                .setTargetAssignment(assignment(shallHave, image))
                .setMemberType(member.classic() ? CLASSIC : CONSUMER);
    }

    /** Without topics that are gone. */
    private static Assignment assignment(SortedMap<Uuid, List<Integer>> partitions, MetadataImage image) {
        List<TopicPartitions> topics = new ArrayList<>();
        partitions.forEach((id, some) -> {
            TopicImage topic = image.topic(id);
            if (topic != null) {
                topics.add(new TopicPartitions()
                        .setTopicId(id)
                        .setTopicName(topic.name())
                        .setPartitions(some));
            }
        });
        return new Assignment().setTopicPartitions(topics);
    }
}
