package group;

import coordinator.ShardContext;
import records.schemas.ConsumerGroupRecord;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignment;
import records.schemas.ConsumerGroupRecord.MemberMetadata;
import records.schemas.ConsumerGroupRecord.Metadata;
import records.schemas.ConsumerGroupRecord.PartitionMetadata;
import records.schemas.ConsumerGroupRecord.RegularExpression;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMember;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMetadata;
import records.schemas.GroupRecord;

/** Applies the records of KIP-848 groups. A compacted log may miss what a later record made pointless, so each record is taken as it comes. */
final class ConsumerGroupReplay {
    private final Groups groups;
    private final ShardContext<GroupRecord> context;

    ConsumerGroupReplay(Groups groups, ShardContext<GroupRecord> context) {
        this.groups = groups;
        this.context = context;
    }

    void replay(ConsumerGroupRecord record) {
        ConsumerGroup group = groups.get(record.group()) instanceof ConsumerGroup found ? found : null;
        if (group == null) {
            if (record.tombstone()) {
                if (record instanceof Metadata && groups.get(record.group()) instanceof ClassicGroup successor) {
                    successor.replaces(null);
                }
                return;
            }
            // In place of what only kept offsets.
            group = new ConsumerGroup(record.group(), context::image, context.mutations());
            groups.put(group);
        }
        if (record instanceof Metadata && record.tombstone()) {
            groups.remove(group.id());
        } else {
            long before = group.bytes();
            replay(group, record);
            groups.resized(group, group.bytes() - before);
        }
    }

    /** Any record but the tombstone of the group. */
    static void replay(ConsumerGroup group, ConsumerGroupRecord record) {
        if (record instanceof Metadata it) {
            group.replayEpoch(it.value().epoch(), it.value().metadataHash());
        } else if (record instanceof MemberMetadata it) {
            replayMember(group, it);
        } else if (record instanceof CurrentMemberAssignment it) {
            replayCurrent(group, it);
        } else if (record instanceof TargetAssignmentMember it) {
            group.replayTarget(it.memberId(), it.value() == null ? null : ConsumerGroupRecords.targetOf(it.value()));
        } else if (record instanceof TargetAssignmentMetadata it) {
            if (it.value() == null) {
                group.replayNoTarget();
            } else {
                group.replayTargetEpoch(it.value().assignmentEpoch(), it.value().assignmentTimestamp());
            }
        } else if (record instanceof PartitionMetadata it) {
            group.replayPartitionMetadata(it.value() != null);
        } else if (record instanceof RegularExpression it) {
            group.replayPattern(it.regularExpression(), it.value());
        }
    }

    private static void replayMember(ConsumerGroup group, MemberMetadata record) {
        if (record.value() == null) {
            group.replayRemoval(record.memberId());
        } else {
            group.replayMember(orUnknown(group, record.memberId()).with(record.value()));
        }
    }

    private static void replayCurrent(ConsumerGroup group, CurrentMemberAssignment record) {
        if (record.value() != null) {
            group.replayMember(orUnknown(group, record.memberId()).with(record.value()));
        } else if (group.member(record.memberId()) != null) {
            group.replayMember(group.member(record.memberId()).withoutAssignment());
        }
    }

    private static ConsumerMember orUnknown(ConsumerGroup group, String memberId) {
        ConsumerMember member = group.member(memberId);
        return member == null ? ConsumerMember.unknown(memberId) : member;
    }
}
