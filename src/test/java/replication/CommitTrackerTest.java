package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.ReadPartition;
import storage.AppendResult;

/** What waits for the high watermark, on a real log: node 1 leads, node 2 follows. */
class CommitTrackerTest {
    private static final Failure OVER = Failure.of(FailureCode.NOT_LEADER, "over");

    private final TransactionLab lab = new TransactionLab(1, false, TransactionVerifier.NONE, Mutations.NONE);
    private final List<String> answers = new ArrayList<>();
    private final List<Long> passed = new ArrayList<>();
    private final List<IsrProposal> asked = new ArrayList<>();
    private final CommitTracker tracker = new CommitTracker(
            new LeaderSetup(
                    1,
                    id -> 10L + id,
                    (partition, proposal, outcome) -> {
                        asked.add(proposal);
                        outcome.refused(IsrProposal.Refusal.UNKNOWN);
                    },
                    lab.host.clock(),
                    lab.host.ports().timers(),
                    5_000_000_000L,
                    Mutations.NONE),
            lab.log,
            new IsrState(1, 1, List.of(1, 2), List.of(1, 2), 2, false),
            passed::add);

    private long append(int sequence) {
        AppendResult result =
                lab.host.await(done -> lab.log.append(TransactionLab.batch(7, 0, sequence, false, "v"), 1, done));
        tracker.written(result.baseOffset(), result.lastOffset(), 100);
        tracker.advance();
        return result.lastOffset();
    }

    private Callback<Void> told(String name) {
        return (none, failure) -> answers.add(name + (failure == null ? "" : " " + failure.code()));
    }

    private void follow(long offset) {
        tracker.fetched(2, 12, new ReadPartition(null, 1, offset, 1, 0, 1));
    }

    @Test
    void anAppendIsAnsweredWhenTheFollowerHasIt() {
        long first = append(0);
        tracker.await(first, 30_000, told("first"));
        long second = append(1);
        tracker.await(second, 30_000, told("second"));
        follow(first + 1);
        assertEquals(List.of("first"), answers);
        assertEquals(List.of(100L), passed, "only what the high watermark has passed");
        follow(second + 1);
        assertEquals(List.of("first", "second"), answers);
        assertEquals(List.of(100L, 100L), passed);
        assertEquals(second + 1, lab.log.highWatermark());
    }

    @Test
    void aShortTimeOutIsNotHeldUpByALongOne() {
        long offset = append(0);
        tracker.await(offset, 30_000, told("long"));
        tracker.await(offset, 1_000, told("short"));
        tracker.await(offset, 0, told("none"));
        lab.host.runFor(1_500);
        assertEquals(List.of("none TIMED_OUT", "short TIMED_OUT"), answers);
        lab.host.runFor(30_000);
        assertEquals("long TIMED_OUT", answers.get(2));
    }

    @Test
    void whenTheEpochIsOverEverythingFailsAndNothingMoves() {
        long offset = append(0);
        tracker.await(offset, 30_000, told("before"));
        tracker.close(OVER);
        tracker.await(offset, 30_000, told("after"));
        follow(offset + 1);
        tracker.advance();
        assertEquals(List.of("before NOT_LEADER", "after NOT_LEADER"), answers);
        assertEquals(0, lab.log.highWatermark());
        lab.host.runFor(60_000);
        assertEquals(2, answers.size());
    }

    @Test
    void aProposalWithoutAnAnswerIsNotRepeatedWithEachFetch() {
        append(0);
        lab.host.runFor(6_000);
        for (int i = 0; i < 100; i++) {
            tracker.check();
        }
        assertEquals(1, asked.size(), "rule L7");
        lab.host.runFor(2_100);
        assertEquals(5, asked.size());
        assertEquals(1, asked.stream().distinct().count(), "the same, as it may have been taken");
    }
}
