package group.assign;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * Each topic in runs of neighbouring partitions, one run for each of its subscribers, the first ones one longer. The subscribers have the same order in every
 * topic, so that with equal subscriptions and partition counts a member gets the same partitions of all topics (co-partitioning). Static members come first, by
 * their instance ids: a restart moves nothing.
 */
final class RangeAssignor implements Assignor {

    private static final Comparator<Member> ORDER = Comparator.comparing(
                    Member::instanceId, Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(Member::id);

    @Override
    public List<PartitionSet> assign(List<Member> members, Map<Uuid, Integer> partitionCounts) {
        List<Integer> order = new ArrayList<>();
        List<PartitionSet.Builder> shares = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            order.add(i);
            shares.add(new PartitionSet.Builder());
        }
        order.sort((left, right) -> ORDER.compare(members.get(left), members.get(right)));
        Map<Uuid, Integer> subscribers = new TreeMap<>();
        for (Member member : members) {
            for (Uuid topic : member.topics()) {
                subscribers.merge(topic, 1, Integer::sum);
            }
        }
        Map<Uuid, Run> runs = new TreeMap<>();
        for (int index : order) {
            for (Uuid topic : members.get(index).topics()) {
                Run run = runs.computeIfAbsent(topic, id -> new Run(partitionCounts.get(id), subscribers.get(id)));
                run.next(topic, shares.get(index));
            }
        }
        return shares.stream().map(PartitionSet.Builder::build).toList();
    }

    /** How far a topic is shared out. */
    private static final class Run {
        private final int quota;
        private int longer;
        private int next;

        Run(int partitions, int subscribers) {
            this.quota = partitions / subscribers;
            this.longer = partitions % subscribers;
        }

        void next(Uuid topic, PartitionSet.Builder share) {
            int end = next + quota + (longer > 0 ? 1 : 0);
            longer--;
            while (next < end) {
                share.add(topic, next++);
            }
        }
    }
}
