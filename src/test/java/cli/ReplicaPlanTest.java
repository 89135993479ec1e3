package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Plans whose outcome one can see by eye; {@link ReplicaPlanPropertyTest} has the rules. */
class ReplicaPlanTest {

    @Test
    void drainingReplacesOnlyTheNodeThatLeaves() {
        Map<TopicPartition, List<Integer>> plan =
                plan("1 2 4", List.of(List.of(1, 2))).move(now(List.of(2, 3), List.of(3, 1)), 0);
        assertEquals(List.of(List.of(2, 4), List.of(4, 1)), List.copyOf(plan.values()));
    }

    @Test
    void aRackThatThePartitionLacksComesBeforeAnEmptierNode() {
        Map<TopicPartition, List<Integer>> plan =
                plan("1a 2b 4a", List.of(List.of(2), List.of(2), List.of(2))).move(now(List.of(1, 3)), 0);
        assertEquals(List.of(List.of(1, 2)), List.copyOf(plan.values()));
    }

    @Test
    void theFirstReplicasOfTheNodeThatLeavesAreSharedOut() {
        Map<TopicPartition, List<Integer>> plan = plan("1 2", List.of())
                .move(now(List.of(3, 1), List.of(3, 2), List.of(3, 1), List.of(2, 1), List.of(2, 1)), 0);
        assertEquals(
                List.of(List.of(1, 2), List.of(1, 2), List.of(1, 2), List.of(2, 1), List.of(2, 1)),
                List.copyOf(plan.values()));
    }

    @Test
    void moreAndFewerReplicas() {
        assertEquals(
                List.of(List.of(2, 1, 3)),
                List.copyOf(plan("1 2 3", List.of()).move(now(List.of(2)), 3).values()));
        assertEquals(
                List.of(List.of(2)),
                List.copyOf(
                        plan("1 2 3", List.of()).move(now(List.of(2, 1, 3)), 1).values()));
    }

    @Test
    void aNewNodeGetsItsShareOfReplicasAndOfPreferredLeaders() {
        Map<TopicPartition, List<Integer>> now =
                now(List.of(1, 2), List.of(2, 3), List.of(3, 1), List.of(1, 3), List.of(2, 1), List.of(3, 2));
        Map<TopicPartition, List<Integer>> plan = plan("1 2 3 4", List.of()).spread(now, 0);
        assertEquals(3, plan.values().stream().filter(each -> each.contains(4)).count(), plan.toString());
        assertTrue(plan.values().stream().anyMatch(each -> each.get(0) == 4), plan.toString());
        long moved = now.keySet().stream()
                .mapToLong(id -> ReplicaPlan.added(now.get(id), plan.get(id)).size())
                .sum();
        assertEquals(3, moved, "only to the new node: " + plan);
    }

    @Test
    void tooFewNodesAreToldWithWhatToDo() {
        ReplicaPlan plan = plan("1 2", List.of());
        CliFailure told = assertThrows(CliFailure.class, () -> plan.move(now(List.of(1, 2, 3)), 0));
        assertEquals("t-0 is to have 3 replicas, and there are 2 node(s) for them", told.getMessage());
        assertTrue(told.hint().contains("cluster reassign t --replication-factor 2"), told.hint());
    }

    @Test
    void sizesAreReadAndWrittenAsPeopleDo() {
        assertEquals(1_500_000, ByteSize.parse("1.5MB", "--throttle"));
        assertEquals(20_000, ByteSize.parse("20 kb", "--throttle"));
        assertEquals(700, ByteSize.parse("700", "--throttle"));
        assertEquals("999 B", ByteSize.text(999));
        assertEquals("1.5 MB", ByteSize.text(1_500_000));
        for (String wrong : List.of("", "MB", "0", "-5MB", "fast", "NaN")) {
            assertThrows(CliFailure.class, () -> ByteSize.parse(wrong, "--throttle"), wrong);
        }
    }

    /** @param nodes ids, each with its rack behind it */
    static ReplicaPlan plan(String nodes, List<List<Integer>> others) {
        Map<Integer, String> racks = new TreeMap<>();
        for (String node : nodes.split(" ", -1)) {
            racks.put(Integer.parseInt(node.substring(0, 1)), node.substring(1));
        }
        return new ReplicaPlan(racks, others);
    }

    @SafeVarargs
    static Map<TopicPartition, List<Integer>> now(List<Integer>... replicas) {
        Map<TopicPartition, List<Integer>> now = new LinkedHashMap<>();
        for (int i = 0; i < replicas.length; i++) {
            now.put(new TopicPartition("t", i), replicas[i]);
        }
        return now;
    }
}
