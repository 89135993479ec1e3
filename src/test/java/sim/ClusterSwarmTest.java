package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Mutations;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whole clusters with all kinds of faults: nodes that end, stand still or are cut off, and a minority of them for ever. */
@ExtendWith(QuietLogs.class)
class ClusterSwarmTest {
    private static final long FIRST = 30_001;
    private static final int SEEDS = 9;

    private static SimRun.Report run(long seed) {
        Map<String, String> overrides = Map.of("nodes", "3", "churns", "0", "disks", "1");
        String replay = "bin/sim run --seed " + seed + " --set nodes=3 --set churns=0 --set disks=1";
        return new SimRun(seed, overrides, Mutations.NONE, replay).run();
    }

    @Test
    void equalSeedsAreEqualRuns() {
        SimRun.Report first = run(FIRST);
        SimRun.Report second = run(FIRST);
        assertEquals(first.traceHash(), second.traceHash());
        assertEquals(first.events(), second.events());
    }

    @Test
    void allRulesHoldWithThreeNodes() {
        SimCounters counters = new SimCounters(SimCounters.NEEDED_OF_CLUSTERS);
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            SimRun.Report report = run(seed);
            assertNull(report.broken(), report.block());
            counters.add(report);
        }
        assertEquals(List.of(), counters.missing(), counters::toString);
    }
}
