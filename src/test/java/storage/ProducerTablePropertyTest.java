package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchSummary;
import records.Codec;
import sim.SimRandom;

/** The table of producers against a map, with sweeps that are interrupted by changes. */
final class ProducerTablePropertyTest {

    private static final int SEEDS = 300;

    @Test
    void holdsWhatAMapHolds() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                run(new SimRandom(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static void run(SimRandom random) {
        ProducerTable table = new ProducerTable();
        Map<Long, ProducerEntry> model = new TreeMap<>();
        // Ids in a row, and ids that all want the same places.
        long step = random.chance(0.5) ? 1 : 1L << (20 + random.below(40));
        int range = 1 + random.below(200);
        long old = 0;
        for (int i = 0; i < 2_000; i++) {
            long id = step * random.below(range);
            switch (random.below(10)) {
                case 0, 1, 2, 3, 4, 5 -> {
                    ProducerEntry entry = entry(id, i);
                    table.put(entry);
                    model.put(id, entry);
                }
                case 6 -> {
                    table.remove(id);
                    model.remove(id);
                }
                case 7, 8 -> {
                    long bound = old;
                    Set<ProducerEntry> taken = new LinkedHashSet<>();
                    int looked = table.sweep(1 + random.below(20), entry -> {
                        boolean gone = entry.lastTimestamp < bound;
                        if (gone) {
                            assertTrue(taken.add(entry), "taken twice");
                        }
                        return gone;
                    });
                    taken.forEach(each -> assertTrue(model.remove(each.producerId, each), "what was not there"));
                    if (looked != ProducerStates.MORE) {
                        old = (long) i - random.below(1_000);
                    }
                }
                default -> assertEquals(model.get(id), table.get(id));
            }
            assertEquals(model.size(), table.size());
        }
        assertEquals(List.copyOf(model.values()), List.of(table.sorted()));
        List<ProducerEntry> all = new ArrayList<>();
        table.forEach(all::add);
        assertEquals(model.size(), all.size());
        assertTrue(all.containsAll(model.values()));
        for (int i = 0; i < range; i++) {
            assertEquals(model.get(step * i), table.get(step * i));
        }
        wholeSweep(table, model, random);
    }

    /** With no changes between its parts, a sweep leaves none out; and an empty table takes no memory. */
    private static void wholeSweep(ProducerTable table, Map<Long, ProducerEntry> model, SimRandom random) {
        while (table.sweep(7, entry -> false) == ProducerStates.MORE) {
            assertEquals(model.size(), table.size());
        }
        int most = 1 + random.below(30);
        int before = table.size();
        while (table.sweep(most, entry -> entry.lastTimestamp % 2 == 0) == ProducerStates.MORE) {
            assertTrue(before - table.size() <= most);
            before = table.size();
        }
        model.values().removeIf(entry -> entry.lastTimestamp % 2 == 0);
        assertEquals(List.copyOf(model.values()), List.of(table.sorted()));
        while (table.sweep(most, entry -> true) == ProducerStates.MORE) {
            assertTrue(table.places() > 0);
        }
        assertEquals(0, table.size());
        assertEquals(0, table.places());
    }

    private static ProducerEntry entry(long id, long time) {
        BatchBuilder builder = new BatchBuilder(Codec.NONE, 0, 0, new BatchBuilder.Producer(id, (short) 0, 0, false));
        builder.add(time, null, new byte[1]);
        ByteBuffer batch = builder.build();
        BatchHeader.assign(batch, 0, 0, 0);
        return ProducerEntry.afterBatch(null, BatchSummary.of(batch, 0));
    }
}
