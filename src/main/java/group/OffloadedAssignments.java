package group;

import common.Failure;
import coordinator.Offload;
import coordinator.Result;
import coordinator.ShardContext;
import coordinator.Suspension;
import group.assign.PartitionSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Supplier;
import metadata.MetadataImage.TopicImage;
import records.schemas.GroupRecord;

/**
 * Target assignments of large groups, computed by a worker while the loop goes on: one at a time for each group. A request that needs one is suspended until there is one for
 * its epoch; those that come meanwhile share the next. Small ones take less time than handing over, and are not for here. Confined to the shard.
 */
final class OffloadedAssignments {
    /** Members and partitions: fewer are assigned before a worker would have been woken and its outcome be back. */
    private static final int LARGE = 500;

    private final ShardContext<GroupRecord> context;
    private final Groups groups;
    private final ConsumerGroupSettings settings;
    private final TargetAssignment targets;
    private final Map<String, Job> jobs = new TreeMap<>();

    OffloadedAssignments(
            ShardContext<GroupRecord> context,
            Groups groups,
            ConsumerGroupSettings settings,
            TargetAssignment targets) {
        this.context = context;
        this.groups = groups;
        this.settings = settings;
        this.targets = targets;
    }

    /** Whether the group's next assignment is computed here: a large one, unless consumer.assignor.offload.enable says no, or while one is under way. */
    boolean takes(ConsumerGroup group, TargetAssignment.Change change) {
        return jobs.containsKey(group.id()) || (settings.offloads(group.id()) && isLarge(group, change));
    }

    private boolean isLarge(ConsumerGroup group, TargetAssignment.Change change) {
        int size = group.members().size();
        if (size < LARGE && !context.chance().rarely("group.assignment.large")) {
            SortedSet<String> topics = group.subscriptions().topics();
            topics.addAll(change.after().metadata().subscribedTopicNames());
            for (String name : topics) {
                TopicImage topic = context.image().topic(name);
                size += topic == null ? 0 : topic.partitions().size();
            }
            return size >= LARGE;
        }
        return true;
    }

    /**
     * A request that waits for the target of an epoch, at least.
     *
     * @param epoch of the group once {@code records} are replayed
     * @param together how many of the records are not to be parted
     */
    <T> Result<GroupRecord, T> await(ConsumerGroup group, int epoch, List<GroupRecord> records, int together) {
        Suspension suspension = new Suspension();
        Job job = jobs.get(group.id());
        if (job == null) {
            job = new Job(group.id());
            jobs.put(group.id(), job);
            context.offload(job);
        }
        job.dropAbandoned();
        job.waiting.add(new Waiting(epoch, suspension));
        return Result.<GroupRecord, T>suspended(records, suspension).atomicOnly(together);
    }

    private record Waiting(int epoch, Suspension suspension) {}

    private final class Job implements Offload<GroupRecord, List<PartitionSet>> {
        private final String groupId;
        private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        /** Until it is known that the records of the assignment are taken. */
        private final List<Waiting> resumed = new ArrayList<>();

        private ConsumerGroup group;
        private int epoch;
        private int lastEpoch;
        private AssignmentInput input;

        Job(String groupId) {
            this.groupId = groupId;
        }

        @Override
        public Supplier<List<PartitionSet>> begin() {
            resumed.clear();
            if (jobs.get(groupId) != this) {
                return null;
            }
            group = groups.get(groupId) instanceof ConsumerGroup found ? found : null;
            if (group == null || group.assignmentEpoch() >= group.epoch()) {
                // The request that asked for it was refused, say.
                finish();
                return null;
            }
            epoch = group.epoch();
            lastEpoch = group.assignmentEpoch();
            input = targets.input(group, context.image());
            return input::shares;
        }

        @Override
        public Result<GroupRecord, Void> end(List<PartitionSet> shares) {
            boolean same = groups.get(groupId) == group && group.assignmentEpoch() == lastEpoch;
            int of = context.mutations().active("group-assignment-of-another-epoch") ? group.epoch() : epoch;
            List<GroupRecord> records = same
                    ? targets.late(group, of, input, shares, context.clock().wallMillis())
                    : null;
            input = null;
            if (records == null) {
                finish();
                return Result.nothing();
            }
            boolean nextAtOnce = settings.assignmentMillis(groupId) == 0;
            while (!waiting.isEmpty() && (waiting.peek().epoch <= epoch || !nextAtOnce)) {
                resumed.add(waiting.poll());
            }
            resumed.forEach(each -> each.suspension.resume());
            if (waiting.isEmpty()) {
                jobs.remove(groupId);
            } else {
                context.offload(this);
            }
            return Result.<GroupRecord, Void>of(records, null).atomicOnly(0);
        }

        /** Those whose time is up, oldest first, and the last one when the runtime did not take it. */
        private void dropAbandoned() {
            while (!waiting.isEmpty() && !waiting.peekFirst().suspension.isPending()) {
                waiting.removeFirst();
            }
            if (!waiting.isEmpty() && !waiting.peekLast().suspension.isPending()) {
                waiting.removeLast();
            }
        }

        /** They look again what there is to wait for. */
        private void finish() {
            jobs.remove(groupId);
            waiting.forEach(each -> each.suspension.resume());
            waiting.clear();
        }

        @Override
        public void failed(Failure why) {
            jobs.remove(groupId, this);
            fail(resumed, why);
            fail(waiting, why);
        }

        private static void fail(Collection<Waiting> some, Failure why) {
            some.forEach(each -> each.suspension.fail(why));
            some.clear();
        }
    }
}
