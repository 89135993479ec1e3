package cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;

/**
 * Chooses new replicas for partitions so that as few as possible move: a replica stays where it may, and one that must go is replaced by a node whose rack the
 * partition does not have yet, and of these by the one with the fewest replicas. The first of the replicas is the preferred leader. The same input gives the
 * same plan.
 */
final class ReplicaPlan {
    /** How many more replicas than another a node may keep: less cannot be evened out. */
    private static final int EVEN = 1;

    private final TreeMap<Integer, String> racks;
    private final TreeMap<Integer, Integer> replicas = new TreeMap<>();
    private final TreeMap<Integer, Integer> preferred = new TreeMap<>();

    /**
     * @param racks of the nodes that may have replicas, by id; {@code ""}: none
     * @param others replicas of the partitions that are not to be changed: they count
     */
    ReplicaPlan(Map<Integer, String> racks, Collection<List<Integer>> others) {
        this.racks = new TreeMap<>(racks);
        for (int node : racks.keySet()) {
            replicas.put(node, 0);
            preferred.put(node, 0);
        }
        others.forEach(each -> count(each, 1));
    }

    /**
     * Moves what is not on the plan's nodes, or is too few or too many.
     *
     * @param factor how many replicas each partition is to have; 0: as many as it has. Fails if there are not so many nodes
     * @return of all partitions, in the same order
     */
    Map<TopicPartition, List<Integer>> move(Map<TopicPartition, List<Integer>> now, int factor) {
        Map<TopicPartition, List<Integer>> planned = new LinkedHashMap<>();
        Map<TopicPartition, List<Integer>> kept = new LinkedHashMap<>();
        now.forEach((id, before) -> kept.put(id, kept(id, before, factor == 0 ? before.size() : factor)));
        kept.values().forEach(each -> each.forEach(node -> replicas.merge(node, 1, Integer::sum)));
        now.forEach((id, before) -> planned.put(id, filled(kept.get(id), factor == 0 ? before.size() : factor)));
        Map<TopicPartition, List<Integer>> leaderless = new LinkedHashMap<>();
        planned.forEach((id, after) -> {
            if (after.get(0).equals(now.get(id).get(0))) {
                preferred.merge(after.get(0), 1, Integer::sum);
            } else {
                leaderless.put(id, after);
            }
        });
        leaderless.values().forEach(this::putFirst);
        return planned;
    }

    /** As {@link #move}, and then evens the nodes out: by replicas, and by preferred leaders. */
    Map<TopicPartition, List<Integer>> spread(Map<TopicPartition, List<Integer>> now, int factor) {
        Map<TopicPartition, List<Integer>> planned = new LinkedHashMap<>();
        move(now, factor).forEach((id, after) -> planned.put(id, new ArrayList<>(after)));
        boolean moved = true;
        while (moved) {
            moved = evenOut(replicas, (from, to) -> shift(planned.values(), from, to));
        }
        moved = true;
        while (moved) {
            moved = evenOut(preferred, (from, to) -> handOver(planned.values(), from, to));
        }
        return planned;
    }

    private void count(List<Integer> each, int by) {
        each.forEach(node -> replicas.computeIfPresent(node, (id, sum) -> sum + by));
        if (!each.isEmpty()) {
            preferred.computeIfPresent(each.get(0), (id, sum) -> sum + by);
        }
    }

    /** Those that may stay; of too many the first ones, so that the preferred leader is among them. */
    private List<Integer> kept(TopicPartition id, List<Integer> before, int factor) {
        if (factor > racks.size()) {
            throw new CliFailure(
                    id + " is to have " + factor + " replicas, and there are " + racks.size() + " node(s) for them",
                    "Start more nodes, or give it fewer replicas: highwater cluster reassign " + id.topic()
                            + " --replication-factor " + racks.size() + ".");
        }
        return before.stream().filter(racks::containsKey).limit(factor).toList();
    }

    private List<Integer> filled(List<Integer> kept, int factor) {
        List<Integer> after = new ArrayList<>(kept);
        while (after.size() < factor) {
            int chosen = racks.keySet().stream()
                    .filter(node -> !after.contains(node))
                    .min(Comparator.<Integer>comparingLong(node -> sharing(after, node))
                            .thenComparing(replicas::get)
                            .thenComparing(Comparator.naturalOrder()))
                    .orElseThrow();
            after.add(chosen);
            replicas.merge(chosen, 1, Integer::sum);
        }
        return after;
    }

    /** Makes that one of the replicas the preferred leader which is it least often. */
    private void putFirst(List<Integer> after) {
        int leader = after.stream()
                .min(Comparator.<Integer, Integer>comparing(preferred::get).thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
        after.remove((Integer) leader);
        after.add(0, leader);
        preferred.merge(leader, 1, Integer::sum);
    }

    /** How many of the replicas are in the node's rack; nodes without a rack share none. */
    private long sharing(List<Integer> some, int node) {
        String rack = racks.get(node);
        return rack.isEmpty()
                ? 0
                : some.stream().filter(other -> rack.equals(racks.get(other))).count();
    }

    private interface Step {
        /** Whether it found something to take from one node and give to the other. */
        boolean take(int from, int to);
    }

    /** One step from a node with much to one with little, trying the widest differences first; whether there was one. */
    private static boolean evenOut(TreeMap<Integer, Integer> loads, Step step) {
        List<Integer> byLoad = new ArrayList<>(loads.keySet());
        byLoad.sort(Comparator.<Integer, Integer>comparing(loads::get).thenComparing(Comparator.naturalOrder()));
        for (int high = byLoad.size() - 1; high > 0; high--) {
            for (int low = 0; low < high; low++) {
                int from = byLoad.get(high);
                int to = byLoad.get(low);
                if (loads.get(from) - loads.get(to) <= EVEN) {
                    break;
                }
                if (step.take(from, to)) {
                    loads.merge(from, -1, Integer::sum);
                    loads.merge(to, 1, Integer::sum);
                    return true;
                }
            }
        }
        return false;
    }

    /** Moves one replica, of a partition that has then no more replicas in one rack than before. */
    private boolean shift(Collection<List<Integer>> partitions, int from, int to) {
        for (List<Integer> each : partitions) {
            int at = each.indexOf(from);
            if (at >= 0 && !each.contains(to)) {
                List<Integer> rest = new ArrayList<>(each);
                rest.remove(at);
                if (sharing(rest, to) <= sharing(rest, from)) {
                    each.set(at, to);
                    if (at == 0) {
                        preferred.merge(from, -1, Integer::sum);
                        preferred.merge(to, 1, Integer::sum);
                    }
                    return true;
                }
            }
        }
        return false;
    }

    /** Puts another replica of a partition first. */
    private static boolean handOver(Collection<List<Integer>> partitions, int from, int to) {
        for (List<Integer> each : partitions) {
            int at = each.indexOf(to);
            if (at > 0 && each.get(0) == from) {
                each.set(at, from);
                each.set(0, to);
                return true;
            }
        }
        return false;
    }

    /** Nodes that are in the second list and not in the first. */
    static Set<Integer> added(List<Integer> before, List<Integer> after) {
        Set<Integer> added = new TreeSet<>(after);
        before.forEach(added::remove);
        return added;
    }
}
