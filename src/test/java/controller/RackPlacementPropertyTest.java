package controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import metadata.MetadataImage.BrokerImage;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class RackPlacementPropertyTest {

    private static common.RandomSource random(Random random) {
        return new common.RandomSource() {
            @Override
            public int below(int bound) {
                return random.nextInt(bound);
            }

            @Override
            public long nextLong() {
                return random.nextLong();
            }
        };
    }

    private static BrokerImage broker(int id, String rack, boolean fenced) {
        return new BrokerImage(id, id, new Uuid(1, id), List.of(), rack, fenced, List.of());
    }

    @Test
    void partitionsSpreadOverRacksAndBrokers() {
        long seed = new Random().nextLong();
        for (int run = 0; run < 300; run++) {
            Random random = new Random(seed + run);
            String why = "seed " + (seed + run);
            int racks = random.nextInt(4);
            int perRack = 1 + random.nextInt(4);
            boolean equalRacks = random.nextBoolean();
            Map<Integer, BrokerImage> brokers = new TreeMap<>();
            for (int i = 0; i < Math.max(1, racks) * perRack; i++) {
                int rack = equalRacks || racks == 0 ? i % Math.max(1, racks) : random.nextInt(racks);
                boolean fenced = i > 0 && !equalRacks && random.nextInt(4) == 0;
                brokers.put(i, broker(i, racks == 0 ? null : "r" + rack, fenced));
            }
            int factor = 1 + random.nextInt(Math.min(5, brokers.size()));
            RackPlacement placement = new RackPlacement(brokers.values(), random(random));
            int active = (int)
                    brokers.values().stream().filter(each -> !each.fenced()).count();
            int count = 1 + random.nextInt(4 * active);
            Map<Integer, Integer> leaders = new TreeMap<>();
            Map<Integer, Integer> replicas = new TreeMap<>();
            for (int p = 0; p < count; p++) {
                List<Integer> chosen = placement.next(factor);
                check(brokers, factor, chosen, active, why);
                leaders.merge(chosen.get(0), 1, Integer::sum);
                chosen.forEach(each -> replicas.merge(each, 1, Integer::sum));
            }
            int[] load = brokers.values().stream()
                    .filter(each -> !each.fenced())
                    .mapToInt(each -> leaders.getOrDefault(each.id(), 0))
                    .sorted()
                    .toArray();
            assertTrue(load[load.length - 1] - load[0] <= 1, () -> why + " leaders " + leaders);
            if (equalRacks) {
                int[] held = brokers.keySet().stream()
                        .mapToInt(each -> replicas.getOrDefault(each, 0))
                        .sorted()
                        .toArray();
                assertTrue(held[held.length - 1] - held[0] <= 2, () -> why + " replicas " + replicas);
            }
        }
    }

    private static void check(
            Map<Integer, BrokerImage> brokers, int factor, List<Integer> chosen, int active, String why) {
        String all = why + ": " + chosen + " of " + brokers;
        assertEquals(factor, new TreeSet<>(chosen).size(), all);
        List<Integer> alive = new ArrayList<>(chosen);
        alive.removeIf(each -> brokers.get(each).fenced());
        assertEquals(Math.min(factor, active), alive.size(), () -> "fenced ones last: " + all);
        assertEquals(alive, chosen.subList(0, alive.size()), all);
        TreeSet<String> possible = new TreeSet<>();
        brokers.values().stream().filter(each -> !each.fenced()).forEach(each -> possible.add("" + each.rack()));
        TreeSet<String> used = new TreeSet<>();
        alive.forEach(each -> used.add("" + brokers.get(each).rack()));
        assertEquals(Math.min(possible.size(), alive.size()), used.size(), () -> "as many racks as possible: " + all);
    }

    /** When a broker goes, not one other takes all that it led. */
    @Test
    void standInsAreSpread() {
        List<BrokerImage> brokers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            brokers.add(broker(i, null, false));
        }
        RackPlacement placement = new RackPlacement(brokers, random(new Random(5)));
        Map<Integer, Integer> seconds = new TreeMap<>();
        for (int p = 0; p < 400; p++) {
            List<Integer> chosen = placement.next(3);
            if (chosen.get(0) == 0) {
                seconds.merge(chosen.get(1), 1, Integer::sum);
            }
        }
        assertEquals(3, seconds.size(), () -> "" + seconds);
        assertTrue(seconds.values().stream().allMatch(each -> each > 15), () -> "" + seconds);
    }

    /** Few partitions already use all racks for their leaders. */
    @Test
    void leadersOfFewPartitionsAreInDifferentRacks() {
        List<BrokerImage> brokers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            brokers.add(broker(i, "r" + i / 3, false));
        }
        RackPlacement placement = new RackPlacement(brokers, random(new Random(5)));
        TreeSet<Integer> racks = new TreeSet<>();
        for (int p = 0; p < 3; p++) {
            racks.add(placement.next(1).get(0) / 3);
        }
        assertEquals(3, racks.size());
    }
}
