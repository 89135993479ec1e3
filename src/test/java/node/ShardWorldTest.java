package node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import common.Mutations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Storage shards that lead, follow, gain and lose partitions in a storm, by seed. */
class ShardWorldTest {
    private static final long SEEDS = Long.getLong("shards.seeds", 20);
    private static final int PLANTED_WITHIN = 60;
    private static final long FIRST = Long.getLong("shards.first", 1);

    @Test
    void rolesChangeAndNothingIsLost() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try {
                new ShardWorld(seed, Mutations.NONE)
                        .run()
                        .forEach((what, times) -> counts.merge(what, times, Integer::sum));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        for (String what : List.of("acked", "moves", "kills", "power-cuts", "diverging", "deletions", "restarts")) {
            assertTrue(counts.getOrDefault(what, 0) >= SEEDS / 4, what + " is rare: " + counts);
        }
    }

    @Test
    void rotInAFollowerHealsFromItsLeader_S8() {
        int seen = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Map<String, Integer> counts = new ShardWorld(seed, Mutations.NONE).rot();
            seen += counts.containsKey("damage-seen") ? 1 : 0;
        }
        assertTrue(seen >= SEEDS / 4, "damage was seen in " + seen + " runs only");
    }

    @Test
    void whoHasTheMostLeadsWhenAllLostTheirPower_C4() {
        int waited = 0;
        int holes = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Map<String, Integer> counts;
            try {
                counts = new ShardWorld(seed, Mutations.NONE).powerCutOfAll();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            waited += counts.containsKey("waited") ? 1 : 0;
            holes += counts.containsKey("holes") ? 1 : 0;
        }
        assertTrue(holes < SEEDS / 2, "power cuts left holes in " + holes + " runs");
        assertTrue(waited >= SEEDS / 4, "somebody was waited for in " + waited + " runs only");
    }

    @Test
    void aNodeWithAnEmptyDiskBeginsAnewWhereItIsToldLater_S13() {
        for (long seed = 1; seed <= 5; seed++) {
            new ShardWorld(seed, Mutations.NONE).wipe();
        }
    }

    @Test
    void aLeaderWhoseLogRotsHandsOverAndHeals_S8() {
        int seen = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Map<String, Integer> counts = new ShardWorld(seed, Mutations.NONE).rotInALeader();
            seen += counts.containsKey("damage-seen") ? 1 : 0;
        }
        assertTrue(seen >= SEEDS / 4, "damage was seen in " + seen + " runs only");
    }

    @ParameterizedTest
    @CsvSource({"diverged-fetch-counts, 1", "shrink-before-commit, 1"})
    void plantedBugIsFound(String bug, long from) {
        for (long seed = from; seed < from + PLANTED_WITHIN; seed++) {
            try {
                new ShardWorld(seed, bug::equals).run();
            } catch (AssertionError found) {
                return;
            }
        }
        fail(bug + " was not found within " + PLANTED_WITHIN + " seeds");
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 2; seed++) {
            ShardWorld first = new ShardWorld(seed, Mutations.NONE);
            first.run();
            ShardWorld second = new ShardWorld(seed, Mutations.NONE);
            second.run();
            assertEquals(first.traceHash(), second.traceHash(), "seed " + seed);
        }
    }
}
