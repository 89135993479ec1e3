package group;

import common.Mutations;
import group.assign.PartitionSet;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.protocol.Errors;

/**
 * Takes a member one step towards its target: first it gives up what it must not keep, and says so; then it gets what nobody else has (rule G5). A function of its
 * fields.
 *
 * @param targetEpoch of the target
 * @param target what it shall have at last
 * @param subscribed whether the member subscribes to a topic that exists now
 * @param reported what the member says it has; null when it says nothing
 * @param subscriptionChanged in the request that is being answered
 */
record Reconciliation(
        ConsumerGroup group,
        int targetEpoch,
        PartitionSet target,
        Subscribed subscribed,
        List<TopicPartitions> reported,
        boolean subscriptionChanged,
        Mutations mutations) {

    @FunctionalInterface
    interface Subscribed {
        boolean to(Uuid topic);
    }

    /** @throws Refusal when nobody can say what the member has */
    ConsumerMember next(ConsumerMember member) throws Refusal {
        return switch (member.state()) {
            case STABLE -> {
                if (member.epoch() != targetEpoch) {
                    yield towardsTarget(member, member.epoch());
                }
                yield subscriptionChanged ? withoutUnsubscribed(member) : member;
            }
            case UNREVOKED_PARTITIONS -> {
                if (!has(member.revoking())) {
                    yield towardsTarget(member, member.epoch());
                }
                yield subscriptionChanged ? withoutUnsubscribed(member) : member;
            }
            case UNRELEASED_PARTITIONS -> towardsTarget(member, member.epoch());
            case UNKNOWN -> {
                if (reported == null || !reported.isEmpty()) {
                    throw new Refusal(
                            Errors.FENCED_MEMBER_EPOCH,
                            "What this member was doing is not known to this broker: give up all partitions and join again.");
                }
                yield towardsTarget(member, targetEpoch);
            }
        };
    }

    /** Whether the member may still have one of these: it named one, or it named nothing. */
    private boolean has(OwnedPartitions some) {
        if (reported == null) {
            return true;
        }
        for (TopicPartitions topic : reported) {
            for (int partition : topic.partitions()) {
                if (some.contains(topic.topicId(), partition)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A member need not wait for a new target to give up what it no longer reads. */
    private ConsumerMember withoutUnsubscribed(ConsumerMember member) {
        OwnedPartitions kept = member.assigned().where((topic, partition) -> subscribed.to(topic));
        if (kept.equals(member.assigned())) {
            return member;
        }
        OwnedPartitions dropped = member.assigned().where((topic, partition) -> !subscribed.to(topic));
        OwnedPartitions revoking = member.revoking().and(dropped);
        return has(revoking)
                ? member.moved(member.epoch(), MemberState.UNREVOKED_PARTITIONS, kept, revoking)
                : member.moved(member.epoch(), member.state(), kept, member.revoking());
    }

    private ConsumerMember towardsTarget(ConsumerMember member, int epochUntilRevoked) {
        PartitionSet wanted = target.where((topic, partition) -> subscribed.to(topic));
        OwnedPartitions kept = member.assigned().where(wanted::contains);
        OwnedPartitions dropped = member.assigned().where((topic, partition) -> !wanted.contains(topic, partition));
        if (!dropped.isEmpty() && has(dropped)) {
            return member.moved(epochUntilRevoked, MemberState.UNREVOKED_PARTITIONS, kept, dropped);
        }
        PartitionSet missing = wanted.where((topic, partition) -> !kept.contains(topic, partition));
        PartitionSet free = missing.where((topic, partition) -> isFree(member, topic, partition));
        MemberState state = free.equals(missing) ? MemberState.STABLE : MemberState.UNRELEASED_PARTITIONS;
        return member.moved(targetEpoch, state, kept.and(OwnedPartitions.of(free, targetEpoch)), OwnedPartitions.EMPTY);
    }

    /** Rule G5. What the member itself was giving up is released by now. */
    private boolean isFree(ConsumerMember member, Uuid topic, int partition) {
        return group.owner(topic, partition) == null
                || member.revoking().contains(topic, partition)
                || mutations.active("group-partition-before-release");
    }
}
