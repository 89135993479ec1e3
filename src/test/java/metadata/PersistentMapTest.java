package metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PersistentMapTest {

    /** Against java.util.TreeMap; every version made on the way must stay as it was. */
    @Test
    void behavesAsASortedMapAndOldVersionsStay() {
        for (int run = 0; run < 50; run++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            PersistentMap<Integer, String> map = PersistentMap.empty();
            TreeMap<Integer, String> model = new TreeMap<>();
            List<PersistentMap<Integer, String>> versions = new ArrayList<>();
            List<TreeMap<Integer, String>> models = new ArrayList<>();
            int keys = 1 + random.nextInt(200);
            for (int i = 0; i < 400; i++) {
                int key = random.nextInt(keys);
                if (random.nextInt(3) == 0) {
                    map = map.without(key);
                    model.remove(key);
                } else {
                    map = map.with(key, "v" + i);
                    model.put(key, "v" + i);
                }
                if (random.nextInt(20) == 0) {
                    versions.add(map);
                    models.add(new TreeMap<>(model));
                }
                assertEquals(model.get(key), map.get(key), "seed " + seed);
            }
            versions.add(map);
            models.add(model);
            for (int i = 0; i < versions.size(); i++) {
                same(models.get(i), versions.get(i), seed);
                int other = random.nextInt(versions.size());
                assertEquals(
                        differences(models.get(other), models.get(i)),
                        differences(versions.get(other), versions.get(i)),
                        "seed " + seed);
            }
        }
    }

    private static List<String> differences(TreeMap<Integer, String> before, TreeMap<Integer, String> after) {
        List<String> all = new ArrayList<>();
        TreeSet<Integer> keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        keys.stream()
                .filter(each -> !Objects.equals(before.get(each), after.get(each)))
                .forEach(each -> all.add(before.get(each) + " " + after.get(each)));
        return all;
    }

    private static List<String> differences(
            PersistentMap<Integer, String> before, PersistentMap<Integer, String> after) {
        List<String> all = new ArrayList<>();
        after.compare(before, (was, is) -> all.add(was + " " + is));
        return all;
    }

    /** A few changes among very many entries are found without a look at the others. */
    @Test
    void comparingCostsWhatChanged() {
        int[] compared = {0};
        PersistentMap<Counted, Integer> map = PersistentMap.empty();
        for (int i = 0; i < 20_000; i++) {
            map = map.with(new Counted(2 * i, compared), i);
        }
        Random random = new Random(7);
        PersistentMap<Counted, Integer> changed = map;
        for (int i = 0; i < 10; i++) {
            Counted key = new Counted(2 * random.nextInt(20_000), compared);
            changed = changed.with(key, -i - 1).with(new Counted(key.value + 1, compared), i);
            changed = changed.without(new Counted(2 * random.nextInt(20_000), compared));
        }
        compared[0] = 0;
        int[] found = {0};
        changed.compare(map, (was, is) -> found[0]++);
        assertEquals(30, found[0]);
        assertTrue(compared[0] < 2_000, "comparisons: " + compared[0]);
    }

    private static void same(TreeMap<Integer, String> model, PersistentMap<Integer, String> map, long seed) {
        assertEquals(new ArrayList<>(model.keySet()), new ArrayList<>(map.keys()), "seed " + seed);
        assertEquals(new ArrayList<>(model.values()), new ArrayList<>(map.values()), "seed " + seed);
        assertEquals(model.size(), map.size(), "seed " + seed);
    }

    /** Rising keys are the worst case of a tree that does not balance. */
    @Test
    void staysShallow() {
        PersistentMap<Integer, Integer> map = PersistentMap.empty();
        for (int i = 0; i < 100_000; i++) {
            map = map.with(i, i);
        }
        int[] compared = {0};
        PersistentMap<Counted, Integer> counted = PersistentMap.empty();
        for (int i = 0; i < 1 << 12; i++) {
            counted = counted.with(new Counted(i, compared), i);
        }
        compared[0] = 0;
        assertEquals(4_000, counted.get(new Counted(4_000, compared)));
        assertEquals(true, compared[0] <= 18, "comparisons: " + compared[0]);
        assertEquals(100_000, map.size());
    }

    private record Counted(int value, int[] compared) implements Comparable<Counted> {
        @Override
        public int compareTo(Counted other) {
            compared[0]++;
            return Integer.compare(value, other.value);
        }
    }

    @Test
    void removingNothingChangesNothing() {
        PersistentMap<String, String> map =
                PersistentMap.<String, String>empty().with("a", "b");
        assertSame(map, map.without("c"));
        assertThrows(NoSuchElementException.class, () -> {
            var keys = map.keys().iterator();
            keys.next();
            keys.next();
        });
    }
}
