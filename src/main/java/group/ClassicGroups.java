package group;

import common.Callback;
import common.Failure;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import coordinator.StateMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/**
 * The classic group protocol: members join, one of them assigns, all sync, then heartbeats (rules G2 to G4, G9). Records keep what was told to members; a
 * rebalance under way dies with the shard, and all join again. Confined to the shard.
 */
public final class ClassicGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ClassicGroups.class);

    private final StateMemory memory;
    private final Groups groups;
    private final ClassicSessions sessions;
    private final SyncPhase syncPhase;
    private final JoinPhase joinPhase;
    private final JoinRequests joins;
    private final ClassicRegistry registry;
    private ClassicMembers consumerMembers;

    ClassicGroups(ShardContext<GroupRecord> context, GroupConfig config, Groups groups) {
        GroupConfig.Classic classic = config.classic();
        this.memory = context.memory();
        this.groups = groups;
        this.sessions = new ClassicSessions(context.timers());
        this.syncPhase = new SyncPhase(context, groups, sessions);
        this.joinPhase = new JoinPhase(context, groups, classic.initialRebalanceDelayMillis(), sessions, syncPhase);
        this.joins = new JoinRequests(context, groups, classic, sessions, joinPhase);
        this.registry = new ClassicRegistry(context, groups, sessions, joinPhase, classic.maxSize());
    }

    /**
     * The group of that id, of any protocol; made as an empty one without protocol type when there is none. So begins the group of a consumer that assigns
     * itself: with its first commit, also when that is replayed.
     */
    Group orSimple(String id) {
        Group group = groups.get(id);
        if (group == null) {
            group = new SimpleGroup(id);
            groups.put(group);
        }
        return group;
    }

    /** Who serves members of groups of the consumer protocol that speak this one. */
    void serveConsumerGroups(ClassicMembers members) {
        consumerMembers = members;
    }

    /** The group has become one of the consumer protocol: who waits in it joins again. */
    void handOver(ClassicGroup group) {
        joinPhase.stop(group);
        registry.askToJoinAgain(group);
    }

    /** The group was to become one of the consumer protocol, and that is not in the log. Once it is not in the shard, nobody else answers who waits in it. */
    void notHandedOver(ClassicGroup group, Failure why) {
        if (groups.get(group.id()) != group) {
            ClassicRegistry.failParked(group, why);
        }
    }

    /** The group was one of the consumer protocol until just now: its members shall join again. */
    Result<GroupRecord, Void> becameClassic(String groupId) {
        if (!(groups.get(groupId) instanceof ClassicGroup group) || !group.in(ClassicState.STABLE)) {
            return Result.nothing();
        }
        registry.start(group);
        return Result.nothing();
    }

    /** {@code done} may be answered much later. */
    Result<GroupRecord, Void> join(ClassicJoin join, Callback<JoinGroupResponseData> done) {
        JoinGroupRequestData request = join.request();
        Group known = groups.get(request.groupId());
        if (join.first() != null) {
            return consumerMembers.goOn(known, join, done);
        }
        if (known instanceof ConsumerGroup group && !group.isEmpty()) {
            return consumerMembers.join(group, join, done);
        }
        boolean unknown = known == null && !request.memberId().isEmpty();
        boolean foreign = known != null && known.type() != GroupType.CLASSIC;
        if (unknown || (foreign && !(known.isEmpty() && request.memberId().isEmpty()))) {
            Turn turn = new Turn(null);
            turn.answer(done, JoinPhase.error(request.memberId(), Errors.UNKNOWN_MEMBER_ID));
            return turn.result();
        }
        if (known == null && !memory.takesNew()) {
            Turn turn = new Turn(null);
            turn.answer(done, JoinPhase.error(request.memberId(), Errors.COORDINATOR_NOT_AVAILABLE));
            return turn.result();
        }
        ClassicGroup group = known instanceof ClassicGroup classic ? classic : registry.create(request.groupId());
        Turn turn = new Turn(group);
        joins.join(group, request, join.client(), done, turn);
        if (group != known && group.isPristine()) {
            putBack(request.groupId(), known);
        } else if (foreign) {
            takeOver(known, group, turn);
        }
        return turn.result();
    }

    /** A group of another protocol that nobody is in any more becomes a classic one; its offsets stay. */
    private static void takeOver(Group empty, ClassicGroup by, Turn turn) {
        by.replaces(empty);
        List<GroupRecord> tombstones = new ArrayList<>();
        empty.tombstones(tombstones);
        tombstones.forEach(turn::record);
    }

    /** Nothing came of the group that was made for a request. */
    private void putBack(String groupId, Group known) {
        if (known == null) {
            groups.remove(groupId);
        } else {
            groups.put(known);
        }
    }

    /** {@code done} may be answered much later. */
    public Result<GroupRecord, Void> sync(SyncGroupRequestData request, Callback<SyncGroupResponseData> done) {
        if (groups.get(request.groupId()) instanceof ConsumerGroup group) {
            return consumerMembers.sync(group, request, done);
        }
        ClassicGroup group = groups.get(request.groupId()) instanceof ClassicGroup classic ? classic : null;
        Turn turn = new Turn(group);
        Errors error = group == null || group.isEmpty() ? Errors.UNKNOWN_MEMBER_ID : check(group, request);
        if (error == Errors.NONE && group.in(ClassicState.PREPARING_REBALANCE)) {
            error = Errors.REBALANCE_IN_PROGRESS;
        }
        if (error == Errors.NONE && group.in(ClassicState.COMPLETING_REBALANCE) && !hasRoom(request)) {
            error = Errors.COORDINATOR_NOT_AVAILABLE;
        }
        if (error != Errors.NONE) {
            turn.answer(done, SyncPhase.error(error));
            return turn.result();
        }
        ClassicMember member = group.member(request.memberId());
        syncPhase.synced(group, member);
        if (group.in(ClassicState.STABLE)) {
            turn.answer(done, SyncPhase.assignment(group, member));
            return turn.result();
        }
        syncPhase.wait(member, done, turn);
        if (group.roster().isLeader(member) && group.assigning() == null) {
            assign(group, request, turn);
        }
        return turn.result();
    }

    private static Errors check(ClassicGroup group, SyncGroupRequestData request) {
        Errors error = group.checkMember(request.memberId(), request.groupInstanceId(), request.generationId());
        if (error != Errors.NONE) {
            return error;
        }
        boolean consistent = agrees(request.protocolType(), group.protocolType())
                && agrees(request.protocolName(), group.protocol());
        return consistent ? Errors.NONE : Errors.INCONSISTENT_GROUP_PROTOCOL;
    }

    /** Old clients do not say. */
    private static boolean agrees(String said, String actual) {
        return said == null || said.equals(actual);
    }

    /** Only the leader assigns: others say nothing here. */
    private boolean hasRoom(SyncGroupRequestData request) {
        long bytes = 0;
        for (SyncGroupRequestAssignment each : request.assignments()) {
            bytes += each.assignment().length;
        }
        return memory.takesGrowth(bytes);
    }

    private void assign(ClassicGroup group, SyncGroupRequestData request, Turn turn) {
        Map<String, byte[]> given = new LinkedHashMap<>();
        request.assignments().forEach(each -> given.put(each.memberId(), each.assignment()));
        Function<ClassicMember, byte[]> assignments =
                member -> given.getOrDefault(member.id(), ClassicMember.nothing());
        if (!syncPhase.assign(group, assignments, turn)) {
            dismissLeader(group, turn);
        }
    }

    /** Its assignment cannot be stored: the others go on without it, and another one assigns. */
    private void dismissLeader(ClassicGroup group, Turn turn) {
        ClassicMember leader = group.member(group.leader());
        LOG.warn(
                "group {}: what its leader {} assigns to {} members does not fit a record of __consumer_offsets; the leader is dismissed."
                        + " Use fewer members or topics, or a higher max.message.bytes of that topic.",
                group.id(),
                leader.id(),
                group.members().size());
        turn.answer(leader.parkSync(null), SyncPhase.error(Errors.UNKNOWN_SERVER_ERROR));
        joinPhase.drop(group, leader, turn);
        joinPhase.prepare(group, "the assignment of leader " + leader.id() + " was too large", turn);
    }

    public Result<GroupRecord, HeartbeatResponseData> heartbeat(HeartbeatRequestData request) {
        if (groups.get(request.groupId()) instanceof ConsumerGroup group) {
            return consumerMembers.heartbeat(group, request);
        }
        return Result.answer(
                new HeartbeatResponseData().setErrorCode(beat(request).code()));
    }

    private Errors beat(HeartbeatRequestData request) {
        if (!(groups.get(request.groupId()) instanceof ClassicGroup group)) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        Errors error = group.checkMember(request.memberId(), request.groupInstanceId(), request.generationId());
        if (error != Errors.NONE) {
            return error;
        }
        sessions.restart(group.member(request.memberId()));
        return group.in(ClassicState.PREPARING_REBALANCE) ? Errors.REBALANCE_IN_PROGRESS : Errors.NONE;
    }

    /** Several members may leave at once; each has its own error. */
    public Result<GroupRecord, LeaveGroupResponseData> leave(LeaveGroupRequestData request) {
        if (groups.get(request.groupId()) instanceof ConsumerGroup group) {
            return consumerMembers.leave(group, request);
        }
        ClassicGroup group = groups.get(request.groupId()) instanceof ClassicGroup classic ? classic : null;
        Turn turn = new Turn(group);
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        int before = group == null ? 0 : group.members().size();
        for (MemberIdentity each : request.members()) {
            Errors error = group == null ? Errors.UNKNOWN_MEMBER_ID : leave(group, each, turn);
            response.members()
                    .add(new MemberResponse()
                            .setMemberId(each.memberId())
                            .setGroupInstanceId(each.groupInstanceId())
                            .setErrorCode(error.code()));
        }
        int left = group == null ? 0 : before - group.members().size();
        if (left > 0) {
            joinPhase.rebalance(group, left + " members left", turn);
        } else if (group != null) {
            joinPhase.completeIfAllJoined(group, turn);
        }
        return turn.result(response);
    }

    private Errors leave(ClassicGroup group, MemberIdentity leaving, Turn turn) {
        String id = leaving.memberId();
        if (id.isEmpty()) {
            // An operator removes a static member by its name.
            id = leaving.groupInstanceId() == null ? null : group.roster().memberOf(leaving.groupInstanceId());
            if (id == null) {
                return Errors.UNKNOWN_MEMBER_ID;
            }
        } else if (group.pending().remove(id)) {
            sessions.end(group.id(), id);
            return Errors.NONE;
        } else {
            Errors error = group.roster().check(id, leaving.groupInstanceId());
            if (error != Errors.NONE) {
                return error;
            }
        }
        String reason = leaving.reason();
        LOG.info(
                "member {} leaves group {}{}",
                id,
                group.id(),
                reason == null || reason.isEmpty() ? "" : "; the client says: " + reason);
        joinPhase.drop(group, group.member(id), turn);
        return Errors.NONE;
    }

    void replay(GroupMetadataRecord record) {
        registry.replay(record);
    }

    void loaded() {
        registry.loaded();
    }

    /** Parked requests fail. */
    void unloaded(Failure why) {
        registry.unloaded(why);
    }
}
