package group;

import common.Callback;
import config.GroupConfig;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.GroupRecord;

/** JoinGroup: who may join a classic group, and what it changes (rule G3). Confined to the shard. */
final class JoinRequests {
    private static final Logger LOG = LoggerFactory.getLogger(JoinRequests.class);
    /** How long the first JoinGroup of a member may wait: it cannot heartbeat yet, and its client may be gone. */
    static final int FRESH_MEMBER_MILLIS = 5 * 60 * 1000;

    private static final short FIRST_WITH_KNOWN_MEMBER_ID = 4;
    /** Of one assignor: with it a member still fits into a record of the group. */
    private static final int MAX_METADATA_BYTES = 900_000;
    /** So many assignors of that size a member may offer. */
    private static final int MAX_PROTOCOLS = 4;

    private static final short FIRST_WITH_SKIPPED_ASSIGNMENT = 9;
    /** Of a group's record beside its members: its names, and the id that a new member gets. */
    private static final int GROUP_BYTES = 2_000;

    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final int maxSize;
    private final ClassicSessions sessions;
    private final JoinPhase joinPhase;

    /** One JoinGroup under way. */
    private record Join(
            ClassicGroup group,
            JoinGroupRequestData request,
            List<ClassicProtocol> protocols,
            ClientInfo client,
            Callback<JoinGroupResponseData> done,
            Turn turn) {

        void refuse(String memberId, Errors error) {
            turn.answer(done, JoinPhase.error(memberId, error));
        }

        ClassicMember.Identity identity(String id) {
            return new ClassicMember.Identity(id, request.groupInstanceId(), client.clientId(), client.clientHost());
        }

        ClassicMember member(String id) {
            return new ClassicMember(identity(id), request.rebalanceTimeoutMs(), request.sessionTimeoutMs(), protocols);
        }

        String because(String what) {
            String reason = request.reason();
            return reason == null || reason.isEmpty() ? what : what + "; the client says: " + reason;
        }
    }

    JoinRequests(
            ShardContext<GroupRecord> context,
            Groups groups,
            GroupConfig.Classic config,
            ClassicSessions sessions,
            JoinPhase joinPhase) {
        this.context = context;
        this.groups = groups;
        this.maxSize = config.maxSize();
        this.sessions = sessions;
        this.joinPhase = joinPhase;
    }

    void join(
            ClassicGroup group,
            JoinGroupRequestData request,
            ClientInfo client,
            Callback<JoinGroupResponseData> done,
            Turn turn) {
        List<ClassicProtocol> protocols = new ArrayList<>(request.protocols().size());
        request.protocols().forEach(each -> protocols.add(new ClassicProtocol(each.name(), each.metadata())));
        Join join = new Join(group, request, protocols, client, done, turn);
        String memberId = request.memberId();
        if (isTooLargeToKeep(protocols)) {
            join.refuse(memberId, Errors.INVALID_REQUEST);
        } else if (!hasRoomFor(group, memberId) || !fitsRecord(join)) {
            turnAway(join);
        } else if (!hasMemoryFor(join)) {
            join.refuse(memberId, Errors.COORDINATOR_NOT_AVAILABLE);
        } else if (!group.supports(request.protocolType(), protocols)) {
            join.refuse(memberId, Errors.INCONSISTENT_GROUP_PROTOCOL);
        } else if (memberId.isEmpty()) {
            newMember(join);
        } else if (group.pending().contains(memberId)) {
            pendingMember(join);
        } else {
            knownMember(join);
        }
    }

    /**
     * What a batch of __consumer_offsets cannot hold would be kept in memory until the rebalance ends, and fail it for every member. Apache Kafka takes it, and fails
     * the group's SyncGroup.
     */
    private static boolean isTooLargeToKeep(List<ClassicProtocol> protocols) {
        long bytes = 0;
        for (ClassicProtocol each : protocols) {
            bytes += each.metadata().length;
            if (each.metadata().length > MAX_METADATA_BYTES) {
                return true;
            }
        }
        return bytes > MAX_PROTOCOLS * (long) MAX_METADATA_BYTES;
    }

