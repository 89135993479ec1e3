package group;

import common.Callback;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;
import records.schemas.ConsumerProtocolBytes;
import records.schemas.GroupRecord;

/**
 * Members of a KIP-848 group that speak the classic protocol: each JoinGroup takes its member one step towards the target that the coordinator computed, SyncGroup
 * tells it what it has, and heartbeats say REBALANCE_IN_PROGRESS while there is another step to take. Nobody leads, nobody waits for others.
 */
final class ClassicMembers {
    private static final short FIRST_WITH_KNOWN_MEMBER_ID = 4;

    private final ShardContext<GroupRecord> context;
    private final ConsumerHeartbeats heartbeats;
    private final ConsumerRemovals removals;
    private final ConsumerTimers timers;
    private final TopicPatterns patterns;
    private final OnlineMigration migration;

    ClassicMembers(
            ShardContext<GroupRecord> context,
            ConsumerHeartbeats heartbeats,
            ConsumerRemovals removals,
            ConsumerTimers timers,
            TopicPatterns patterns,
            OnlineMigration migration) {
        this.context = context;
        this.heartbeats = heartbeats;
        this.removals = removals;
        this.timers = timers;
        this.patterns = patterns;
        this.migration = migration;
    }

    /** As it is kept in records. */
    static records.schemas.ConsumerGroupRecord.ClassicMember offers(
            int sessionTimeoutMillis, List<ClassicProtocol> protocols) {
        return new records.schemas.ConsumerGroupRecord.ClassicMember(
                sessionTimeoutMillis,
                protocols.stream()
                        .map(each ->
                                new records.schemas.ConsumerGroupRecord.ClassicProtocol(each.name(), each.metadata()))
                        .toList());
    }

    /** The assignors that a classic member offers, as it prefers them. */
    static List<String> names(ConsumerMember member) {
        return member.metadata().classic().supportedProtocols().stream()
                .map(each -> each.name())
                .toList();
    }

    /** What the member says to that assignor; of its first one when it does not offer it. */
    static byte[] metadata(ConsumerMember member, String protocol) {
        return member.metadata().classic().supportedProtocols().stream()
                .filter(each -> each.name().equals(protocol))
                .findFirst()
                .orElse(member.metadata().classic().supportedProtocols().get(0))
                .metadata();
    }

    Result<GroupRecord, Void> join(ConsumerGroup group, ClassicJoin join, Callback<JoinGroupResponseData> done) {
        try {
            return joined(group, join, done);
        } catch (Refusal refusal) {
            return answer(done, JoinPhase.error(join.request().memberId(), refusal.error()));
        }
    }

    /**
     * The second step of a join that has waited.
     *
     * @param now what its group has become meanwhile; null: it is gone
     */
    Result<GroupRecord, Void> goOn(Group now, ClassicJoin join, Callback<JoinGroupResponseData> done) {
        String memberId = join.first().memberId();
        if (now instanceof ConsumerGroup group) {
            ConsumerMember member = group.member(memberId);
            if (member != null && member.classic()) {
                return join(group, join, done);
            }
        } else if (now instanceof ClassicGroup group && group.member(memberId) != null) {
            return answer(done, JoinPhase.error(memberId, Errors.REBALANCE_IN_PROGRESS));
        }
        return answer(done, JoinPhase.error("", Errors.UNKNOWN_MEMBER_ID));
    }

    private static <T> Result<GroupRecord, Void> answer(Callback<T> done, T response) {
        return Result.<GroupRecord>nothing()
                .settled((none, failure) -> done.done(failure == null ? response : null, failure));
    }

    /** What a JoinGroup says. */
    private record Said(
            String memberId,
            boolean isNew,
            List<ClassicProtocol> protocols,
            ConsumerProtocolSubscription subscription,
            ClassicJoin join) {

        /** The member as it is after this. */
        ConsumerMember of(ConsumerMember before) {
            // The first step records it; what stands there when the second is run may be newer.
            return join.first() == null
                    ? before.with(told(before, join.request(), join.client(), subscription, protocols))
                    : before;
        }

        JoinGroupResponseData answer(int generation) {
            return new JoinGroupResponseData()
                    .setMemberId(memberId)
                    .setGenerationId(generation)
                    .setProtocolType(EmbeddedProtocol.TYPE)
                    .setProtocolName(protocols.get(0).name());
        }
    }

