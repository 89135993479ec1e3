package group;

import coordinator.StateMemory;
import group.assign.PartitionSet;
import java.util.List;
import java.util.SortedMap;
import records.schemas.ConsumerGroupRecord;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.GroupMetadataRecord;
import records.schemas.OffsetCommitRecord;

/** What groups, their members and offsets take on the heap, in bytes: measured, and rounded up. */
final class Footprint {
    /** A group without members, its place in maps and its timers. */
    private static final int GROUP = 1_000;

    /** One that only keeps offsets. */
    private static final int SIMPLE_GROUP = 120;

    private static final int MEMBER = 1_100;
    private static final int PENDING_MEMBER = 300;
    private static final int PROTOCOL = 100;
    private static final int NAME = 8;
    private static final int TOPIC = 150;
    private static final int PARTITION = 8;
    /** In a map of the partition's owner, and in one of the epochs at which members got theirs. */
    private static final int OWNED_PARTITION = 120;

    private static final int OFFSET = 72;
    /** With the place of its group, which has at least one. */
    private static final int TOPIC_OF_OFFSETS = 240;

    private static final int PENDING_OFFSET = 300;

    private Footprint() {}

    static long ofGroup(String id) {
        return GROUP + StateMemory.ofText(id);
    }

    static long ofSimpleGroup(String id) {
        return SIMPLE_GROUP + StateMemory.ofText(id);
    }

    static long ofPendingMember(String id) {
        return PENDING_MEMBER + StateMemory.ofText(id);
    }

    /** A classic member, without what it is given: that is counted with its group's record. */
    static long of(ClassicMember.Identity who, List<ClassicProtocol> protocols) {
        long bytes = MEMBER
                + StateMemory.ofText(who.memberId())
                + StateMemory.ofText(who.instanceId())
                + StateMemory.ofText(who.clientId())
                + StateMemory.ofText(who.clientHost());
        for (ClassicProtocol each : protocols) {
            bytes += PROTOCOL + StateMemory.ofText(each.name()) + each.metadata().length;
        }
        return bytes;
    }

    /** What the newest record of a classic group keeps beside its members; 0 for null. */
    static long of(GroupMetadataRecord stored) {
        long bytes = 0;
        for (GroupMetadataRecord.Member each : stored == null
                ? List.<GroupMetadataRecord.Member>of()
                : stored.value().members()) {
            bytes += TOPIC + each.assignment().length;
        }
        return bytes;
    }

    /** A KIP-848 member, without its target; 0 for null. */
    static long of(ConsumerMember member) {
        return member == null
                ? 0
                : MEMBER
                        + StateMemory.ofText(member.id())
                        + of(member.metadata())
                        + of(member.assigned())
                        + of(member.revoking());
    }

    /** What such a member said of itself. */
    static long of(MemberMetadataValue said) {
        long bytes = StateMemory.ofText(said.instanceId())
                + StateMemory.ofText(said.rackId())
                + StateMemory.ofText(said.clientId())
                + StateMemory.ofText(said.clientHost())
                + StateMemory.ofText(said.subscribedTopicRegex())
                + StateMemory.ofText(said.serverAssignor());
        for (String each : said.subscribedTopicNames()) {
            bytes += NAME + StateMemory.ofText(each);
        }
        for (ConsumerGroupRecord.ClassicProtocol each : said.classic() == null
                ? List.<ConsumerGroupRecord.ClassicProtocol>of()
                : said.classic().supportedProtocols()) {
            bytes += PROTOCOL + StateMemory.ofText(each.name()) + each.metadata().length;
        }
        return bytes;
    }

    private static long of(OwnedPartitions owned) {
        long bytes = 0;
        for (SortedMap<Integer, Integer> each : owned.byTopic().values()) {
            bytes += TOPIC + OWNED_PARTITION * (long) each.size();
        }
        return bytes;
    }

    /** A target; 0 for null. */
    static long of(PartitionSet target) {
        return target == null ? 0 : TOPIC * (1L + target.topics().size()) + PARTITION * (long) target.size();
    }

    /** A pattern with its topics; 0 for null. */
    static long of(String pattern, RegularExpressionValue topics) {
        long bytes = topics == null ? 0 : TOPIC + StateMemory.ofText(pattern);
        for (String each : topics == null ? List.<String>of() : topics.topics()) {
            bytes += NAME + StateMemory.ofText(each);
        }
        return bytes;
    }

    /** @param metadata null as "" */
    static long ofOffset(String metadata) {
        return OFFSET + (metadata == null || metadata.isEmpty() ? 0 : StateMemory.ofText(metadata));
    }

    /** A topic of which a group has offsets. */
    static long ofOffsets(String topic) {
        return TOPIC_OF_OFFSETS + StateMemory.ofText(topic);
    }

    /** An offset of a transaction that has not ended. */
    static long ofPending(OffsetCommitRecord record) {
        return PENDING_OFFSET
                + StateMemory.ofText(record.group())
                + StateMemory.ofText(record.topic())
                + ofOffset(record.value().metadata());
    }
}
