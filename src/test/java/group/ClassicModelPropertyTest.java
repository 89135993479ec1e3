package group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import org.junit.jupiter.api.Test;

/** Random runs of {@link ClassicModel}, and bugs that they must find. */
class ClassicModelPropertyTest {
    private static final int STEPS = 400;

    @Test
    void randomRuns() {
        int settled = 0;
        int generations = 0;
        for (long seed = 1; seed <= 300; seed++) {
            ClassicModel model = run(seed, Mutations.NONE);
            settled += model.settledOnce();
            generations += model.generations();
        }
        assertTrue(settled > 3_000, settled + " assignments");
        assertTrue(generations > 1_500, generations + " generations");
    }

    private static ClassicModel run(long seed, Mutations mutations) {
        ClassicModel model = new ClassicModel(seed, mutations);
        try {
            model.run(STEPS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return model;
    }

    @Test
    void anAssignmentGivenBeforeItIsCommittedIsFound() {
        assertFound("classic.sync-before-commit", "not committed (G4)");
    }

    @Test
    void aGenerationUsedTwiceIsFound() {
        assertFound("classic.generation-not-stored", "(G2, G3)");
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
