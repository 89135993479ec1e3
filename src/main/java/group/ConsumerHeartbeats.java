package group;

import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;
import records.schemas.ConsumerGroupRecord.PartitionMetadata;
import records.schemas.GroupRecord;

/**
 * A heartbeat of a member that is or comes in (KIP-848): takes note of what the member says of itself; makes a new group epoch when the assignment may have to
 * change; a new target when there is none for that epoch; and takes the member one step towards its target. Records in Kafka's order: member, pattern, group epoch,
 * targets, target epoch, what the member has.
 *
 * <p>From the group epoch on the log may end anywhere: while there is no target for that epoch, the next heartbeat that may makes all targets anew.
 */
final class ConsumerHeartbeats {
    private final ShardContext<GroupRecord> context;
    private final GroupConfig.Consumer config;
    private final ConsumerGroupSettings settings;
    private final ConsumerRemovals removals;
    private final TopicPatterns patterns;
    private final OffloadedAssignments offloaded;
    private final TargetAssignment targets;

    ConsumerHeartbeats(
            ShardContext<GroupRecord> context,
            GroupConfig.Consumer config,
            ConsumerGroupSettings settings,
            ConsumerRemovals removals,
            TopicPatterns patterns,
            TargetAssignment targets,
            OffloadedAssignments offloaded) {
        this.context = context;
        this.config = config;
        this.settings = settings;
        this.removals = removals;
        this.patterns = patterns;
        this.offloaded = offloaded;
        this.targets = targets;
    }

    /** @param records to which those of this request are added */
    Result<GroupRecord, ConsumerGroupHeartbeatResponseData> beat(
            ConsumerGroup group, ConsumerHeartbeat beat, List<GroupRecord> records) throws Refusal {
        ConsumerGroupHeartbeatRequestData request = beat.request();
        ConsumerMember before = member(group, beat, records);
        // What it said is recorded by the first step; what stands there now may be newer.
        ConsumerMember after =
                beat.first() == null ? before.with(told(before.metadata(), beat.client(), request)) : before;

        boolean namesChanged = noteMember(group, before, after, records);
        TopicPatterns.Outcome pattern = patterns.update(group, before, after, records);
        boolean resubscribed = namesChanged || pattern != TopicPatterns.Outcome.SAME;
        TargetAssignment.Change change = new TargetAssignment.Change(occupant(group, before), after);
        boolean reassign =
                namesChanged || pattern == TopicPatterns.Outcome.CHANGED_AND_RESOLVED || targets.turns(group, change);
        int epoch = noteTopics(group, change, reassign, records);
        int wanted = epoch;
        if (beat.first() != null) {
            wanted = Math.min(epoch, beat.first().epoch());
            resubscribed |= beat.first().resubscribed();
        }
        int together = records.size();
        if (mustWait(group, wanted, change)) {
            removals.startSession(group.id(), after);
            beat.waitsFor(new FirstStep(after.id(), wanted, resubscribed));
            return await(group, beat.first(), records);
        }
        Target target = target(group, wanted, epoch, change, records);
        ConsumerMember reached = reconcile(group, after, target, request.topicPartitions(), resubscribed, records);
        removals.startSession(group.id(), reached);

        ConsumerGroupHeartbeatResponseData response = new ConsumerGroupHeartbeatResponseData()
                .setMemberId(after.id())
                .setMemberEpoch(reached.epoch())
                .setHeartbeatIntervalMs(settings.heartbeatMillis(group.id()));
        if (beat.joining() || isFull(request) || !reached.assigned().equals(before.assigned())) {
            response.setAssignment(assignment(reached.assigned()));
        }
        return Result.<GroupRecord, ConsumerGroupHeartbeatResponseData>of(records, response)
                .atomicOnly(together);
    }

    /** Whose heartbeat it is, as the member was before. */
    private ConsumerMember member(ConsumerGroup group, ConsumerHeartbeat beat, List<GroupRecord> records)
            throws Refusal {
        ConsumerGroupHeartbeatRequestData request = beat.request();
        if (beat.first() != null) {
            ConsumerMember member = group.member(beat.first().memberId());
            checkEpoch(member, request.memberEpoch(), request.topicPartitions());
            return member;
        }
        checkRoom(group, request.memberId(), request.instanceId());
        String memberId = request.memberId().isEmpty() ? newMemberId() : request.memberId();
        return request.instanceId() == null
                ? dynamicMember(group, memberId, request, beat.joining())
                : staticMember(group, memberId, request, beat.joining(), records);
    }

    /** Like {@link java.util.UUID}'s in length and kind; random enough that two members never share one. */
    String newMemberId() {
        return new Uuid(context.random().nextLong(), context.random().nextLong()).toString();
    }

    void checkRoom(ConsumerGroup group, String memberId, String instanceId) throws Refusal {
        boolean known = group.staticMember(instanceId) != null || group.member(memberId) != null;
        if (!known && group.members().size() >= config.maxSize()) {
            throw new Refusal(
                    Errors.GROUP_MAX_SIZE_REACHED,
                    "The group has " + config.maxSize() + " members, which is the most that it may have.");
        }
    }

