package raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random quorums under random faults keep rules R1 to R15 and settle; what breaks a rule is found. {@link RaftSwarm} runs more seeds by hand. */
class RaftSimTest {
    private static final int SEEDS = 400;
    private static final int SEEDS_FOR_A_BUG = 100;

    @Test
    void randomQuorumsKeepTheRules() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            RaftSim.Report report = RaftSim.run(seed, Map.of(), Mutations.NONE);
            assertNull(report.broken(), report.block());
            report.counts().forEach((what, times) -> counts.merge(what, times, Integer::sum));
        }
        for (String each : List.of(
                "leaders",
                "Truncate",
                "InstallSnapshot",
                "voter changes",
                "crashes with unsynced records",
                "disks lost",
                "rotten logs",
                "power cuts",
                "RESIGNED")) {
            assertTrue(counts.getOrDefault(each, 0) > 20, each + " is hardly tried: " + counts);
        }
    }

    @Test
    void oneThatWasCutOffDeposesNobody() {
        Map<String, Integer> quiet = RaftProfile.quiet();
        quiet.put("isolate", 1);
        for (int voters = 3; voters <= 5; voters += 2) {
            quiet.put("voters", voters);
            for (long seed = 1; seed <= 20; seed++) {
                RaftSim.Report report = RaftSim.run(seed, quiet, Mutations.NONE);
                assertNull(report.broken(), report.block());
            }
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 5; seed++) {
            RaftSim.Report first = RaftSim.run(seed, Map.of(), Mutations.NONE);
            RaftSim.Report second = RaftSim.run(seed, Map.of(), Mutations.NONE);
            assertEquals(first.traceHash(), second.traceHash(), "seed " + seed);
            assertEquals(first.events(), second.events());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "raft-no-pre-vote, R4, isolate=1 voters=3",
        "raft-vote-not-persisted, R1, crashes=1 voters=3",
        "raft-commit-old-epoch, R6, crashes=1 cuts=1 voters=5",
        "raft-fetch-before-fsync, R7, crashes=1 slowDisks=1 voters=3",
        "raft-leader-counts-undurable, R7, crashes=1 slowDisks=1 voters=3",
        "raft-two-voter-changes, R13, membership=1 cuts=1 voters=3",
        "raft-vote-by-current-epoch, R11, crashes=1 cuts=1 voters=3",
        "raft-no-truncation, R9, crashes=1 cuts=1 voters=3",
    })
    void aPlantedBugIsFound(String mutation, String rule, String profile) {
        Map<String, Integer> overrides = RaftProfile.quiet();
        for (String entry : profile.split(" ", -1)) {
            String[] pair = entry.split("=", 2);
            overrides.put(pair[0], Integer.valueOf(pair[1]));
        }
        RaftSim.Report found = null;
        for (long seed = 1; seed <= SEEDS_FOR_A_BUG && found == null; seed++) {
            RaftSim.Report report = RaftSim.run(seed, overrides, mutation::equals);
            found = report.broken() == null ? null : report;
        }
        assertNotNull(found, mutation + " was not found in " + SEEDS_FOR_A_BUG + " seeds");
        assertTrue(found.broken().startsWith(rule), found.block());
        RaftSim.Report without = RaftSim.run(found.seed(), overrides, Mutations.NONE);
        assertNull(without.broken(), without.block());
    }
}
