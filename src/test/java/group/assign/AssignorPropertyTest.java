package group.assign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import group.assign.Assignor.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import sim.SimRandom;

/** Random groups: what both assignors promise, with Kafka's own as judge where the answer is one or a measure. */
class AssignorPropertyTest {
    private static final Uuid BASE = new Uuid(77, 0);

    private final Map<Uuid, Integer> counts = new TreeMap<>();
    private SimRandom random;

    @RepeatedTest(60)
    void equalSubscriptionsGetEqualSharesAndNothingMovesNeedlessly(RepetitionInfo run) {
        random = new SimRandom(run.getCurrentRepetition());
        topics(1 + random.below(6), 12);
        List<Uuid> all = List.copyOf(counts.keySet());
        List<Member> members = members(1 + random.below(8), () -> all);
        for (int step = 0; step < 6; step++) {
            List<PartitionSet> shares = assigned("uniform", members);
            assertValid(members, shares);
            int least = shares.stream().mapToInt(PartitionSet::size).min().orElseThrow();
            int most = shares.stream().mapToInt(PartitionSet::size).max().orElseThrow();
            assertTrue(most - least <= 1, () -> "seed " + run.getCurrentRepetition() + ": " + shares);
            assertTrue(
                    kept(members, shares) >= kept(members, kafkas("uniform", members, SubscriptionType.HOMOGENEOUS)),
                    () -> "Kafka's moves less, seed " + run.getCurrentRepetition());
            members = with(members, shares);
            assertEquals(shares, assigned("uniform", members), "what is balanced stays");
            members = changed(members, () -> all);
        }
    }

    @RepeatedTest(60)
    void differentSubscriptionsAreBalancedAsFarAsMovesWithinTopicsGo(RepetitionInfo run) {
        random = new SimRandom(run.getCurrentRepetition());
        topics(1 + random.below(8), 9);
        List<Member> members = members(1 + random.below(8), this::someTopics);
        for (int step = 0; step < 6; step++) {
            List<PartitionSet> shares = assigned("uniform", members);
            assertValid(members, shares);
            assertNoMoveHelps(members, shares, run.getCurrentRepetition());
            members = with(members, shares);
            assertEquals(shares, assigned("uniform", members), "what is balanced stays");
            members = changed(members, this::someTopics);
        }
    }

    @RepeatedTest(60)
    void rangeIsAsKafkas(RepetitionInfo run) {
        random = new SimRandom(run.getCurrentRepetition());
        topics(1 + random.below(6), 12);
        List<Member> members = members(1 + random.below(8), this::someTopics);
        List<PartitionSet> shares = assigned("range", members);
        assertValid(members, shares);
        assertEquals(kafkas("range", members, SubscriptionType.HETEROGENEOUS), shares);
    }

    @Test
    void rangePutsTheSamePartitionsTogether() {
        topics(3, 1);
        counts.replaceAll((topic, count) -> 7);
        List<Uuid> all = List.copyOf(counts.keySet());
        List<PartitionSet> shares = assigned("range", List.of(member("a", all), member("b", all), member("c", all)));
        for (Uuid topic : all) {
            assertEquals(List.of(0, 1, 2), shares.get(0).of(topic));
            assertEquals(List.of(3, 4), shares.get(1).of(topic));
            assertEquals(List.of(5, 6), shares.get(2).of(topic));
        }
    }

    @Test
    void rangeLeavesStaticMembersWhereTheyAre() {
        topics(1, 1);
        counts.replaceAll((topic, count) -> 4);
        List<Uuid> all = List.copyOf(counts.keySet());
        List<PartitionSet> before = assigned(
                "range",
                List.of(
                        new Member("z", "i1", all, PartitionSet.EMPTY),
                        new Member("y", "i2", all, PartitionSet.EMPTY)));
        List<PartitionSet> after = assigned(
                "range",
                List.of(
                        new Member("a", "i1", all, PartitionSet.EMPTY),
                        new Member("y", "i2", all, PartitionSet.EMPTY)));
        assertEquals(before, after);
    }

    @Test
    void uniformSpreadsEachTopicToo() {
        topics(2, 1);
        counts.replaceAll((topic, count) -> 2);
        List<Uuid> all = List.copyOf(counts.keySet());
        for (PartitionSet share : assigned("uniform", List.of(member("a", all), member("b", all)))) {
            assertEquals(all, share.topics());
        }
    }

    @Test
    void groupsWithoutMembersOrTopicsAreFine() {
        for (String name : List.of("uniform", "range")) {
            assertEquals(List.of(), Assignor.named(name).assign(List.of(), Map.of()));
            assertEquals(
                    List.of(PartitionSet.EMPTY),
                    Assignor.named(name).assign(List.of(member("a", List.of())), Map.of()));
        }
    }

    private static List<PartitionSet> assigned(String name, List<Member> members, Map<Uuid, Integer> counts) {
        List<PartitionSet> shares = Assignor.named(name).assign(members, counts);
        assertEquals(shares, Assignor.named(name).assign(members, counts), "the same input, the same answer");
        return shares;
    }

    private List<PartitionSet> assigned(String name, List<Member> members) {
        return assigned(name, members, counts);
    }