    private static ConsumerMember dynamicMember(
            ConsumerGroup group, String memberId, ConsumerGroupHeartbeatRequestData request, boolean joining)
            throws Refusal {
        ConsumerMember member = group.member(memberId);
        if (member == null && !joining) {
            throw ConsumerGroups.unknownMember(group.id(), memberId);
        }
        if (member == null) {
            return ConsumerMember.unknown(memberId);
        }
        checkEpoch(member, request.memberEpoch(), request.topicPartitions());
        return member;
    }

    private ConsumerMember staticMember(
            ConsumerGroup group,
            String memberId,
            ConsumerGroupHeartbeatRequestData request,
            boolean joining,
            List<GroupRecord> records)
            throws Refusal {
        ConsumerMember holder = group.staticMember(request.instanceId());
        if (!joining) {
            ConsumerMember member = ConsumerGroups.checkedStaticMember(group, request.instanceId(), memberId);
            checkEpoch(member, request.memberEpoch(), request.topicPartitions());
            return member;
        }
        if (holder == null) {
            ConsumerMember member = group.member(memberId);
            return member == null ? ConsumerMember.unknown(memberId) : member;
        }
        if (!holder.classic() && holder.epoch() != ConsumerMember.LEFT_FOR_NOW) {
            throw new Refusal(
                    Errors.UNRELEASED_INSTANCE_ID,
                    "The instance id " + request.instanceId() + " is in use by member " + holder.id()
                            + ", which has not left.");
        }
        return replace(group, holder, memberId, records);
    }

    /** The newcomer takes over place and partitions of the one that left. */
    ConsumerMember replace(ConsumerGroup group, ConsumerMember holder, String memberId, List<GroupRecord> records) {
        ConsumerMember member = holder.replacedBy(memberId);
        PartitionSet target = group.target(holder.id());
        ConsumerGroupRecords.removal(group.id(), holder.id(), records);
        records.add(ConsumerGroupRecords.metadata(group.id(), member));
        records.add(ConsumerGroupRecords.target(group.id(), memberId, target == null ? PartitionSet.EMPTY : target));
        records.add(ConsumerGroupRecords.current(group.id(), member));
        return member;
    }

    /** Rule G6: an epoch below the member's is that of a request whose answer was lost, or comes from the past. */
    private static void checkEpoch(ConsumerMember member, int claimed, List<TopicPartitions> reported) throws Refusal {
        if (claimed == ConsumerMember.JOINING || claimed == member.epoch()) {
            return;
        }
        if (claimed > member.epoch() || claimed != member.previousEpoch() || !within(reported, member.assigned())) {
            throw new Refusal(
                    Errors.FENCED_MEMBER_EPOCH,
                    "Member epoch " + claimed + " is not the one that the coordinator knows, " + member.epoch()
                            + ": give up all partitions and join again.");
        }
    }

