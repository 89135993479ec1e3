package replication;

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

/** Leader and follower machines over real logs in a storm, by seed. */
class ReplicationSimTest {
    private static final int SEEDS = 60;
    private static final int PLANTED_WITHIN = 100;

    @Test
    void acknowledgedRecordsSurviveTheStorm() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            new ReplicaWorld(seed, Mutations.NONE)
                    .run()
                    .forEach((what, times) -> counts.merge(what, times, Integer::sum));
        }
        for (String what : List.of("acked", "cuts", "kills", "power-cuts", "leader-changes", "isr-refusals")) {
            assertTrue(counts.getOrDefault(what, 0) >= SEEDS / 4, what + " is rare: " + counts);
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 3; seed++) {
            ReplicaWorld first = new ReplicaWorld(seed, Mutations.NONE);
            first.run();
            ReplicaWorld second = new ReplicaWorld(seed, Mutations.NONE);
            second.run();
            assertEquals(first.traceHash(), second.traceHash(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "cut-to-high-watermark, 1",
        "diverged-fetch-counts, 1",
        "proposed-isr-ignored, 201",
        "shrink-before-commit, 1"
    })
    void plantedBugIsFound(String bug, long from) {
        for (long seed = from; seed < from + PLANTED_WITHIN; seed++) {
            try {
                new ReplicaWorld(seed, bug::equals).run();
            } catch (AssertionError found) {
                return;
            }
        }
        fail(bug + " was not found within " + PLANTED_WITHIN + " seeds");
    }
}
