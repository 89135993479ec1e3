package group.assign;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * As many partitions for each member as for the others, moving as few as possible. With equal subscriptions the numbers differ by one at most, and no partition
 * moves that need not; with different ones by as little as moves within single topics can reach in a bounded number of rounds.
 */
final class UniformAssignor implements Assignor {

    @Override
    public List<PartitionSet> assign(List<Member> members, Map<Uuid, Integer> partitionCounts) {
        if (members.isEmpty()) {
            return List.of();
        }
        return sameSubscription(members)
                ? new EqualShares(members, partitionCounts).assign()
                : new BalancedShares(members, partitionCounts).assign();
    }

    private static boolean sameSubscription(List<Member> members) {
        List<Uuid> first = members.get(0).topics();
        for (Member member : members) {
            if (member.topics() != first && !member.topics().equals(first)) {
                return false;
            }
        }
        return true;
    }
}
