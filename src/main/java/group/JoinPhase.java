package group;

import common.Callback;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.GroupRecord;

/**
 * Rebalances: all members are asked to join again, and when they have, or their time is over, the next generation begins. Its number is stored before anybody
 * learns it, so that no number is used twice (rule G3; Kafka stores it with the assignment only, and uses it again after a crash in between). Confined to the
 * shard.
 */
final class JoinPhase {
    private static final Logger LOG = LoggerFactory.getLogger(JoinPhase.class);

    private record JoinTimer(String group) {}

    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final int initialDelayMillis;
    private final ClassicSessions sessions;
    private final SyncPhase sync;

    JoinPhase(
            ShardContext<GroupRecord> context,
            Groups groups,
            int initialDelayMillis,
            ClassicSessions sessions,
            SyncPhase sync) {
        this.context = context;
        this.groups = groups;
        this.initialDelayMillis = initialDelayMillis;
        this.sessions = sessions;
        this.sync = sync;
    }

    /** Begins a rebalance, or goes on with the one under way. */
    void rebalance(ClassicGroup group, String reason, Turn turn) {
        if (group.in(ClassicState.PREPARING_REBALANCE)) {
            completeIfAllJoined(group, turn);
        } else {
            prepare(group, reason, turn);
        }
    }

    /** Begins a rebalance; the group is in any other state. */
    void prepare(ClassicGroup group, String reason, Turn turn) {
        boolean initial = group.in(ClassicState.EMPTY);
        sync.abandon(group, turn);
        group.goTo(ClassicState.PREPARING_REBALANCE);
        LOG.info("group {} rebalances after generation {}: {}", group.id(), group.generation(), reason);
        if (initial) {
            group.takeGrew();
            waitForMore(
                    group,
                    initialDelayMillis,
                    Math.max(0, group.roster().rebalanceTimeoutMillis() - initialDelayMillis));
        } else if (group.allJoined()) {
            complete(group, turn);
        } else {
            setTimer(group, group.roster().rebalanceTimeoutMillis(), this::complete);
        }
    }

    /** Ends the join phase if nobody is missing; the first rebalance of a group waits for its delay instead. */
    void completeIfAllJoined(ClassicGroup group, Turn turn) {
        if (group.in(ClassicState.PREPARING_REBALANCE) && !group.isInitialRebalance()) {
            completeEarly(group, turn);
        }
    }

    /** As {@link #completeIfAllJoined}, also in the first rebalance: a member was lost. */
    void completeEarly(ClassicGroup group, Turn turn) {
        if (group.in(ClassicState.PREPARING_REBALANCE) && group.allJoined()) {
            complete(group, turn);
        }
    }

    /** The members come one by one when an application starts: waits until for a while none has come, or the rebalance timeout is over. */
    private void waitForMore(ClassicGroup group, int delayMillis, int leftMillis) {
        setTimer(group, delayMillis, (same, turn) -> {
            if (group.takeGrew() && leftMillis > 0) {
                waitForMore(group, Math.min(initialDelayMillis, leftMillis), Math.max(0, leftMillis - delayMillis));
            } else {
                complete(group, turn);
            }
        });
    }

    private interface Step {
        void run(ClassicGroup group, Turn turn);
    }

    private void setTimer(ClassicGroup group, int delayMillis, Step step) {
        Supplier<Result<GroupRecord, Void>> task = () -> {
            Turn turn = new Turn(group);
            if (groups.get(group.id()) == group && group.in(ClassicState.PREPARING_REBALANCE)) {
                step.run(group, turn);
            }
            return turn.result();
        };
        context.timers().set(new JoinTimer(group.id()), Math.max(0, delayMillis), task);
    }

    /** Leaves those behind who did not come, static members apart: they keep their place until their session ends. */
    private void complete(ClassicGroup group, Turn turn) {
        context.timers().cancel(new JoinTimer(group.id()));
        dropLate(group);
        if (!group.roster().electJoinedLeader() && !group.members().isEmpty()) {
            LOG.info("group {} has no member that joined: it goes on waiting for its static members", group.id());
            setTimer(group, group.roster().rebalanceTimeoutMillis(), this::complete);
            return;
        }
        group.nextGeneration();
        if (!context.mutations().active("classic.generation-not-stored")
                || group.members().isEmpty()) {
            turn.record(GroupMetadataRecords.of(group, member -> ClassicMember.nothing()));
        }
        if (group.members().isEmpty()) {
            LOG.info("group {} is empty in generation {}", group.id(), group.generation());
            return;
        }
        LOG.info(
                "group {} has {} members in generation {}",
                group.id(),
                group.members().size(),
                group.generation());
        for (ClassicMember each : group.members()) {
            turn.answer(group.roster().park(each, null), answer(group, each));
            sessions.restart(each);
            each.fresh(false);
        }
        sync.begin(group, () -> syncOverdue(group));
    }

