package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import coordinator.CounterShard.Add;
import coordinator.RuntimeBench.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.QuietLogs;

/** Requests that wait in their shard, and what is computed for them away from the owner. */
@ExtendWith(QuietLogs.class)
final class OffloadTest {
    private final RuntimeBench bench = new RuntimeBench().led();

    /** Squares the sum of a name, for all that wait. */
    private static final class Squaring implements Offload<Add, Long> {
        private final CounterShard shard;
        private final Suspension waiting;

        Squaring(CounterShard shard, Suspension waiting) {
            this.shard = shard;
            this.waiting = waiting;
        }

        @Override
        public Supplier<Long> begin() {
            long sum = shard.sum("a");
            return () -> {
                if (sum == 13) {
                    throw new IllegalStateException("planted");
                }
                return sum * sum;
            };
        }

        @Override
        public Result<Add, Void> end(Long outcome) {
            shard.events.add("computed " + outcome);
            waiting.resume();
            return Result.of(List.of(new Add("squares", outcome)), null);
        }

        @Override
        public void failed(Failure why) {
            shard.events.add("failed " + why.code());
            waiting.fail(why);
        }
    }

    /** Adds, and answers the squares when there are some. */
    private Answer<Long> addAndAwait(long amount) {
        Answer<Long> answer = bench.answer("await");
        bench.runtime.write(
                0,
                shard -> {
                    if (shard.sum("squares") > 0) {
                        return Result.answer(shard.sum("squares"));
                    }
                    Suspension suspension = new Suspension();
                    shard.context.offload(new Squaring(shard, suspension));
                    return Result.suspended(List.of(new Add("a", amount)), suspension);
                },
                answer);
        return answer;
    }

    private void computed() {
        bench.store.computations.remove().run();
        bench.turns();
    }

    @Test
    void isComputedFromWhatWasReplayedAndAnsweredWhenCommitted_G2() {
        addAndAwait(3);
        assertEquals(3, bench.shard.sum("a"), "replayed at once");
        assertEquals(0, bench.store.computations.size(), "never inside the caller's stack");
        bench.turns();
        bench.store.commit();
        bench.expectAnswers();
        bench.add("a", 1);
        computed();
        bench.expectEvents("loaded 0", "computed 9");
        bench.expectAnswers();
        bench.store.commit();
        bench.expectAnswers("add a=4", "await=9");
        assertEquals(List.of(new Add("a", 3), new Add("a", 1), new Add("squares", 9)), bench.store.log);
    }

    @Test
    void theLoopGoesOnMeanwhile() {
        addAndAwait(3);
        bench.turns();
        bench.store.commit();
        bench.read("a");
        bench.expectAnswers("read a=3");
    }

