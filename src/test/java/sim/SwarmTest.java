package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Mutations;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The simulator's share of each build: determinism, the seeds that once found a bug, and a hundred open profiles. */
@ExtendWith(QuietLogs.class)
class SwarmTest {
    private static final int SEEDS = 100;
    private static final int MIXED_SEEDS = 20;
    private static final List<String> FAULTS_OF_GROUPS =
            List.of("kill+slow_bus", "power_cut+connection_kill", "crash_in_job+slow_bus", "clean_restart+network_cut");

    private static SimRun.Report run(long seed) {
        return run(seed, Map.of());
    }

    private static SimRun.Report run(long seed, Map<String, String> overrides) {
        return new SimRun(seed, overrides, Mutations.NONE, "bin/sim run --seed " + seed).run();
    }

    @Test
    void equalSeedsAreEqualRuns() {
        for (long seed = 1; seed <= 3; seed++) {
            Map<String, String> overrides =
                    Map.of("groups", Long.toString(seed - 1), "transactions", Long.toString(seed - 1));
            SimRun.Report first = run(seed, overrides);
            SimRun.Report second = run(seed, overrides);
            assertEquals(first.traceHash(), second.traceHash(), "seed " + seed);
            assertEquals(first.events(), second.events(), "seed " + seed);
        }
    }

    /** Online migrations: members of both protocols in one group, whose assignments are computed by a worker. */
    @Test
    void allRulesHoldInGroupsOfBothProtocols() {
        for (long seed = 20_001; seed <= 20_000 + MIXED_SEEDS; seed++) {
            Map<String, String> overrides = Map.of(
                    "groups", "2",
                    "consumerGroups", "3",
                    "classicMembers", Long.toString(1 + seed % 15),
                    "members", "4",
                    "offloads", "1",
                    "faults", FAULTS_OF_GROUPS.get((int) (seed % FAULTS_OF_GROUPS.size())),
                    "transactions", "0");
            SimRun.Report report = run(seed, overrides);
            assertNull(report.broken(), report.block());
        }
    }

    @Test
    void seedsThatOnceFoundABugPass() {
        for (SimRegression.Entry entry : SimRegression.read(SimRegression.FILE)) {
            SimRun.Report report = entry.run();
            assertNull(report.broken(), report.block());
        }
        for (Path file : SimRegression.decisionFiles()) {
            SimRun.Report report = SimRegression.replay(file);
            assertNull(report.broken(), report.block());
        }
    }

    @Test
    void allRulesHoldInAHundredOpenProfiles() {
        SimCounters counters = new SimCounters();
        for (long seed = 10_001; seed <= 10_000 + SEEDS; seed++) {
            SimRun.Report report = run(seed);
            assertNull(report.broken(), report.block());
            counters.add(report);
        }
        assertEquals(List.of(), counters.missing(), counters::toString);
    }
}
