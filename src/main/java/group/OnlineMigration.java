package group;

import common.Failure;
import config.GroupConfig;
import coordinator.ShardContext;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.ConsumerGroupRecord;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;
import records.schemas.ConsumerProtocolBytes;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/**
 * Groups that change their protocol while in use (KIP-848): a classic group becomes a consumer group when the first member that speaks the new protocol joins;
 * the others stay, with what they have. It becomes a classic one again when the last of these leaves. All in one batch of records.
 */
final class OnlineMigration {
    private static final Logger LOG = LoggerFactory.getLogger(OnlineMigration.class);

    private final ShardContext<GroupRecord> context;
    private final GroupConfig config;
    private final ClassicGroups classic;

    OnlineMigration(ShardContext<GroupRecord> context, GroupConfig config, ClassicGroups classic) {
        this.context = context;
        this.config = config;
        this.classic = classic;
    }

    private boolean allows(String direction) {
        String policy = config.consumer().migrationPolicy();
        return policy.equals(direction) || policy.equals("BIDIRECTIONAL");
    }

    boolean allowsClassicMembers() {
        return !config.consumer().migrationPolicy().equals("DISABLED");
    }

    /**
     * The consumer group that a classic one becomes, as it will be once {@code records} are replayed.
     *
     * @throws Refusal with GROUP_ID_NOT_FOUND, as Kafka, when it must stay what it is
     */
    ConsumerGroup upgrade(ClassicGroup group, List<GroupRecord> records) throws Refusal {
        if (!allows("UPGRADE")) {
            throw stays(group, "group.consumer.migration.policy does not allow it");
        }
        if (!group.protocolType().equals(EmbeddedProtocol.TYPE)) {
            throw stays(group, "its members are no consumers");
        }
        if (group.members().size() > config.consumer().maxSize()) {
            throw stays(group, "it has more members than group.consumer.max.size");
        }
        List<GroupRecord> own = new ArrayList<>();
        List<ConsumerMember> members = members(group);
        members.forEach(member -> own.add(ConsumerGroupRecords.metadata(group.id(), member)));
        Subscriptions subscriptions = new Subscriptions();
        members.forEach(subscriptions::add);
        int epoch = group.generation();
        long hash = MetadataHash.of(subscriptions.topics(), context.image());
        own.add(ConsumerGroupRecords.group(group.id(), epoch, hash));
        members.forEach(member -> own.add(ConsumerGroupRecords.target(
                group.id(), member.id(), member.assigned().toSet())));
        own.add(ConsumerGroupRecords.targetEpoch(group.id(), epoch, 0));
        members.forEach(member -> own.add(ConsumerGroupRecords.current(group.id(), member)));

        ConsumerGroup upgraded = new ConsumerGroup(group.id(), context::image, context.mutations());
        own.forEach(record -> ConsumerGroupReplay.replay(upgraded, (ConsumerGroupRecord) record));
        group.tombstones(records);
        records.addAll(own);
        if (!context.fits(records)) {
            throw stays(group, "it has more members than fit one batch (max.message.bytes of __consumer_offsets)");
        }
        LOG.info("group {} becomes a group of the consumer protocol with {} members", group.id(), members.size());
        return upgraded;
    }

    private List<ConsumerMember> members(ClassicGroup group) throws Refusal {
        SortedMap<String, ConsumerMember> members = new TreeMap<>();
        PartitionOwners owners = new PartitionOwners();
        for (ClassicMember each : group.members()) {
            ConsumerMember member = member(group, each);
            boolean[] shared = new boolean[1];
            member.assigned().forEach((topic, partition, epoch) -> shared[0] |= owners.owner(topic, partition) != null);
            if (shared[0]) {
                throw stays(group, "its assignor gives partitions to several members");
            }
            owners.replace(null, member);
            members.put(member.id(), member);
        }
        return List.copyOf(members.values());
    }

    private ConsumerMember member(ClassicGroup group, ClassicMember member) throws Refusal {
        String protocol = group.protocol() == null ? group.roster().electedProtocol() : group.protocol();
        ConsumerProtocolSubscription subscription = ConsumerProtocolBytes.subscription(member.metadata(protocol));
        boolean unassigned = member.assignment().length == 0;
        ConsumerProtocolAssignment assignment =
                unassigned ? new ConsumerProtocolAssignment() : ConsumerProtocolBytes.assignment(member.assignment());
        if (subscription == null || assignment == null) {
            throw stays(group, "what its members say is not in the form of consumers");
        }
        if (assignment.userData() != null && assignment.userData().hasRemaining()) {
            throw stays(group, "its assignor keeps data of its own, which would be lost");
        }
        int epoch = group.generation();
        MemberMetadataValue metadata = new MemberMetadataValue(
                member.instanceId(),
                emptyToNull(subscription.rackId()),
                member.identity().clientId(),
                member.identity().clientHost(),
                List.copyOf(new TreeSet<>(subscription.topics())),
                "",
                member.rebalanceTimeoutMillis(),
                null,
                ClassicMembers.offers(member.sessionTimeoutMillis(), member.protocols()));
        PartitionSet partitions = EmbeddedProtocol.partitions(assignment, context.image());
        return new ConsumerMember(
                member.id(),
                metadata,
                epoch,
                epoch,
                MemberState.STABLE,
                OwnedPartitions.of(partitions, epoch),
                OwnedPartitions.EMPTY);
    }