    private void topics(int number, int mostPartitions) {
        counts.clear();
        for (int i = 0; i < number; i++) {
            counts.put(
                    new Uuid(BASE.getMostSignificantBits(), i + 1),
                    1 + (random == null ? 0 : random.below(mostPartitions)));
        }
    }

    private List<Uuid> someTopics() {
        List<Uuid> some = new ArrayList<>();
        for (Uuid topic : counts.keySet()) {
            if (random.below(2) == 0) {
                some.add(topic);
            }
        }
        return some;
    }

    private static Member member(String id, List<Uuid> topics) {
        return new Member(id, null, topics, PartitionSet.EMPTY);
    }

    private List<Member> members(int number, java.util.function.Supplier<List<Uuid>> topics) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String id = "m" + random.below(1_000_000);
            members.add(new Member(id, random.below(3) == 0 ? "i" + id : null, topics.get(), PartitionSet.EMPTY));
        }
        members.sort(Comparator.comparing(Member::id));
        return members;
    }

    private static List<Member> with(List<Member> members, List<PartitionSet> shares) {
        List<Member> now = new ArrayList<>();
        for (int i = 0; i < shares.size(); i++) {
            Member member = members.get(i);
            now.add(new Member(member.id(), member.instanceId(), member.topics(), shares.get(i)));
        }
        return now;
    }

    /** One joins, leaves or subscribes anew, or a topic grows. */
    private List<Member> changed(List<Member> members, java.util.function.Supplier<List<Uuid>> topics) {
        List<Member> now = new ArrayList<>(members);
        int victim = random.below(now.size());
        switch (random.below(4)) {
            case 0 -> now.addAll(members(1, topics));
            case 1 -> {
                if (now.size() > 1) {
                    now.remove(victim);
                }
            }
            case 2 -> {
                Member member = now.get(victim);
                now.set(victim, new Member(member.id(), member.instanceId(), topics.get(), member.current()));
            }
            default ->
                counts.computeIfPresent(
                        List.copyOf(counts.keySet()).get(random.below(counts.size())), (topic, count) -> count + 1);
        }
        now.sort(Comparator.comparing(Member::id));
        return now;
    }

    private void assertValid(List<Member> members, List<PartitionSet> shares) {
        Map<String, String> owners = new TreeMap<>();
        SortedSet<Uuid> subscribed = new TreeSet<>();
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            subscribed.addAll(member.topics());
            shares.get(i).forEach((topic, partition) -> {
                assertTrue(member.topics().contains(topic), "not subscribed");
                assertTrue(partition < counts.get(topic), "no such partition");
                assertEquals(null, owners.put(topic + "-" + partition, member.id()), "two owners");
            });
        }
        int partitions = subscribed.stream().mapToInt(counts::get).sum();
        assertEquals(partitions, owners.size(), "each partition that somebody reads has an owner");
    }

    private static int kept(List<Member> members, List<PartitionSet> shares) {
        int kept = 0;
        for (int i = 0; i < members.size(); i++) {
            kept += shares.get(i).where(members.get(i).current()::contains).size();
        }
        return kept;
    }

    private void assertNoMoveHelps(List<Member> members, List<PartitionSet> shares, int seed) {
        for (int from = 0; from < members.size(); from++) {
            for (int to = 0; to < members.size(); to++) {
                if (shares.get(from).size() - shares.get(to).size() > 1) {
                    for (Uuid topic : shares.get(from).topics()) {
                        assertTrue(!members.get(to).topics().contains(topic), "seed " + seed + ": " + shares);
                    }
                }
            }
        }
    }

    /** What Kafka 4.4.0 answers. */
    private List<PartitionSet> kafkas(String name, List<Member> members, SubscriptionType type) {
        Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
        Map<Uuid, Map<Integer, String>> inverted = new HashMap<>();
        for (Member member : members) {
            Map<Uuid, Set<Integer>> current = new HashMap<>();
            member.current().forEach((topic, partition) -> {
                current.computeIfAbsent(topic, id -> new HashSet<>()).add(partition);
                inverted.computeIfAbsent(topic, id -> new HashMap<>()).put(partition, member.id());
            });
            specs.put(
                    member.id(),
                    new MemberSubscriptionAndAssignmentImpl(
                            Optional.empty(),
                            Optional.ofNullable(member.instanceId()),
                            new HashSet<>(member.topics()),
                            new Assignment(Collections.unmodifiableMap(current))));
        }
        SubscribedTopicDescriber describer = new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid topic) {
                return counts.getOrDefault(topic, -1);
            }

            @Override
            public Set<String> racksForPartition(Uuid topic, int partition) {
                return Set.of();
            }
        };
        GroupSpecImpl spec = new GroupSpecImpl(specs, type, inverted);
        GroupAssignment assignment = name.equals("range")
                ? new org.apache.kafka.coordinator.group.assignor.RangeAssignor().assign(spec, describer)
                : new org.apache.kafka.coordinator.group.assignor.UniformAssignor().assign(spec, describer);
        List<PartitionSet> shares = new ArrayList<>();
        for (Member member : members) {
            PartitionSet.Builder share = new PartitionSet.Builder();
            if (assignment.members().containsKey(member.id())) {
                assignment
                        .members()
                        .get(member.id())
                        .partitions()
                        .forEach((topic, partitions) -> partitions.forEach(partition -> share.add(topic, partition)));
            }
            shares.add(share.build());
        }
        return shares;
    }
}
