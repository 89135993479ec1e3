package group;

import common.Callback;
import common.Failure;
import coordinator.ShardContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import records.schemas.GroupMetadataRecord;
import records.schemas.GroupRecord;

/**
 * The classic groups of a shard and their records. While the shard is live its groups are ahead of what is replayed; a group whose records were refused goes
 * back to its newest record, as if the coordinator had moved. Confined to the shard.
 */
final class ClassicRegistry {
    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final ClassicSessions sessions;
    private final JoinPhase joinPhase;
    private final int maxSize;
    private boolean live;

    ClassicRegistry(
            ShardContext<GroupRecord> context,
            Groups groups,
            ClassicSessions sessions,
            JoinPhase joinPhase,
            int maxSize) {
        this.context = context;
        this.groups = groups;
        this.sessions = sessions;
        this.joinPhase = joinPhase;
        this.maxSize = maxSize;
    }

    /** Replaces a group of that id. */
    ClassicGroup create(String groupId) {
        ClassicGroup group = new ClassicGroup(
                groupId, new ClassicGroup.Surroundings(context.clock(), groups, sessions, this::goBack));
        groups.put(group);
        return group;
    }

    void replay(GroupMetadataRecord record) {
        Group known = groups.get(record.group());
        if (record.tombstone()) {
            if (known != null && known.type() == GroupType.CLASSIC) {
                groups.remove(record.group());
            }
        } else if (live && known instanceof ClassicGroup group) {
            group.stored(record);
        } else {
            restore(record);
        }
    }

    private ClassicGroup restore(GroupMetadataRecord record) {
        ClassicGroup group = create(record.group());
        List<ClassicMember> members = GroupMetadataRecords.members(record.value());
        members.forEach(member -> joinPhase.watch(group, member));
        group.restore(record, members);
        return group;
    }

    void loaded() {
        live = true;
        for (Group each : List.copyOf(groups.all())) {
            if (each instanceof ClassicGroup group) {
                start(group);
            }
        }
    }

    /** For a group that was made from its record while the shard is live, or just before: sessions begin, in full (rule G9). */
    void start(ClassicGroup group) {
        if (group.isEmpty()) {
            return;
        }
        group.members().forEach(sessions::restart);
        String why = needsRebalance(group);
        if (why != null) {
            // Nobody has joined yet, so this only asks all to: it records nothing.
            joinPhase.prepare(group, why, new Turn(group));
        }
    }

    /** null when what was loaded can stay. */
    private String needsRebalance(ClassicGroup group) {
        if (group.members().size() > maxSize) {
            return "it was loaded with more members than group.max.size";
        }
        if (group.stateSinceMillis() == GroupMetadataRecords.TO_BE_REBALANCED) {
            return "it was a group of the consumer protocol, and its members have not joined again";
        }
        boolean assigned = group.members().stream().anyMatch(member -> member.assignment().length > 0);
        return assigned ? null : "the coordinator stopped before members were given anything (rule G4)";
    }

    /** Nobody was told what its log does not say (rule G2). */
    private void goBack(ClassicGroup group, Failure why) {
        if (groups.get(group.id()) != group) {
            return;
        }
        joinPhase.stop(group);
        group.assigning(null);
        if (group.replaces() != null) {
            groups.put(group.replaces());
        } else if (group.stored() == null) {
            create(group.id());
        } else {
            start(restore(group.stored()));
        }
        failParked(group, why);
    }

    /** Answers what is parked in a group that is no longer one of these. */
    void askToJoinAgain(ClassicGroup group) {
        for (ClassicMember each : group.members()) {
            Callback<JoinGroupResponseData> join = group.roster().park(each, null);
            if (join != null) {
                join.succeed(JoinPhase.error(each.id(), Errors.REBALANCE_IN_PROGRESS));
            }
            Callback<SyncGroupResponseData> sync = each.parkSync(null);
            if (sync != null) {
                sync.succeed(SyncPhase.error(Errors.REBALANCE_IN_PROGRESS));
            }
        }
    }

    void unloaded(Failure why) {
        for (Group each : List.copyOf(groups.all())) {
            if (each instanceof ClassicGroup group) {
                failParked(group, why);
            }
        }
    }

    /** Answers all that is parked in the group. */
    static void failParked(ClassicGroup group, Failure why) {
        List<Callback<?>> parked = new ArrayList<>();
        for (ClassicMember each : group.members()) {
            parked.add(group.roster().park(each, null));
            parked.add(each.parkSync(null));
        }
        for (Callback<?> each : parked) {
            if (each != null) {
                each.fail(why);
            }
        }
    }
}