    /** While members join again, those that were first stay: so a group that is too large shrinks. */
    private boolean hasRoomFor(ClassicGroup group, String memberId) {
        ClassicMember known = group.member(memberId);
        if (group.isEmpty()) {
            return true;
        }
        if (group.in(ClassicState.PREPARING_REBALANCE)) {
            return (known != null && known.awaitsJoin()) || group.roster().joined() < maxSize;
        }
        return known != null || group.members().size() < maxSize;
    }

    /** What no record can hold: the group would never have another generation. Apache Kafka takes it, and fails the SyncGroup of all its members. */
    private boolean fitsRecord(Join join) {
        ClassicRoster roster = join.group().roster();
        ClassicMember known = roster.get(join.request().memberId());
        long others = roster.recordBytes() - (known == null ? 0 : known.recordBytes());
        long most = context.maxRecordBytes() - GROUP_BYTES;
        if (others + ClassicMember.recordBytes(join.identity(""), join.protocols()) <= most) {
            return true;
        }
        if (join.group().firstTooLarge()) {
            LOG.warn(
                    "group {}: a member of client {} is turned away, as its metadata and those of {} members would take more than the {} bytes of a record of"
                            + " __consumer_offsets. Use fewer members, shorter subscriptions, or a higher max.message.bytes of that topic.",
                    join.group().id(),
                    join.client().clientId(),
                    roster.size(),
                    most);
        }
        return false;
    }

    private boolean hasMemoryFor(Join join) {
        String instance = join.request().groupInstanceId();
        ClassicRoster roster = join.group().roster();
        ClassicMember known = roster.get(instance == null ? join.request().memberId() : roster.memberOf(instance));
        ClassicMember.Identity identity =
                known == null ? join.identity(join.request().memberId()) : known.identity();
        long growth = Footprint.of(identity, join.protocols()) - (known == null ? 0 : known.bytes());
        return context.memory().takesGrowth(growth);
    }

    private void turnAway(Join join) {
        ClassicGroup group = join.group();
        String memberId = join.request().memberId();
        join.refuse("", Errors.GROUP_MAX_SIZE_REACHED);
        ClassicMember known = group.member(memberId);
        if (known != null) {
            joinPhase.drop(group, known, join.turn());
            joinPhase.completeIfAllJoined(group, join.turn());
        } else if (group.pending().remove(memberId)) {
            sessions.end(group.id(), memberId);
            joinPhase.completeIfAllJoined(group, join.turn());
        }
    }

    private void newMember(Join join) {
        ClassicGroup group = join.group();
        String instance = join.request().groupInstanceId();
        String id = newMemberId(instance == null ? join.client().clientId() : instance);
        ClassicMember replaced =
                instance == null ? null : group.member(group.roster().memberOf(instance));
        if (replaced != null) {
            replace(join, replaced, id);
        } else if (instance == null && join.client().apiVersion() >= FIRST_WITH_KNOWN_MEMBER_ID) {
            handOutId(join, id);
        } else {
            add(join, id);
        }
    }

    private String newMemberId(String prefix) {
        long most = (context.random().nextLong() & ~0xF000L) | 0x4000L;
        long least = (context.random().nextLong() & ~(3L << 62)) | (1L << 63);
        return prefix + "-" + new UUID(most, least);
    }

    /** Only who comes back with the id joins: clients that ask and vanish hold nobody up. */
    private void handOutId(Join join, String id) {
        ClassicGroup group = join.group();
        String givenUp = group.pending().add(id);
        if (givenUp != null) {
            sessions.end(group.id(), givenUp);
        }
        sessions.startPending(group.id(), id, join.request().sessionTimeoutMs(), () -> pendingOverdue(group, id));
        join.refuse(id, Errors.MEMBER_ID_REQUIRED);
    }

    private Result<GroupRecord, Void> pendingOverdue(ClassicGroup group, String id) {
        Turn turn = new Turn(group);
        if (groups.get(group.id()) == group && group.pending().remove(id)) {
            joinPhase.completeEarly(group, turn);
        }
        return turn.result();
    }