    static String emptyToNull(String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static Refusal stays(ClassicGroup group, String why) {
        return new Refusal(
                Errors.GROUP_ID_NOT_FOUND,
                "The classic group " + group.id() + " cannot become a consumer group: " + why + ".");
    }

    /** After an upgrade was committed: who waits in the classic group joins again, and its timers end. With a failure it was not. */
    void upgraded(ClassicGroup group, Failure failure) {
        if (failure == null) {
            classic.handOver(group);
        } else {
            classic.notHandedOver(group, failure);
        }
    }

    /** Whether all members that will be left speak the classic protocol, and the group may be one of theirs again. */
    boolean downgrades(ConsumerGroup group, Collection<ConsumerMember> leaving) {
        int left = group.members().size() - leaving.size();
        int classicLeaving =
                (int) leaving.stream().filter(ConsumerMember::classic).count();
        return left > 0
                && group.classicMembers() - classicLeaving == left
                && allows("DOWNGRADE")
                && left <= config.classic().maxSize();
    }

    /**
     * Adds the records of a downgrade because members leave. Of those that stay is recorded what they may still have, not what they were to get: the next upgrade may come
     * before they have joined again, which all do.
     *
     * @return false when a batch cannot take them: the group must stay what it is, and no record was added
     */
    boolean downgrade(ConsumerGroup group, Collection<ConsumerMember> leaving, List<GroupRecord> records) {
        List<GroupRecord> own = new ArrayList<>();
        group.tombstones(own);
        List<ConsumerMember> left = new ArrayList<>(group.members().values());
        left.removeAll(leaving);
        Map<String, PartitionSet> has = new LinkedHashMap<>();
        left.forEach(member -> has.put(member.id(), has(member)));
        own.add(classic(group, left, has, group.epoch()));
        return becomesClassic(group, left.size(), own, records);
    }

    /** As {@link #downgrade(ConsumerGroup, Collection, List)}, because a static member came back with the classic protocol, as {@code joining}. */
    boolean downgrade(
            ConsumerGroup group,
            ConsumerMember joining,
            ConsumerMember replaced,
            int generation,
            List<GroupRecord> records) {
        List<GroupRecord> own = new ArrayList<>();
        ConsumerGroupRecords.removal(group.id(), joining.id(), own);
        group.tombstones(own);
        List<ConsumerMember> left = new ArrayList<>(group.members().values());
        left.remove(replaced);
        Map<String, PartitionSet> has = new LinkedHashMap<>();
        left.forEach(member -> has.put(member.id(), has(member)));
        has.put(joining.id(), has(replaced));
        left.add(joining);
        own.add(classic(group, left, has, generation));
        return becomesClassic(group, left.size(), own, records);
    }

    private static PartitionSet has(ConsumerMember member) {
        return member.assigned().and(member.revoking()).toSet();
    }

    private boolean becomesClassic(ConsumerGroup group, int members, List<GroupRecord> own, List<GroupRecord> records) {
        List<GroupRecord> all = new ArrayList<>(records);
        all.addAll(own);
        if (!context.fits(all)) {
            LOG.warn(
                    "group {} stays one of the consumer protocol: it has more members than fit one batch (max.message.bytes of __consumer_offsets)",
                    group.id());
            return false;
        }
        records.addAll(own);
        LOG.info("group {} becomes a group of the classic protocol with {} members", group.id(), members);
        context.submit(() -> classic.becameClassic(group.id()));
        return true;
    }

    private GroupRecord classic(
            ConsumerGroup group, List<ConsumerMember> left, Map<String, PartitionSet> has, int generation) {
        String protocol = elect(left);
        List<GroupMetadataRecord.Member> members = new ArrayList<>();
        for (ConsumerMember member : left) {
            byte[] subscription = ClassicMembers.metadata(member, protocol);
            members.add(new GroupMetadataRecord.Member(
                    member.id(),
                    member.instanceId(),
                    member.metadata().clientId(),
                    member.metadata().clientHost(),
                    member.metadata().rebalanceTimeoutMs(),
                    member.metadata().classic().sessionTimeoutMs(),
                    subscription,
                    EmbeddedProtocol.assignment(has.get(member.id()), subscription, context.image())));
        }
        return new GroupMetadataRecord(
                group.id(),
                new GroupMetadataRecord.Value(
                        EmbeddedProtocol.TYPE,
                        generation,
                        protocol,
                        members.get(0).memberId(),
                        GroupMetadataRecords.TO_BE_REBALANCED,
                        members));
    }

    /** The assignor that all offer and most prefer. */
    private static String elect(List<ConsumerMember> members) {
        Map<String, Integer> offers = new LinkedHashMap<>();
        members.forEach(member ->
                new TreeSet<>(ClassicMembers.names(member)).forEach(name -> offers.merge(name, 1, Integer::sum)));
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (ConsumerMember member : members) {
            for (String name : ClassicMembers.names(member)) {
                if (offers.get(name) == members.size()) {
                    votes.merge(name, 1, Integer::sum);
                    break;
                }
            }
        }
        String best = ClassicMembers.names(members.get(0)).get(0);
        for (Map.Entry<String, Integer> each : votes.entrySet()) {
            best = each.getValue() > votes.getOrDefault(best, 0) ? each.getKey() : best;
        }
        return best;
    }
}
