package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What holds for every plan, over random clusters. */
class ReplicaPlanPropertyTest {
    private static final int ROUNDS = 2_000;

    private record Scene(
            TreeMap<Integer, String> racks,
            Map<TopicPartition, List<Integer>> now,
            List<List<Integer>> others,
            int factor) {

        static Scene of(Random random) {
            int nodes = 2 + random.nextInt(6);
            int rackCount = random.nextInt(4);
            TreeMap<Integer, String> racks = new TreeMap<>();
            for (int id = 1; id <= nodes; id++) {
                if (id <= 2 || random.nextInt(4) > 0) {
                    racks.put(id, rackCount == 0 ? "" : "r" + random.nextInt(rackCount));
                }
            }
            int factor = 1 + random.nextInt(Math.min(3, racks.size()));
            Map<TopicPartition, List<Integer>> now = new LinkedHashMap<>();
            int partitions = 1 + random.nextInt(40);
            for (int p = 0; p < partitions; p++) {
                now.put(new TopicPartition("t", p), some(nodes, factor, random));
            }
            List<List<Integer>> others = new ArrayList<>();
            for (int p = random.nextInt(10); p > 0; p--) {
                others.add(some(nodes, factor, random));
            }
            return new Scene(racks, now, others, factor);
        }

        private static List<Integer> some(int nodes, int factor, Random random) {
            List<Integer> all = new ArrayList<>();
            for (int id = 1; id <= nodes; id++) {
                all.add(id);
            }
            Collections.shuffle(all, random);
            return List.copyOf(all.subList(0, factor));
        }
    }

    @Test
    void movesAreValidAndNoMoreThanNeeded() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            Scene scene = Scene.of(new Random(seed));
            Map<TopicPartition, List<Integer>> plan = new ReplicaPlan(scene.racks, scene.others).move(scene.now, 0);
            String why = "seed " + seed + ": " + scene + " -> " + plan;
            assertValid(scene, plan, why);
            scene.now.forEach((id, before) -> {
                Set<Integer> stay = new LinkedHashSet<>(before);
                stay.retainAll(scene.racks.keySet());
                assertTrue(plan.get(id).containsAll(stay), why);
                if (stay.size() == before.size()) {
                    assertEquals(before, plan.get(id), why);
                }
            });
        }
    }

    @Test
    void spreadingIsValidAndEven() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            Scene scene = Scene.of(new Random(seed));
            Map<TopicPartition, List<Integer>> plan = new ReplicaPlan(scene.racks, List.of()).spread(scene.now, 0);
            String why = "seed " + seed + ": " + scene + " -> " + plan;
            assertValid(scene, plan, why);
            boolean racksMatter = scene.racks.values().stream().anyMatch(rack -> !rack.isEmpty()) && scene.factor > 1;
            Map<Integer, Integer> loads = new TreeMap<>();
            scene.racks.keySet().forEach(id -> loads.put(id, 0));
            plan.values().forEach(each -> each.forEach(id -> loads.merge(id, 1, Integer::sum)));
            if (!racksMatter) {
                assertTrue(Collections.max(loads.values()) - Collections.min(loads.values()) <= 1, why);
            }
            assertRacksApart(scene, plan, why);
            assertEquals(plan, new ReplicaPlan(scene.racks, List.of()).spread(plan, 0), "twice is once, " + why);
        }
    }

    private static void assertValid(Scene scene, Map<TopicPartition, List<Integer>> plan, String why) {
        assertEquals(List.copyOf(scene.now.keySet()), List.copyOf(plan.keySet()), why);
        plan.values().forEach(each -> {
            assertEquals(scene.factor, each.size(), why);
            assertEquals(scene.factor, new LinkedHashSet<>(each).size(), why);
            assertTrue(scene.racks.keySet().containsAll(each), why);
        });
    }

    /** A partition has not fewer racks than before, as far as its nodes stay. */
    private static void assertRacksApart(Scene scene, Map<TopicPartition, List<Integer>> plan, String why) {
        Map<TopicPartition, List<Integer>> moved = new ReplicaPlan(scene.racks, List.of()).move(scene.now, 0);
        plan.forEach((id, each) -> assertTrue(racks(scene, each) >= racks(scene, moved.get(id)), why));
    }

    private static int racks(Scene scene, List<Integer> nodes) {
        return (int) nodes.stream().map(scene.racks::get).distinct().count();
    }
}