    @Test
    void ofARevertedShardNothingIsLeft_G2() {
        Answer<Long> answer = addAndAwait(3);
        bench.turns();
        bench.store.fail(false);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.code());
        bench.turns();
        bench.answers.clear();
        bench.add("a", 1);
        computed();
        bench.store.commit();
        bench.expectAnswers("add a=1");
        assertEquals(0, bench.shard.sum("squares"));
        assertEquals(List.of(new Add("a", 1)), bench.store.log);
    }

    @Test
    void isGivenUpWithTheLeadership() {
        Answer<Long> answer = addAndAwait(3);
        bench.turns();
        bench.runtime.resign(0, "moved");
        assertEquals(FailureCode.NOT_COORDINATOR, answer.code());
        computed();
        bench.expectEvents("loaded 0", "unloaded NOT_COORDINATOR");
    }

    @Test
    void aStopDoesNotWaitForIt() {
        Answer<Long> answer = addAndAwait(3);
        bench.turns();
        Answer<Void> stopped = bench.answer("stop");
        bench.runtime.stop(stopped);
        assertEquals(FailureCode.NOT_COORDINATOR, answer.code());
        computed();
        assertFalse(stopped.isDone(), "what was begun is committed");
        bench.store.commit();
        assertEquals(List.of(new Add("a", 3)), bench.store.log);
    }

    @Test
    void aBugInItIsAnsweredAndTheShardStays() {
        Answer<Long> answer = addAndAwait(13);
        bench.turns();
        computed();
        assertEquals(FailureCode.INTERNAL, answer.code());
        bench.expectEvents("loaded 0", "failed INTERNAL");
        assertEquals(13, bench.shard.sum("a"));
    }

    @Test
    void anOutcomeThatCannotBeRecordedFails() {
        Answer<Long> answer = addAndAwait(3);
        bench.turns();
        bench.store.commit();
        bench.store.refusal = Failure.of(FailureCode.DISK_FULL, "planted");
        computed();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.code());
        bench.expectEvents("loaded 0", "computed 9", "failed COORDINATOR_NOT_AVAILABLE");
        assertEquals(0, bench.shard.sum("squares"));
    }

    @Test
    void nobodyWaitsWhileThePartitionTakesNoRecords() {
        bench.store.refusal = Failure.of(FailureCode.DISK_FULL, "planted");
        Answer<Long> answer = bench.answer("await");
        Suspension suspension = new Suspension();
        bench.runtime.write(0, shard -> Result.<Add, Long>suspended(List.of(), suspension), answer);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.code());
        suspension.resume();
        suspension.fail(Failure.of(FailureCode.INTERNAL, "too late"));
        bench.turns();
        bench.expectAnswers("await:COORDINATOR_NOT_AVAILABLE");
    }

    private Answer<Long> suspend(Suspension suspension) {
        Answer<Long> answer = bench.answer("await");
        int[] runs = new int[1];
        bench.runtime.write(
                0,
                shard -> runs[0]++ == 0 ? Result.<Add, Long>suspended(List.of(), suspension) : Result.answer(7L),
                answer);
        return answer;
    }

    @Test
    void thoseThatWaitAreBounded() {
        List<Suspension> suspensions = new ArrayList<>();
        List<Answer<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < ShardRequests.MAX_SUSPENDED; i++) {
            suspensions.add(new Suspension());
            waiting.add(suspend(suspensions.get(i)));
        }
        Suspension refused = new Suspension();
        Answer<Long> tooMany = suspend(refused);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, tooMany.code());
        assertFalse(refused.isPending());
        bench.turns();
        assertFalse(waiting.get(0).isDone());
        suspensions.get(0).resume();
        bench.turns();
        assertEquals(7, waiting.get(0).value());
        Suspension next = new Suspension();
        suspend(next);
        assertTrue(next.isPending());
    }

    @Test
    void whoseTimeIsUpMakesRoom() {
        List<Answer<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < ShardRequests.MAX_SUSPENDED - 1; i++) {
            waiting.add(suspend(new Suspension()));
        }
        bench.pass(RuntimeBench.COMMIT_TIMEOUT_MILLIS - 1);
        Suspension young = new Suspension();
        Answer<Long> stays = suspend(young);
        bench.pass(1);
        assertEquals(
                FailureCode.COORDINATOR_NOT_AVAILABLE, suspend(new Suspension()).code());
        bench.turns();
        waiting.forEach(each -> assertEquals(FailureCode.TIMED_OUT, each.code()));
        assertFalse(stays.isDone());
        young.resume();
        bench.turns();
        assertEquals(7, stays.value());
        assertFalse(suspend(new Suspension()).isDone());
    }

    @Test
    void whoseTimeIsUpIsNotRunAgain() {
        Suspension suspension = new Suspension();
        Answer<Long> answer = suspend(suspension);
        bench.pass(RuntimeBench.COMMIT_TIMEOUT_MILLIS);
        suspension.resume();
        bench.turns();
        assertEquals(FailureCode.TIMED_OUT, answer.code());
    }

    @Test
    void resumedTwiceItIsRunOnce() {
        Answer<Long> answer = bench.answer("await");
        Suspension suspension = new Suspension();
        int[] runs = new int[1];
        bench.runtime.write(
                0,
                shard -> runs[0]++ == 0 ? Result.<Add, Long>suspended(List.of(), suspension) : Result.answer(7L),
                answer);
        suspension.resume();
        suspension.resume();
        assertFalse(answer.isDone(), "never inside the caller's stack");
        bench.turns();
        assertEquals(7, answer.value());
        assertEquals(2, runs[0]);
    }
}
