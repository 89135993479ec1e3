package group.assign;

import group.assign.Assignor.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;

/**
 * {@code uniform} for members with different subscriptions. Each keeps what it still subscribes to; partitions without owner go to the subscriber with the least,
 * the topics with the fewest choices first; then partitions move inside their topics, from the member with the most to the one with the least, until no such move
 * helps or {@value #ROUNDS} rounds are over.
 */
final class BalancedShares {
    private static final int ROUNDS = 16;
    private static final int NOBODY = -1;

    private final List<Member> members;
    private final int[] loads;
    /** In the order in which they are dealt out. */
    private final List<Topic> topics;

    BalancedShares(List<Member> members, Map<Uuid, Integer> partitionCounts) {
        this.members = members;
        this.loads = new int[members.size()];
        Map<Uuid, Topic> byId = new TreeMap<>();
        for (int i = 0; i < members.size(); i++) {
            for (Uuid id : members.get(i).topics()) {
                byId.computeIfAbsent(id, topic -> new Topic(topic, partitionCounts.get(topic)))
                        .subscribers
                        .add(i);
            }
        }
        for (int i = 0; i < members.size(); i++) {
            keep(i, byId);
        }
        this.topics = new ArrayList<>(byId.values());
        topics.sort(
                Comparator.comparingDouble((Topic topic) -> -(double) topic.owners.length / topic.subscribers.size())
                        .thenComparingInt(topic -> topic.subscribers.size())
                        .thenComparing(topic -> topic.id));
    }

    private void keep(int member, Map<Uuid, Topic> byId) {
        List<Uuid> subscribed = members.get(member).topics();
        PartitionSet current = members.get(member).current();
        for (Uuid id : current.topics()) {
            Topic topic = byId.get(id);
            if (topic == null || Collections.binarySearch(subscribed, id) < 0) {
                continue;
            }
            for (int partition : current.of(id)) {
                if (partition < topic.owners.length && topic.owners[partition] == NOBODY) {
                    topic.owners[partition] = member;
                    loads[member]++;
                }
            }
        }
    }

    List<PartitionSet> assign() {
        topics.forEach(this::dealOut);
        balance();
        List<PartitionSet.Builder> shares = new ArrayList<>();
        members.forEach(member -> shares.add(new PartitionSet.Builder()));
        for (Topic topic : topics) {
            for (int partition = 0; partition < topic.owners.length; partition++) {
                shares.get(topic.owners[partition]).add(topic.id, partition);
            }
        }
        return shares.stream().map(PartitionSet.Builder::build).toList();
    }

    private void dealOut(Topic topic) {
        PriorityQueue<Long> byLoad = null;
        for (int partition = 0; partition < topic.owners.length; partition++) {
            if (topic.owners[partition] != NOBODY) {
                continue;
            }
            if (byLoad == null) {
                byLoad = new PriorityQueue<>();
                for (int member : topic.subscribers) {
                    byLoad.add(rank(member));
                }
            }
            int least = member(byLoad.remove());
            topic.owners[partition] = least;
            loads[least]++;
            byLoad.add(rank(least));
        }
    }

    private void balance() {
        boolean moved = true;
        for (int round = 0; moved && round < ROUNDS; round++) {
            moved = false;
            for (Topic topic : topics) {
                moved |= topic.subscribers.size() > 1 && imbalance(topic) > 1 && balance(topic);
            }
        }
    }

    private int imbalance(Topic topic) {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int member : topic.subscribers) {
            least = Math.min(least, loads[member]);
            most = Math.max(most, loads[member]);
        }
        return most - least;
    }

    private boolean balance(Topic topic) {
        Map<Integer, List<Integer>> owned = new TreeMap<>();
        for (int partition = 0; partition < topic.owners.length; partition++) {
            owned.computeIfAbsent(topic.owners[partition], member -> new ArrayList<>())
                    .add(partition);
        }
        TreeSet<Long> takers = new TreeSet<>();
        topic.subscribers.forEach(member -> takers.add(rank(member)));
        TreeSet<Long> givers = new TreeSet<>();
        owned.keySet().forEach(member -> givers.add(rank(member)));
        boolean moved = false;
        while (true) {
            int giver = member(givers.last());
            int taker = member(takers.first());
            if (loads[giver] - loads[taker] <= 1) {
                return moved;
            }
            List<Integer> given = owned.get(giver);
            int partition = given.remove(given.size() - 1);
            takers.remove(rank(giver));
            takers.remove(rank(taker));
            givers.remove(rank(giver));
            givers.remove(rank(taker));
            loads[giver]--;
            loads[taker]++;
            topic.owners[partition] = taker;
            owned.computeIfAbsent(taker, member -> new ArrayList<>()).add(partition);
            takers.add(rank(giver));
            takers.add(rank(taker));
            givers.add(rank(taker));
            if (!given.isEmpty()) {
                givers.add(rank(giver));
            }
            moved = true;
        }
    }

    /** Orders members by their load, then by their place. */
    private long rank(int member) {
        return ((long) loads[member] << 32) | member;
    }

    private static int member(long rank) {
        return (int) rank;
    }

    private static final class Topic {
        private final Uuid id;
        private final List<Integer> subscribers = new ArrayList<>();
        private final int[] owners;

        Topic(Uuid id, int partitions) {
            this.id = id;
            this.owners = new int[partitions];
            Arrays.fill(owners, NOBODY);
        }
    }
}