    private void pendingMember(Join join) {
        if (join.request().groupInstanceId() != null) {
            // Static members are never pending: no client does that, and Kafka fails on it.
            join.refuse(join.request().memberId(), Errors.UNKNOWN_SERVER_ERROR);
            return;
        }
        add(join, join.request().memberId());
    }

    private void add(Join join, String id) {
        JoinGroupRequestData request = join.request();
        ClassicGroup group = join.group();
        ClassicMember member = join.member(id);
        member.fresh(true);
        joinPhase.watch(group, member);
        group.add(member, request.protocolType());
        joinPhase.park(group, member, join.done(), join.turn());
        sessions.start(member, FRESH_MEMBER_MILLIS);
        joinPhase.rebalance(group, join.because("new member " + id), join.turn());
    }

    private void knownMember(Join join) {
        JoinGroupRequestData request = join.request();
        ClassicGroup group = join.group();
        String id = request.memberId();
        Errors error = group.roster().check(id, request.groupInstanceId());
        if (error != Errors.NONE) {
            join.turn().answer(join.done(), JoinPhase.error(id, error));
            return;
        }
        ClassicMember member = group.member(id);
        boolean same = member.protocols().equals(join.protocols());
        // The leader of a stable group rebalances to assign anew, e.g. because topics changed. Who asks once more while
        // others sync has lost the answer.
        boolean answerNow = same
                && (group.in(ClassicState.COMPLETING_REBALANCE)
                        || (group.in(ClassicState.STABLE) && !group.roster().isLeader(member)));
        if (answerNow) {
            join.turn().answer(join.done(), JoinPhase.answer(group, member));
            return;
        }
        group.roster().reoffer(member, request.rebalanceTimeoutMs(), request.sessionTimeoutMs(), join.protocols());
        joinPhase.park(group, member, join.done(), join.turn());
        String what = same ? "leader " : "other subscription of member ";
        joinPhase.rebalance(group, join.because(what + id + " joins again"), join.turn());
    }

    /** A static member that was restarted: it gets a new id, and what it had. */
    private void replace(Join join, ClassicMember old, String newId) {
        JoinGroupRequestData request = join.request();
        ClassicGroup group = join.group();
        Turn turn = join.turn();
        String formerLeader = group.leader();
        turn.answer(group.roster().park(old, null), JoinPhase.error(old.id(), Errors.FENCED_INSTANCE_ID));
        turn.answer(
                old.parkSync(null), SyncPhase.error(Errors.FENCED_INSTANCE_ID).setProtocolName(null));
        sessions.end(group.id(), old.id());
        ClassicMember member = new ClassicMember(
                old.identity().as(newId), request.rebalanceTimeoutMs(), request.sessionTimeoutMs(), join.protocols());
        joinPhase.watch(group, member);
        group.replace(old, member);
        sessions.restart(member);
        if (group.in(ClassicState.STABLE) && group.roster().electedProtocol().equals(group.protocol())) {
            // Rolling restarts of static members move nothing.
            turn.record(GroupMetadataRecords.of(group, ClassicMember::assignment));
            turn.answer(join.done(), asBefore(join, member, formerLeader));
            return;
        }
        joinPhase.park(group, member, join.done(), turn);
        joinPhase.rebalance(
                group, join.because("static member " + request.groupInstanceId() + " came back as " + newId), turn);
    }

    /** Before version 9 a leader could not be told to leave the assignment as it is: it is then told that somebody else leads. */
    private static JoinGroupResponseData asBefore(Join join, ClassicMember member, String formerLeader) {
        JoinGroupResponseData answer = JoinPhase.answer(join.group(), member);
        if (join.client().apiVersion() >= FIRST_WITH_SKIPPED_ASSIGNMENT) {
            return answer.setSkipAssignment(join.group().roster().isLeader(member));
        }
        return answer.setMembers(List.of()).setLeader(formerLeader);
    }
}
