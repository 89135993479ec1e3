package group;

import common.Callback;
import common.Metrics;
import coordinator.Result;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/**
 * From the join phase's end to what each member is given: members wait in SyncGroup until the leader's assignment is committed (rule G4). Confined to the
 * shard.
 */
final class SyncPhase {
    private record SyncTimer(String group) {}

    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final ClassicSessions sessions;
    private final Metrics.Counter completed;

    SyncPhase(ShardContext<GroupRecord> context, Groups groups, ClassicSessions sessions) {
        this.context = context;
        this.groups = groups;
        this.sessions = sessions;
        this.completed = context.metrics()
                .counter(
                        "kafka_server_group_coordinator_metrics_group_completed_rebalance_count_total",
                        "Rebalances of classic groups that ended with an assignment");
    }

    /** All members owe a SyncGroup. {@code expired} runs when some have not paid within the rebalance timeout. */
    void begin(ClassicGroup group, Supplier<Result<GroupRecord, Void>> expired) {
        group.members().forEach(each -> group.unsynced().add(each.id()));
        context.timers().set(new SyncTimer(group.id()), group.roster().rebalanceTimeoutMillis(), expired);
    }

    void synced(ClassicGroup group, ClassicMember member) {
        group.unsynced().remove(member.id());
        if (group.unsynced().isEmpty()) {
            context.timers().cancel(new SyncTimer(group.id()));
        }
    }

    /** A SyncGroup waits for the leader's assignment. Of two of one member the newer counts. */
    void wait(ClassicMember member, Callback<SyncGroupResponseData> done, Turn turn) {
        turn.answer(member.parkSync(done), error(Errors.REBALANCE_IN_PROGRESS));
    }

    /** No timer of this phase runs any more. */
    void stop(ClassicGroup group) {
        context.timers().cancel(new SyncTimer(group.id()));
    }

    /** The group rebalances once more: nobody is given anything in this generation. */
    void abandon(ClassicGroup group, Turn turn) {
        group.unsynced().clear();
        stop(group);
        group.assigning(null);
        for (ClassicMember each : group.members()) {
            if (group.in(ClassicState.COMPLETING_REBALANCE)) {
                each.assign(ClassicMember.nothing());
            }
            answer(each, error(Errors.REBALANCE_IN_PROGRESS), turn);
        }
    }

    private void answer(ClassicMember member, SyncGroupResponseData response, Turn turn) {
        Callback<SyncGroupResponseData> parked = member.parkSync(null);
        if (parked != null) {
            turn.answer(parked, response);
            // A session that ended while its member waited was not held against it, and no timer runs any more.
            sessions.restart(member);
        }
    }

    /**
     * Stores what the leader assigned; hands it out once it is committed. What the leader says while it is being written changes nothing.
     *
     * @return false when no record can hold it; nothing has happened then
     */
    boolean assign(ClassicGroup group, Function<ClassicMember, byte[]> assignments, Turn turn) {
        GroupMetadataRecord record = GroupMetadataRecords.of(group, assignments);
        if (!isSmall(group, record.value()) && !context.fits(List.of(record))) {
            return false;
        }
        Object round = new Object();
        group.assigning(round);
        turn.record(record);
        if (context.mutations().active("classic.sync-before-commit")) {
            handOut(group, assignments);
            return true;
        }
        turn.afterCommit((none, failure) -> {
            // A group that has become one of the consumer protocol meanwhile knows nothing of this assignment.
            boolean current = groups.get(group.id()) == group && group.assigning() == round;
            if (failure == null && current) {
                handOut(group, assignments);
            }
        });
        return true;
    }

    /** Whether it fits for sure: mostly, and then it is not encoded to find out. */
    private boolean isSmall(ClassicGroup group, GroupMetadataRecord.Value value) {
        String names = group.id() + group.id() + group.protocolType() + group.protocol() + group.leader();
        long bytes = group.roster().recordBytes() + 3L * names.length();
        for (GroupMetadataRecord.Member each : value.members()) {
            bytes += each.assignment().length;
        }
        return bytes <= context.maxRecordBytes() / 2;
    }

    private void handOut(ClassicGroup group, Function<ClassicMember, byte[]> assignments) {
        group.assigning(null);
        group.goTo(ClassicState.STABLE);
        completed.add(1);
        List<Runnable> answers = new ArrayList<>();
        for (ClassicMember each : group.members()) {
            each.assign(assignments.apply(each));
            Callback<SyncGroupResponseData> parked = each.parkSync(null);
            if (parked != null) {
                sessions.restart(each);
                SyncGroupResponseData response = assignment(group, each);
                answers.add(() -> parked.succeed(response));
            }
        }
        answers.forEach(Runnable::run);
    }

    static SyncGroupResponseData assignment(ClassicGroup group, ClassicMember member) {
        return new SyncGroupResponseData()
                .setProtocolType(group.protocolType())
                .setProtocolName(group.protocol())
                .setAssignment(member.assignment());
    }

    static SyncGroupResponseData error(Errors error) {
        return new SyncGroupResponseData().setErrorCode(error.code());
    }
}