    private Result<GroupRecord, Void> joined(
            ConsumerGroup group, ClassicJoin join, Callback<JoinGroupResponseData> done) throws Refusal {
        JoinGroupRequestData request = join.request();
        boolean isNew = request.memberId().isEmpty() && join.first() == null;
        String memberId = memberId(join, isNew);
        List<ClassicProtocol> protocols = new ArrayList<>();
        request.protocols().forEach(each -> protocols.add(new ClassicProtocol(each.name(), each.metadata())));
        if (join.first() == null) {
            check(group, request, memberId, protocols);
        }
        boolean dynamic = request.groupInstanceId() == null;
        if (isNew && dynamic && join.client().apiVersion() >= FIRST_WITH_KNOWN_MEMBER_ID) {
            return answer(done, JoinPhase.error(memberId, Errors.MEMBER_ID_REQUIRED));
        }
        ConsumerProtocolSubscription subscription =
                ConsumerProtocolBytes.subscription(protocols.get(0).metadata());
        if (subscription == null) {
            throw new Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL, "no subscription of a consumer");
        }
        return step(group, new Said(memberId, isNew, protocols, subscription, join), done);
    }

    private Result<GroupRecord, Void> step(ConsumerGroup group, Said said, Callback<JoinGroupResponseData> done)
            throws Refusal {
        FirstStep first = said.join.first();
        List<GroupRecord> records = new ArrayList<>();
        ConsumerMember holder = group.staticMember(said.join.request().groupInstanceId());
        ConsumerMember before = first == null ? member(group, said, records) : group.member(first.memberId());
        ConsumerMember after = said.of(before);
        boolean resubscribed = heartbeats.noteMember(group, before, after, records);
        resubscribed |= patterns.update(group, before, after, records) != TopicPatterns.Outcome.SAME;
        TargetAssignment.Change change = new TargetAssignment.Change(heartbeats.occupant(group, before), after);
        int epoch = heartbeats.noteTopics(group, change, resubscribed, records);
        boolean downgrades = holder != null && !holder.classic() && migration.downgrades(group, List.of(holder));
        if (downgrades && migration.downgrade(group, after, holder, epoch, records)) {
            // All join again, so nothing is assigned now.
            return Result.<GroupRecord, Void>of(records, null)
                    .settled((none, failure) -> done.done(failure == null ? said.answer(epoch) : null, failure));
        }
        int wanted = epoch;
        if (first != null) {
            wanted = Math.min(epoch, first.epoch());
            resubscribed |= first.resubscribed();
        }
        if (heartbeats.mustWait(group, wanted, change)) {
            said.join.waitsFor(new FirstStep(said.memberId, wanted, resubscribed));
            return heartbeats.<Void>await(group, said.join.first(), records).settled((none, failure) -> {
                if (failure == null) {
                    hasJoined(group, after);
                }
            });
        }
        int together = records.size();
        ConsumerHeartbeats.Target target = heartbeats.target(group, wanted, epoch, change, records);
        List<TopicPartitions> owned = EmbeddedProtocol.owned(said.subscription, context.image());
        ConsumerMember reached = heartbeats.reconcile(group, after, target, owned, resubscribed, records);
        return Result.<GroupRecord, Void>of(records, null).atomicOnly(together).settled((none, failure) -> {
            if (failure == null) {
                hasJoined(group, reached);
                int millis = said.join.request().rebalanceTimeoutMs();
                removals.start(ConsumerTimers.Kind.SYNC, group.id(), said.memberId, millis);
            }
            done.done(failure == null ? said.answer(reached.epoch()) : null, failure);
        });
    }

    private void hasJoined(ConsumerGroup group, ConsumerMember member) {
        timers.cancel(ConsumerTimers.Kind.JOIN, group.id(), member.id());
        removals.startSession(group.id(), member);
    }

    private String memberId(ClassicJoin join, boolean isNew) {
        if (join.first() != null) {
            return join.first().memberId();
        }
        return isNew ? heartbeats.newMemberId() : join.request().memberId();
    }

    private void check(
            ConsumerGroup group, JoinGroupRequestData request, String memberId, List<ClassicProtocol> protocols)
            throws Refusal {
        if (!migration.allowsClassicMembers()) {
            throw new Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL, "group.consumer.migration.policy is disabled");
        }
        heartbeats.checkRoom(group, memberId, request.groupInstanceId());
        checkProtocols(group, request.protocolType(), protocols);
    }

    private static void checkProtocols(ConsumerGroup group, String type, List<ClassicProtocol> protocols)
            throws Refusal {
        boolean fits = type.equals(EmbeddedProtocol.TYPE) && !protocols.isEmpty();
        if (fits && group.classicMembers() > 0) {
            fits = protocols.stream()
                    .anyMatch(each -> group.members().values().stream()
                            .filter(ConsumerMember::classic)
                            .allMatch(member -> names(member).contains(each.name())));
        }
        if (!fits) {
            throw new Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL, "no assignor that all classic members offer");
        }
    }

    private ConsumerMember member(ConsumerGroup group, Said said, List<GroupRecord> records) throws Refusal {
        String memberId = said.memberId;
        String instanceId = said.join.request().groupInstanceId();
        ConsumerMember holder = group.staticMember(instanceId);
        if (instanceId != null && !said.isNew) {
            return ConsumerGroups.checkedStaticMember(group, instanceId, memberId);
        }
        if (holder != null) {
            return heartbeats.replace(group, holder, memberId, records);
        }
        ConsumerMember known = group.member(memberId);
        return known == null ? ConsumerMember.unknown(memberId) : known;
    }

    private static MemberMetadataValue told(
            ConsumerMember before,
            JoinGroupRequestData request,
            ClientInfo client,
            ConsumerProtocolSubscription subscription,
            List<ClassicProtocol> protocols) {
        MemberMetadataValue known = before.metadata();
        String rack = OnlineMigration.emptyToNull(subscription.rackId());
        return new MemberMetadataValue(
                request.groupInstanceId() == null ? known.instanceId() : request.groupInstanceId(),
                rack == null ? known.rackId() : rack,
                client.clientId(),
                client.clientHost(),
                List.copyOf(new TreeSet<>(subscription.topics())),
                "",
                request.rebalanceTimeoutMs() == -1 ? known.rebalanceTimeoutMs() : request.rebalanceTimeoutMs(),
                known.serverAssignor(),
                offers(request.sessionTimeoutMs(), protocols));
    }

    Result<GroupRecord, Void> sync(
            ConsumerGroup group, SyncGroupRequestData request, Callback<SyncGroupResponseData> done) {
        try {
            ConsumerMember member =
                    classicMember(group, request.memberId(), request.groupInstanceId(), request.generationId());
            boolean agrees = (request.protocolType() == null
                            || request.protocolType().equals(EmbeddedProtocol.TYPE))
                    && (request.protocolName() == null
                            || request.protocolName().equals(names(member).get(0)));
            if (!agrees) {
                throw new Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL, "another protocol than that of the join");
            }
            if (group.assignmentEpoch() > member.epoch() && member.state() != MemberState.UNREVOKED_PARTITIONS) {
                expectJoin(group, member);
                throw new Refusal(Errors.REBALANCE_IN_PROGRESS, "there is a newer assignment");
            }
            SyncGroupResponseData response = new SyncGroupResponseData()
                    .setProtocolType(request.protocolType())
                    .setProtocolName(request.protocolName())
                    .setAssignment(EmbeddedProtocol.assignment(
                            member.assigned().toSet(),
                            metadata(member, names(member).get(0)),
                            context.image()));
            timers.cancel(ConsumerTimers.Kind.SYNC, group.id(), member.id());
            removals.startSession(group.id(), member);
            return answer(done, response);
        } catch (Refusal refusal) {
            return answer(done, SyncPhase.error(refusal.error()));
        }
    }

    Result<GroupRecord, HeartbeatResponseData> heartbeat(ConsumerGroup group, HeartbeatRequestData request) {
        Errors error = Errors.NONE;
        try {
            ConsumerMember member =
                    classicMember(group, request.memberId(), request.groupInstanceId(), request.generationId());
            removals.startSession(group.id(), member);
            if (member.epoch() < group.assignmentEpoch()
                    || nobodyElseAssigns(group)
                    || member.state() == MemberState.UNREVOKED_PARTITIONS
                    || (member.state() == MemberState.UNRELEASED_PARTITIONS && mayGetMore(group, member))) {
                error = Errors.REBALANCE_IN_PROGRESS;
                expectJoin(group, member);
            }
        } catch (Refusal refusal) {
            error = refusal.error();
        }
        return Result.answer(new HeartbeatResponseData().setErrorCode(error.code()));
    }

    /**
     * Whether there is something to assign and only a JoinGroup can bring it about, as no member speaks the consumer protocol (the policy keeps the group what it
     * is). Kafka leaves such a group as it is (rule L5).
     */
    private boolean nobodyElseAssigns(ConsumerGroup group) {
        boolean assignable = group.epoch() > group.assignmentEpoch()
                && !group.isUnstorable(group.epoch(), context.clock().wallMillis());
        return group.classicMembers() == group.members().size() && (group.topicsChanged() || assignable);
    }

    /** Whether all that it waits for was released. */
    private static boolean mayGetMore(ConsumerGroup group, ConsumerMember member) {
        return group.target(member.id())
                .where((topic, partition) ->
                        !member.assigned().contains(topic, partition) && group.owner(topic, partition) != null)
                .isEmpty();
    }

    private void expectJoin(ConsumerGroup group, ConsumerMember member) {
        if (!timers.isSet(ConsumerTimers.Kind.JOIN, group.id(), member.id())) {
            removals.start(
                    ConsumerTimers.Kind.JOIN,
                    group.id(),
                    member.id(),
                    member.metadata().rebalanceTimeoutMs());
        }
    }

    private static ConsumerMember classicMember(ConsumerGroup group, String memberId, String instanceId, int generation)
            throws Refusal {
        ConsumerMember member = instanceId == null
                ? group.member(memberId)
                : ConsumerGroups.checkedStaticMember(group, instanceId, memberId);
        if (member == null || !member.classic()) {
            throw ConsumerGroups.unknownMember(group.id(), memberId);
        }
        if (member.epoch() != generation) {
            throw new Refusal(Errors.ILLEGAL_GENERATION, "the member is at " + member.epoch());
        }
        return member;
    }

    Result<GroupRecord, LeaveGroupResponseData> leave(ConsumerGroup group, LeaveGroupRequestData request) {
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        List<ConsumerMember> leaving = new ArrayList<>();
        for (MemberIdentity each : request.members()) {
            Errors error = Errors.NONE;
            try {
                ConsumerMember member = leaving(group, each);
                if (!leaving.contains(member)) {
                    leaving.add(member);
                }
            } catch (Refusal refusal) {
                error = refusal.error();
            }
            response.members()
                    .add(new MemberResponse()
                            .setMemberId(each.memberId())
                            .setGroupInstanceId(each.groupInstanceId())
                            .setErrorCode(error.code()));
        }
        return removals.remove(group, leaving, response);
    }

    /** Also members of the consumer protocol: operators remove them this way. */
    private static ConsumerMember leaving(ConsumerGroup group, MemberIdentity identity) throws Refusal {
        ConsumerMember member = identity.groupInstanceId() == null
                ? group.member(identity.memberId())
                : group.staticMember(identity.groupInstanceId());
        if (member == null) {
            throw ConsumerGroups.unknownMember(group.id(), identity.memberId());
        }
        return identity.groupInstanceId() == null || identity.memberId().isEmpty()
                ? member
                : ConsumerGroups.checkedStaticMember(group, identity.groupInstanceId(), identity.memberId());
    }
}
