package group;

import config.GroupConfig;
import group.assign.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.schemas.GroupRecord;

/**
 * Computes what each member of a KIP-848 group shall have. A member's part is one record: where that would be too large for one, there is no assignment, and the group keeps
 * the one that it has. Functions of their arguments, but for that limit.
 */
final class TargetAssignment {
    private static final Logger LOG = LoggerFactory.getLogger(TargetAssignment.class);

    private final List<String> assignors;
    private final LongSupplier maxRecordBytes;

    /** @param maxRecordBytes that key and value of a record may take */
    TargetAssignment(GroupConfig.Consumer config, LongSupplier maxRecordBytes) {
        this.assignors = config.assignors();
        this.maxRecordBytes = maxRecordBytes;
    }

    /** A change of one member that is not replayed yet: {@code before} null for a new one; of another id when a static member is replaced. */
    record Change(ConsumerMember before, ConsumerMember after) {}

    /** The assignor that most members prefer, the one offered first among equals; the first of all when none has a preference. */
    String preferred(SortedMap<String, Integer> votes) {
        String best = assignors.get(0);
        for (String assignor : assignors) {
            if (votes.getOrDefault(assignor, 0) > votes.getOrDefault(best, 0)) {
                best = assignor;
            }
        }
        return best;
    }

    /** Whether the change makes another assignor the preferred one. */
    boolean turns(ConsumerGroup group, Change change) {
        String before =
                change.before() == null ? null : change.before().metadata().serverAssignor();
        return !Objects.equals(before, change.after().metadata().serverAssignor())
                && !preferred(group.assignors()).equals(preferred(group, change));
    }

    /** As it will be after {@code change}. */
    private String preferred(ConsumerGroup group, Change change) {
        SortedMap<String, Integer> votes = new TreeMap<>(group.assignors());
        if (change.before() != null && change.before().metadata().serverAssignor() != null) {
            votes.merge(change.before().metadata().serverAssignor(), -1, Integer::sum);
        }
        if (change.after().metadata().serverAssignor() != null) {
            votes.merge(change.after().metadata().serverAssignor(), 1, Integer::sum);
        }
        return preferred(votes);
    }

    /**
     * Computes the whole assignment, adds the records of what differs from the last one, and of the assignment's epoch.
     *
     * @param nowMillis wall time
     * @return what the member of the change shall have; null when it cannot be stored: nothing was added then
     */
    PartitionSet compute(
            ConsumerGroup group,
            int epoch,
            Change change,
            MetadataImage image,
            long nowMillis,
            List<GroupRecord> records) {
        ConsumerMember after = change.after();
        boolean replaced = change.before() != null && !change.before().id().equals(after.id());
        List<ConsumerMember> members = members(group, change);
        List<PartitionSet> last = new ArrayList<>(members.size());
        for (ConsumerMember member : members) {
            boolean moved = replaced && member.id().equals(after.id());
            PartitionSet own = group.target(moved ? change.before().id() : member.id());
            last.add(moved && own == null ? PartitionSet.EMPTY : own);
        }
        List<PartitionSet> shares = new AssignmentInput(
                        members, last, group.subscriptions().resolved(), image, preferred(group, change))
                .shares();
        if (!isStorable(group, epoch, members, shares)) {
            group.setUnstorable(epoch, nowMillis);
            return null;
        }
        PartitionSet own = PartitionSet.EMPTY;
        for (int i = 0; i < shares.size(); i++) {
            String id = members.get(i).id();
            own = id.equals(after.id()) ? shares.get(i) : own;
            record(group, id, last.get(i), shares.get(i), records);
        }
        records.add(ConsumerGroupRecords.targetEpoch(group.id(), epoch, nowMillis));
        return own;
    }

    /** Whether the part of each member, by their order, fits into a record. */
    private boolean isStorable(
            ConsumerGroup group, int epoch, List<ConsumerMember> members, List<PartitionSet> shares) {
        long most = maxRecordBytes.getAsLong();
        for (int i = 0; i < shares.size(); i++) {
            String id = members.get(i).id();
            PartitionSet share = shares.get(i);
            if (ConsumerGroupRecords.mostBytes(group.id(), id, share) > most) {
                LOG.warn(
                        "group {}: with its {} members, {} would get {} partitions of {} topics, more than the {} bytes of a record of __consumer_offsets hold;"
                                + " the group keeps the assignment of epoch {} in epoch {}, and members without one get nothing."
                                + " Start more members, or raise max.message.bytes of that topic.",
                        group.id(),
                        members.size(),
                        id,
                        share.size(),
                        share.topics().size(),
                        most,
                        group.assignmentEpoch(),
                        epoch);
                return false;
            }
        }
        return true;
    }

    private static void record(
            ConsumerGroup group, String member, PartitionSet last, PartitionSet share, List<GroupRecord> records) {
        if (!share.equals(last)) {
            records.add(ConsumerGroupRecords.target(group.id(), member, share));
        }
    }

    /** By id, as they will be after the change. */
    private static List<ConsumerMember> members(ConsumerGroup group, Change change) {
        ConsumerMember after = change.after();
        String gone = change.before() == null ? null : change.before().id();
        List<ConsumerMember> members = new ArrayList<>(group.members().size() + 1);
        members.addAll(group.members().headMap(after.id()).values());
        members.add(after);
        for (ConsumerMember each : group.members().tailMap(after.id()).values()) {
            if (!each.id().equals(after.id())) {
                members.add(each);
            }
        }
        if (gone != null && !gone.equals(after.id())) {
            members.removeIf(each -> each.id().equals(gone));
        }
        return members;
    }

    /** What to compute for a group as it is now; stays what it is while the group goes on. */
    AssignmentInput input(ConsumerGroup group, MetadataImage image) {
        List<ConsumerMember> members = List.copyOf(group.members().values());
        List<PartitionSet> last = new ArrayList<>(members.size());
        members.forEach(member -> last.add(group.target(member.id())));
        return new AssignmentInput(
                members, last, new TreeMap<>(group.subscriptions().resolved()), image, preferred(group.assignors()));
    }

    /**
     * The records of an assignment that was computed from what a group was a while ago. Members that have gone since are left out: their leaving made a new group
     * epoch, for which there will be another assignment. Who has taken the place of a static member gets what that one was to have.
     *
     * @param epoch of the group then
     * @param nowMillis wall time
     * @return null when it cannot be used any more, or cannot be stored
     */
    List<GroupRecord> late(
            ConsumerGroup group, int epoch, AssignmentInput input, List<PartitionSet> shares, long nowMillis) {
        if (!isStorable(group, epoch, input.members(), shares)) {
            group.setUnstorable(epoch, nowMillis);
            return null;
        }
        Map<String, PartitionSet> byMember = new LinkedHashMap<>();
        for (int i = 0; i < shares.size(); i++) {
            ConsumerMember then = input.members().get(i);
            boolean same = group.member(then.id()) != null;
            ConsumerMember now = same ? then : group.staticMember(then.instanceId());
            if (now != null && byMember.put(now.id(), shares.get(i)) != null) {
                return null;
            }
        }
        List<GroupRecord> records = new ArrayList<>();
        byMember.forEach((member, share) -> record(group, member, group.target(member), share, records));
        records.add(ConsumerGroupRecords.targetEpoch(group.id(), epoch, nowMillis));
        return records;
    }
}
