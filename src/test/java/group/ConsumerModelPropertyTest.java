package group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import org.junit.jupiter.api.Test;

/** Random runs of {@link ConsumerModel}, and bugs that they must find. */
class ConsumerModelPropertyTest {
    private static final int STEPS = 150;

    @Test
    void randomRuns() {
        int handedOver = 0;
        int commits = 0;
        for (long seed = 1; seed <= 300; seed++) {
            ConsumerModel model = run(seed, Mutations.NONE);
            handedOver += model.handedOver();
            commits += model.commits();
        }
        assertTrue(handedOver > 5_000, handedOver + " times a client got or lost partitions");
        assertTrue(commits > 1_000, commits + " commits");
    }

    private static ConsumerModel run(long seed, Mutations mutations) {
        ConsumerModel model = new ConsumerModel(seed, mutations);
        try {
            model.run(STEPS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return model;
    }

    @Test
    void aPartitionGivenBeforeItWasReleasedIsFound() {
        assertFound("group-partition-before-release", "G5");
    }

    @Test
    void aCommitOfAnyOlderEpochIsFound() {
        assertFound("group-commit-with-any-older-epoch", "G7");
    }

    @Test
    void anAssignmentThatPassesForOneOfALaterEpochIsFound() {
        assertFound("group-assignment-of-another-epoch", "L5");
    }

    private static void assertFound(String bug, String rule) {
        for (long seed = 1; seed <= 100; seed++) {
            try {
                run(seed, bug::equals);
            } catch (AssertionError found) {
                assertTrue(found.getMessage().contains(rule), found.getMessage());
                return;
            }
        }
        throw new AssertionError("the planted bug " + bug + " was not found within 100 seeds");
    }
}