    private void dropLate(ClassicGroup group) {
        List<ClassicMember> late = new ArrayList<>();
        for (ClassicMember each : group.members()) {
            if (!each.awaitsJoin() && !each.isStatic()) {
                late.add(each);
            }
        }
        for (ClassicMember each : late) {
            group.remove(each);
            sessions.end(group.id(), each.id());
        }
        if (!late.isEmpty()) {
            LOG.info("group {} goes on without {} members that did not join in time", group.id(), late.size());
        }
    }

    private Result<GroupRecord, Void> syncOverdue(ClassicGroup group) {
        Turn turn = new Turn(group);
        boolean current = groups.get(group.id()) == group
                && (group.in(ClassicState.COMPLETING_REBALANCE) || group.in(ClassicState.STABLE));
        if (!current || group.unsynced().isEmpty()) {
            return turn.result();
        }
        List<String> overdue = List.copyOf(group.unsynced());
        for (String id : overdue) {
            ClassicMember member = group.member(id);
            drop(group, member, turn);
        }
        prepare(group, overdue.size() + " members did not sync in time", turn);
        return turn.result();
    }

    /** Takes a member out; its parked requests are told that it is unknown, so that a live client joins anew. */
    void drop(ClassicGroup group, ClassicMember member, Turn turn) {
        turn.answer(group.roster().park(member, null), error("", Errors.UNKNOWN_MEMBER_ID));
        turn.answer(member.parkSync(null), SyncPhase.error(Errors.UNKNOWN_MEMBER_ID));
        group.remove(member);
        sessions.end(group.id(), member.id());
    }

    /** No timer of the group runs any more. */
    void stop(ClassicGroup group) {
        context.timers().cancel(new JoinTimer(group.id()));
        sync.stop(group);
        group.members().forEach(each -> sessions.end(group.id(), each.id()));
        group.pending().ids().forEach(id -> sessions.end(group.id(), id));
    }

    /** What the end of a member's session does; before its timer is first set. */
    void watch(ClassicGroup group, ClassicMember member) {
        member.session(ClassicSessions.key(group.id(), member.id()), () -> sessionOver(group, member));
    }

    private Result<GroupRecord, Void> sessionOver(ClassicGroup group, ClassicMember member) {
        Turn turn = new Turn(group);
        boolean current = groups.get(group.id()) == group && group.member(member.id()) == member;
        // A parked request is a sign of life, but for a member that has never been answered: its client may be gone.
        boolean waits = !member.isFresh() && (member.awaitsJoin() || member.awaitsSync());
        if (current && !waits) {
            drop(group, member, turn);
            if (group.in(ClassicState.PREPARING_REBALANCE)) {
                completeEarly(group, turn);
            } else {
                prepare(group, "the session of member " + member.id() + " ended", turn);
            }
        }
        return turn.result();
    }

    /** JoinGroup's answer in the present generation; the leader also gets what all members say. */
    static JoinGroupResponseData answer(ClassicGroup group, ClassicMember member) {
        return new JoinGroupResponseData()
                .setMembers(group.roster().isLeader(member) ? subscriptions(group) : List.of())
                .setMemberId(member.id())
                .setGenerationId(group.generation())
                .setProtocolName(group.protocol())
                .setProtocolType(group.protocolType())
                .setLeader(group.leader());
    }

    private static List<JoinGroupResponseMember> subscriptions(ClassicGroup group) {
        List<JoinGroupResponseMember> all = new ArrayList<>(group.members().size());
        for (ClassicMember each : group.members()) {
            all.add(new JoinGroupResponseMember()
                    .setMemberId(each.id())
                    .setGroupInstanceId(each.instanceId())
                    .setMetadata(each.metadata(group.protocol())));
        }
        return all;
    }

    static JoinGroupResponseData error(String memberId, Errors error) {
        return new JoinGroupResponseData()
                .setMemberId(memberId)
                .setErrorCode(error.code())
                .setProtocolName(null);
    }

    /** Parks a JoinGroup. Of two of one member the newer counts. */
    void park(ClassicGroup group, ClassicMember member, Callback<JoinGroupResponseData> done, Turn turn) {
        turn.answer(group.roster().park(member, done), error(member.id(), Errors.REBALANCE_IN_PROGRESS));
    }
}
