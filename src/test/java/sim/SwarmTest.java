package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The simulator's share of each build: determinism, the seeds that once found a bug, and a hundred open profiles. */
@ExtendWith(QuietLogs.class)
class SwarmTest {
    private static final int SEEDS = 100;

    private static SimRun.Report run(long seed) {
        return run(seed, Map.of());
    }

    private static SimRun.Report run(long seed, Map<String, String> overrides) {
        return new SimRun(seed, overrides, Mutations.NONE, "bin/sim run --seed " + seed).run();
    }

    @Test
    void equalSeedsAreEqualRuns() {
        for (long seed = 1; seed <= 3; seed++) {
            Map<String, String> overrides = Map.of("groups", Long.toString(seed - 1));
            SimRun.Report first = run(seed, overrides);
            SimRun.Report second = run(seed, overrides);
            assertEquals(first.traceHash(), second.traceHash(), "seed " + seed);
            assertEquals(first.events(), second.events(), "seed " + seed);
        }
    }

    @Test
    void seedsThatOnceFoundABugPass() {
        for (SimRegression.Entry entry : SimRegression.read(SimRegression.FILE)) {
            SimRun.Report report = entry.run();
            assertNull(report.broken(), report.block());
        }
    }

    @Test
    void allRulesHoldInAHundredOpenProfiles() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 10_001; seed <= 10_000 + SEEDS; seed++) {
            SimRun.Report report = run(seed);
            assertNull(report.broken(), report.block());
            report.counts().forEach((name, count) -> counts.merge(name, count, Integer::sum));
        }
        for (String needed : new String[] {
            "node.powercuts",
            "node.kills",
            "node.clean-stops",
            "disk.failed-SYNC",
            "disk.was-full",
            "ghosts",
            "consumer.passes",
            "member.freezes",
            "member.zombie-commits",
            "heartbeat.REBALANCE_IN_PROGRESS",
            "beat.UNKNOWN_MEMBER_ID",
            "commit.ILLEGAL_GENERATION",
            "commit.STALE_MEMBER_EPOCH",
            "commit.unknown",
            "group-delete.NONE"
        }) {
            assertTrue(counts.getOrDefault(needed, 0) > 0, "nothing of " + needed + " happened: " + counts);
        }
    }
}