    private static boolean within(List<TopicPartitions> reported, OwnedPartitions assigned) {
        if (reported == null) {
            return false;
        }
        for (TopicPartitions topic : reported) {
            for (int partition : topic.partitions()) {
                if (!assigned.contains(topic.topicId(), partition)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What a heartbeat leaves out stays as it was. */
    private static MemberMetadataValue told(
            MemberMetadataValue known, ClientInfo client, ConsumerGroupHeartbeatRequestData request) {
        List<String> names = request.subscribedTopicNames();
        return new MemberMetadataValue(
                or(request.instanceId(), known.instanceId()),
                or(request.rackId(), known.rackId()),
                client.clientId(),
                client.clientHost(),
                names == null ? known.subscribedTopicNames() : List.copyOf(new TreeSet<>(names)),
                or(request.subscribedTopicRegex(), known.subscribedTopicRegex()),
                request.rebalanceTimeoutMs() == -1 ? known.rebalanceTimeoutMs() : request.rebalanceTimeoutMs(),
                or(request.serverAssignor(), known.serverAssignor()),
                null);
    }

    private static String or(String told, String known) {
        return told == null ? known : told;
    }

    /** Whether the member subscribes to other names than before. */
    boolean noteMember(ConsumerGroup group, ConsumerMember before, ConsumerMember after, List<GroupRecord> records)
            throws Refusal {
        if (after.metadata().equals(before.metadata())) {
            return false;
        }
        boolean isNew = occupant(group, after) == null;
        if (!context.memory().takesGrowth(Footprint.of(after) - (isNew ? 0 : Footprint.of(before)))) {
            throw ConsumerGroups.noRoom();
        }
        records.add(ConsumerGroupRecords.metadata(group.id(), after));
        return !after.metadata().subscribedTopicNames().equals(before.metadata().subscribedTopicNames());
    }

    /** The member in whose place {@code member} stands in the replayed state; null for a new one. */
    ConsumerMember occupant(ConsumerGroup group, ConsumerMember member) {
        ConsumerMember same = group.member(member.id());
        return same != null ? same : group.staticMember(member.instanceId());
    }

    /** The group's epoch: a new one when {@code bump} says so, or when the topics it reads are not those it was assigned by. */
    int noteTopics(ConsumerGroup group, TargetAssignment.Change change, boolean bump, List<GroupRecord> records) {
        if (!bump && !group.topicsChanged()) {
            return group.epoch();
        }
        Subscriptions next = group.subscriptions().copy();
        if (change.before() != null) {
            next.remove(change.before());
        }
        next.add(change.after());
        long hash = group.hashOf(next.topics());
        int epoch = group.epoch();
        if (bump || hash != group.metadataHash()) {
            epoch++;
            records.add(ConsumerGroupRecords.group(group.id(), epoch, hash));
        } else {
            group.setTopicsChanged(false);
        }
        if (group.hasPartitionMetadata()) {
            records.add(new PartitionMetadata(group.id(), null));
        }
        return epoch;
    }

    /** @param partitions of the member that asked */
    record Target(int epoch, PartitionSet partitions) {}

    /** Whether a worker computes the target for that epoch: who needs it waits. */
    boolean mustWait(ConsumerGroup group, int wanted, TargetAssignment.Change change) {
        return needsTarget(group, wanted) && offloaded.takes(group, change);
    }

    /** @param records of the first step, not to be parted */
    <T> Result<GroupRecord, T> await(ConsumerGroup group, FirstStep step, List<GroupRecord> records) {
        return offloaded.await(group, step.epoch(), records, records.size());
    }

    /**
     * The target for epoch {@code wanted} at least, computed now if there is none, and it is time for one.
     *
     * @param epoch of the group once {@code records} are replayed
     */
    Target target(
            ConsumerGroup group, int wanted, int epoch, TargetAssignment.Change change, List<GroupRecord> records) {
        return needsTarget(group, wanted) ? newTarget(group, epoch, change, records) : lastTarget(group, change);
    }

    /** Whether there is none for that epoch, it is time for one, and it is not known that it cannot be stored. */
    private boolean needsTarget(ConsumerGroup group, int epoch) {
        long now = context.clock().wallMillis();
        return group.assignmentEpoch() < epoch && isDue(group, now) && !group.isUnstorable(epoch, now);
    }

    private static Target lastTarget(ConsumerGroup group, TargetAssignment.Change change) {
        PartitionSet last =
                change.before() == null ? null : group.target(change.before().id());
        return new Target(group.assignmentEpoch(), last == null ? PartitionSet.EMPTY : last);
    }

    private Target newTarget(
            ConsumerGroup group, int epoch, TargetAssignment.Change change, List<GroupRecord> records) {
        long now = context.clock().wallMillis();
        PartitionSet own = targets.compute(group, epoch, change, context.image(), now, records);
        return own == null ? lastTarget(group, change) : new Target(epoch, own);
    }

    /** KIP-1263: changes that come soon after an assignment are assigned together. A clock that went back must not stop it. */
    private boolean isDue(ConsumerGroup group, long now) {
        long age = now - group.assignedAtMillis();
        return group.assignedAtMillis() == 0 || age < 0 || age >= settings.assignmentMillis(group.id());
    }

    ConsumerMember reconcile(
            ConsumerGroup group,
            ConsumerMember member,
            Target target,
            List<TopicPartitions> reported,
            boolean resubscribed,
            List<GroupRecord> records)
            throws Refusal {
        if (!resubscribed && member.reconciledTo(target.epoch())) {
            return member;
        }
        MetadataImage image = context.image();
        List<Uuid> subscribed = new AssignmentInput.Topics(group.subscriptions().resolved(), image).of(member);
        ConsumerMember reached = new Reconciliation(
                        group,
                        target.epoch(),
                        target.partitions(),
                        topic -> Collections.binarySearch(subscribed, topic) >= 0,
                        reported,
                        resubscribed,
                        context.mutations())
                .next(member);
        if (reached.equals(member)) {
            return member;
        }
        records.add(ConsumerGroupRecords.current(group.id(), reached));
        if (!reached.classic()) {
            if (reached.state() == MemberState.UNREVOKED_PARTITIONS) {
                removals.startRevocation(group.id(), reached);
            } else {
                removals.cancelRevocation(group.id(), reached.id());
            }
        }
        return reached;
    }

    /** A request that says all is answered all, so that a client that lost track finds it again. */
    private static boolean isFull(ConsumerGroupHeartbeatRequestData request) {
        return request.rebalanceTimeoutMs() != -1
                && (request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null)
                && request.topicPartitions() != null;
    }

    private static ConsumerGroupHeartbeatResponseData.Assignment assignment(OwnedPartitions assigned) {
        List<ConsumerGroupHeartbeatResponseData.TopicPartitions> topics = new ArrayList<>();
        assigned.byTopic()
                .forEach((topic, partitions) -> topics.add(new ConsumerGroupHeartbeatResponseData.TopicPartitions()
                        .setTopicId(topic)
                        .setPartitions(new ArrayList<>(partitions.keySet()))));
        return new ConsumerGroupHeartbeatResponseData.Assignment().setTopicPartitions(topics);
    }
}
