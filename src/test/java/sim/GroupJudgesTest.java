package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The judges of groups themselves: each must refuse what breaks its rule, and nothing else. */
class GroupJudgesTest {
    private static final long MILLI = SimScheduler.MILLI;

    private final OffsetHistory history = new OffsetHistory("g/t-0");
    private final OwnershipJudge owners = new OwnershipJudge("g", 1_000, 2_000);
    private final GenerationJudge generations = new GenerationJudge("g");

    private static void broken(String rule, Runnable action) {
        assertEquals(rule, assertThrows(RuleBroken.class, action::run).rule());
    }

    private void commit(long offset, long begun, long done) {
        history.begin(offset, "", begun, null);
        history.done(offset, done);
    }

    @Test
    void aLostCommitIsFound() {
        commit(100, 10, 20);
        commit(101, 30, 40);
        history.read(100, "", 50, 60);
        broken("G8 committed offset", history::judge);
    }

    @Test
    void anOffsetThatComesBackIsFound() {
        commit(100, 10, 20);
        history.begin(101, "", 30, null);
        history.read(101, "", 40, 50);
        history.read(100, "", 60, 70);
        history.read(101, "", 80, 90);
        broken("G8 committed offset", history::judge);
    }

    @Test
    void aCommitOfUnknownOutcomeMayComeLate() {
        commit(100, 10, 20);
        history.begin(101, "", 30, null);
        commit(102, 40, 50);
        history.read(102, "", 60, 70);
        history.read(101, "", 80, 90);
        history.judge();
    }

    @Test
    void readsDuringACommitMaySeeEither() {
        commit(100, 10, 20);
        commit(101, 30, 90);
        history.read(100, "", 40, 50);
        history.read(101, "", 45, 60);
        history.judge();
    }

    @Test
    void aCommitNeverSeenAndNothingThatWasCommitted() {
        commit(100, 10, 20);
        broken("G8 only what was committed", () -> history.read(7, "", 30, 40));
        history.read(OffsetHistory.NONE, "", 30, 40);
        broken("G8 committed offset", history::judge);
    }

    @Test
    void aRefusedCommitThatIsThereIsFound() {
        history.begin(100, "", 10, null);
        history.refused(100);
        broken("V3 refused is not done", () -> history.read(100, "", 30, 40));
    }

    @Test
    void aZombiesCommitIsFound() {
        history.begin(100, "", 10, "generation 3 had begun");
        broken("G7 no zombie commit", () -> history.done(100, 20));
        broken("G7 no zombie commit", () -> history.read(100, "", 30, 40));
    }

    @Test
    void twoOwnersAreFound() {
        owners.holds("a", Set.of("t-0"), false, 0, 10 * MILLI);
        broken("G5 one owner", () -> owners.holds("b", Set.of("t-0"), false, 500 * MILLI, 510 * MILLI));
    }

    @Test
    void aLateHeartbeatMayGiveUpWhatItDoesNotNameUntilItsEpochIsOver() {
        owners.unanswered("a", Set.of("t-0"));
        owners.holds("a", Set.of("t-0", "t-1"), false, 0, 10 * MILLI);
        owners.holds("b", Set.of("t-1"), false, 500 * MILLI, 510 * MILLI);
        broken("G5 one owner", () -> owners.holds("b", Set.of("t-0"), false, 500 * MILLI, 510 * MILLI));
        owners.settled("a");
        broken("G5 one owner", () -> owners.holds("b", Set.of("t-1"), false, 520 * MILLI, 530 * MILLI));
    }

    @Test
    void anOwnerWhoReleasedOrWentSilentIsNone() {
        owners.holds("a", Set.of("t-0", "t-1"), false, 0, 10 * MILLI);
        owners.released("a", "t-0", 400 * MILLI);
        owners.holds("b", Set.of("t-0"), false, 500 * MILLI, 510 * MILLI);
        owners.holds("b", Set.of("t-0", "t-1"), false, 1_000 * MILLI, 1_010 * MILLI);
        assertEquals("b", owners.newestOwner("t-1"));
    }

    @Test
    void aGenerationUsedTwiceIsFound() {
        generations.joined(3, "a", null, List.of("a", "b"), 2);
        broken("G3 a generation number is used once", () -> generations.joined(3, "a", null, List.of("a"), 2));
        broken("G3 a generation number is used once", () -> generations.joined(3, "c", null, null, 2));
        broken("G3 generations rise", () -> generations.joined(2, "a", null, null, 3));
    }

    @Test
    void twoAssignmentsOfAGenerationAreFound() {
        byte[] bytes = {1};
        generations.joined(3, "a", null, List.of("a", "b"), 2);
        generations.proposed("3#a#0", Map.of("a", bytes));
        generations.proposed("3#a#1", Map.of("b", bytes));
        generations.proposed("2#a#0", Map.of("b", bytes));
        generations.assigned(3, "a", "3#a#0", bytes);
        broken("G4 one assignment a generation", () -> generations.assigned(3, "b", "3#a#1", bytes));
        broken("G4 assignment of its generation", () -> generations.assigned(3, "b", "2#a#0", bytes));
        broken("G4 what the leader said", () -> generations.assigned(3, "a", "3#a#0", new byte[] {2}));
    }
}
