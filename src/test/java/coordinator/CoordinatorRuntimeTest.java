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
import org.junit.jupiter.api.Test;

/** What becomes of requests: order, group commit, refusals, failures (rule G2). */
final class CoordinatorRuntimeTest {
    private static final Failure FULL = Failure.of(FailureCode.DISK_FULL, "planted");

    private final RuntimeBench bench = new RuntimeBench().led();

    @Test
    void answersWhenCommittedAndSharesBatches_G2() {
        bench.add("a", 1);
        bench.add("a", 2);
        assertEquals(3, bench.shard.sum("a"), "replayed at once");
        assertEquals(0, bench.store.appends.size(), "no append before the turn's end");
        bench.turns();
        bench.add("a", 3);
        bench.read("a");
        bench.add("b", 4);
        bench.turns();
        assertEquals(1, bench.store.appends.size(), "one append at a time");
        bench.expectAnswers();
        bench.store.commit();
        bench.expectAnswers("add a=1", "add a=3");
        bench.turns();
        bench.store.commit();
        bench.expectAnswers("add a=6", "read a=6", "add b=4");
        assertEquals(List.of(2, 2), bench.store.batchCounts);
    }

    @Test
    void answersAtOnceWhenNothingIsPending() {
        bench.read("a");
        bench.expectAnswers("read a=0");
        Answer<String> empty = bench.answer("empty");
        bench.runtime.write(0, shard -> Result.answer("x"), empty);
        bench.expectAnswers("empty=x");
    }

    @Test
    void readWaitsForTheAppendUnderWay_G2() {
        bench.add("a", 1);
        bench.turns();
        bench.read("a");
        bench.expectAnswers();
        bench.store.commit();
        bench.expectAnswers("add a=1", "read a=1");
    }

    @Test
    void recordsOfOneResultStayTogether() {
        bench.store.maxBatchBytes = 400;
        for (int i = 0; i < 3; i++) {
            bench.runtime.write(
                    0,
                    shard -> Result.of(List.of(new Add("x", 1), new Add("y", 1), new Add("z", 1)), 0L),
                    bench.answer("three"));
        }
        bench.turns();
        bench.store.commit();
        bench.store.commit();
        assertEquals(List.of(6, 3), bench.store.batchCounts);
    }

    @Test
    void recordsThatMayBePartedFillSeveralBatches_G2() {
        bench.store.maxBatchBytes = 400;
        bench.add("a", 1);
        Answer<Long> many = bench.answer("many");
        List<Add> adds = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            adds.add(new Add("m" + i, 1));
        }
        bench.runtime.write(0, shard -> Result.of(adds, 12L).atomicOnly(3), many);
        bench.add("b", 1);
        bench.turns();
        bench.store.commit();
        assertFalse(many.isDone());
        bench.store.commit();
        assertFalse(many.isDone(), "answered with its last record");
        bench.store.commit();
        bench.expectAnswers("add a=1", "many=12");
        bench.store.commit();
        bench.expectAnswers("add b=1");
        List<Add> expected = new ArrayList<>(List.of(new Add("a", 1)));
        expected.addAll(adds);
        expected.add(new Add("b", 1));
        assertEquals(expected, bench.store.log);
        assertEquals(14, bench.store.batchCounts.stream().mapToInt(each -> each).sum());
        assertEquals(4, bench.store.batchCounts.size());
        assertTrue(
                bench.store.batchCounts.get(0) == 1 || bench.store.batchCounts.get(0) > 3,
                "the first three are together");
    }

    @Test
    void partsBehindAFailedOneAreNotWritten_G2() {
        bench.store.maxBatchBytes = 400;
        Answer<Long> many = bench.answer("many");
        List<Add> adds = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            adds.add(new Add("m", 1));
        }
        bench.runtime.write(0, shard -> Result.of(adds, 12L).atomicOnly(1), many);
        bench.turns();
        bench.store.commit();
        bench.store.fail(false);
        bench.turns();
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, many.code());
        int kept = bench.store.log.size();
        assertTrue(kept > 0 && kept < 12, kept + " records are in the log");
        assertEquals(kept, bench.shard.sum("m"), "what the log has, and no more");
    }

    @Test
    void firstRecordsThatDoNotFitABatchFailAlone() {
        bench.store.maxBatchBytes = 200;
        Answer<Long> large = bench.answer("large");
        List<Add> adds = List.of(new Add("a", 1), new Add("b", 1), new Add("c", 1), new Add("d", 1));
        bench.runtime.write(0, shard -> Result.of(adds, 0L).atomicOnly(3), large);
        assertEquals(FailureCode.RECORD_LIST_TOO_LARGE, large.code());
        assertEquals(0, bench.shard.applied);
        bench.runtime.write(0, shard -> Result.of(adds, 0L).atomicOnly(2), bench.answer("fits"));
        assertEquals(4, bench.shard.applied);
    }

    @Test
    void tooManyRecordsFailAlone() {
        bench.add("a", 1);
        List<String> told = new ArrayList<>();
        Answer<Long> large = bench.answer("large");
        bench.runtime.write(
                0,
                shard -> Result.of(List.of(new Add("l".repeat(1_000_001), 1)), 0L)
                        .settled((none, failure) -> told.add(failure.code() + " " + shard.applied)),
                large);
        assertEquals(FailureCode.RECORD_LIST_TOO_LARGE, large.code());
        assertEquals(List.of("RECORD_LIST_TOO_LARGE 1"), told);
        bench.turns();
        bench.store.commit();
        bench.expectAnswers("large:RECORD_LIST_TOO_LARGE", "add a=1");
        bench.expectEvents("loaded 0");
    }

    @Test
    void settledRunsBeforeTheAnswer() {
        bench.runtime.write(
                0,
                shard -> shard.add("a", 1).settled((none, failure) -> bench.answers.add("settled " + failure)),
                bench.answer("add"));
        bench.turns();
        bench.expectAnswers();
        bench.store.commit();
        bench.expectAnswers("settled null", "add=1");
    }

    @Test
    void failedAppendRevertsToTheLog_G2() {
        bench.add("a", 1);
        bench.turns();
        bench.store.commit();
        Answer<Long> parked = bench.park();
        bench.answers.clear();
        bench.add("a", 10);
        bench.turns();
        bench.add("a", 100);
        bench.read("a");
        bench.store.fail(false);
        bench.expectAnswers(
                "add a:COORDINATOR_NOT_AVAILABLE",
                "add a:COORDINATOR_NOT_AVAILABLE",
                "read a:COORDINATOR_NOT_AVAILABLE",
                "park:COORDINATOR_NOT_AVAILABLE");
        assertTrue(parked.isDone());
        assertEquals(FailureCode.COORDINATOR_LOADING, bench.add("a", 5).code());
        bench.turns();
        bench.expectEvents("loaded 0", "unloaded COORDINATOR_NOT_AVAILABLE", "loaded 1");
        assertEquals(1, bench.read("a").value());
    }

    @Test
    void unknownOutcomeIsWhatTheLogSays_V3() {
        bench.add("a", 10);
        bench.turns();
        bench.store.fail(true);
        bench.turns();
        assertEquals(10, bench.read("a").value());
    }

    @Test
    void repeatedFailuresBackOffUntilOneSucceeds() {
        long[] pauses = {0, 100, 200, 400};
        for (long pause : pauses) {
            bench.add("a", 1);
            bench.turns();
            bench.store.fail(false);
            if (pause > 0) {
                bench.pass(pause - 1);
                assertEquals(FailureCode.COORDINATOR_LOADING, bench.read("a").code());
            }
            bench.pass(2);
            assertEquals(0, bench.read("a").value());
        }
        bench.add("a", 1);
        bench.turns();
        bench.store.commit();
        bench.add("a", 1);
        bench.turns();
        bench.store.fail(false);
        bench.turns();
        assertEquals(1, bench.read("a").value());
    }

    @Test
    void leavesItsStateAloneWhileNoRecordsAreTaken() {
        bench.store.refusal = FULL;
        List<String> told = new ArrayList<>();
        bench.runtime.write(
                0,
                shard -> shard.add("a", 1).settled((none, failure) -> told.add(failure.code() + " " + shard.applied)),
                bench.answer("add"));
        bench.expectAnswers("add:COORDINATOR_NOT_AVAILABLE");
        assertEquals(List.of("COORDINATOR_NOT_AVAILABLE 0"), told);
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, bench.park().code());
        assertEquals(0, bench.read("a").value());
        Answer<String> heartbeat = bench.answer("heartbeat");
        bench.runtime.write(0, shard -> Result.answer("alive"), heartbeat);
        assertEquals("alive", heartbeat.value());
        bench.expectEvents("loaded 0");
    }

    @Test
    void boundsWhatWaits() {
        bench.add("a", 1);
        bench.turns();
        int taken = 0;
        while (bench.add("a", 1).isDone() == false) {
            taken++;
        }
        assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, lastCode());
        assertTrue(taken > 100 && taken * 49 <= RuntimeBench.MAX_PENDING_BYTES, taken + " were taken");
        bench.read("a");
        assertFalse(bench.answers.contains("read a=" + (taken + 1)), "waits for those before it");
        bench.store.commit();
        bench.turns();
        bench.store.commit();
        assertEquals(taken + 1, bench.shard.sum("a"));
        assertFalse(bench.add("a", 1).isDone(), "taken again");
    }

    /** Fifty partitions with that much each would be more than the heap. */
    @Test
    void takesNoMoreThanItsBoundOverAllPartitions() {
        List<FakeStore> stores = new ArrayList<>();
        int taken = 0;
        int full = 0;
        for (int partition = 1; partition <= 5; partition++) {
            FakeStore store = new FakeStore();
            stores.add(store);
            bench.runtime.lead(partition, 1, store);
            bench.turns();
            Answer<Long> answer = add(partition);
            while (!answer.isDone()) {
                taken++;
                answer = add(partition);
            }
            assertEquals(FailureCode.COORDINATOR_NOT_AVAILABLE, answer.code());
            full += add(6 - partition).isDone() ? 1 : 0;
        }
        int bytes = taken * 49;
        assertTrue(bytes < RuntimeBench.MAX_PENDING_BYTES_OF_ALL + 100, bytes + " bytes were taken");
        assertTrue(bytes > 2 * RuntimeBench.MAX_PENDING_BYTES, bytes + " bytes were taken");
        assertEquals(5, full);
        commitAll(stores.get(0));
        assertFalse(add(5).isDone(), "taken again, by any of them");
        bench.runtime.resign(2, "moved");
        for (int i = 0; i < 200; i++) {
            assertFalse(add(4).isDone(), "what is given up does not count");
        }
    }

    private Answer<Long> add(int partition) {
        Answer<Long> answer = bench.answer("add to " + partition);
        bench.runtime.write(partition, shard -> shard.add("a", 1), answer);
        return answer;
    }

    private void commitAll(FakeStore store) {
        while (!store.appends.isEmpty()) {
            store.commit();
            bench.turns();
        }
    }

    private FailureCode lastCode() {
        String last = bench.answers.get(bench.answers.size() - 1);
        return FailureCode.valueOf(last.substring(last.indexOf(':') + 1));
    }

    @Test
    void lateCommitIsAnsweredTimedOutAndHoldsAllTheSame_V3() {
        Answer<Long> first = bench.add("a", 1);
        bench.pass(3_000);
        Answer<Long> second = bench.add("a", 2);
        bench.pass(1_999);
        assertFalse(first.isDone());
        bench.pass(1);
        assertEquals(FailureCode.TIMED_OUT, first.code());
        assertFalse(second.isDone());
        bench.pass(3_000);
        assertEquals(FailureCode.TIMED_OUT, second.code());
        bench.store.commit();
        bench.turns();
        bench.store.commit();
        assertEquals(3, bench.read("a").value());
        bench.expectAnswers("add a:TIMED_OUT", "add a:TIMED_OUT", "read a=3");
        bench.expectEvents("loaded 0");
    }

    @Test
    void exceptionInARequestFailsItAlone() {
        bench.add("a", 1);
        Answer<Long> broken = bench.answer("broken");
        bench.runtime.write(
                0,
                shard -> {
                    throw new IllegalStateException("planted");
                },
                broken);
        assertEquals(FailureCode.INTERNAL, broken.code());
        Answer<Long> parked = bench.answer("parked");
        bench.runtime.park(
                0,
                (shard, done) -> {
                    shard.parked.add(done);
                    throw new IllegalStateException("planted");
                },
                parked);
        assertEquals(FailureCode.INTERNAL, parked.code());
        bench.turns();
        bench.store.commit();
        bench.expectAnswers("broken:INTERNAL", "parked:INTERNAL", "add a=1");
        bench.expectEvents("loaded 0");
    }

    @Test
    void exceptionInReplayLoadsTheShardAgain() {
        bench.add("a", 1);
        bench.turns();
        bench.add("b", 1);
        assertEquals(FailureCode.INTERNAL, bench.add("a", CounterShard.POISON).code());
        bench.expectAnswers("add a:INTERNAL", "add a:COORDINATOR_NOT_AVAILABLE", "add b:COORDINATOR_NOT_AVAILABLE");
        bench.turns();
        assertEquals(FailureCode.COORDINATOR_LOADING, bench.read("a").code());
        bench.store.commit();
        bench.turns();
        bench.expectEvents("loaded 0", "unloaded COORDINATOR_NOT_AVAILABLE", "loaded 1");
        assertEquals(1, bench.read("a").value());
        assertEquals(0, bench.read("b").value());
    }

    @Test
    void answersGivenWhileARequestRunsWaitForItsRecords_G2() {
        Answer<Long> parked = bench.park();
        bench.runtime.write(
                0,
                shard -> {
                    shard.parked.remove(0).succeed(7L);
                    return shard.add("a", 1);
                },
                bench.answer("add"));
        assertFalse(parked.isDone());
        bench.turns();
        bench.store.commit();
        bench.expectAnswers("park=7", "add=1");
    }

    @Test
    void lingersAsLongAsTold() {
        RuntimeBench slow = new RuntimeBench(10, 1).led();
        slow.add("a", 1);
        slow.pass(9);
        slow.add("a", 1);
        assertEquals(0, slow.store.appends.size());
        slow.pass(1);
        assertEquals(List.of(2), slow.store.batchCounts);
        slow.add("a", 1);
        slow.pass(4);
        slow.store.commit();
        assertEquals(0, slow.store.appends.size());
        slow.pass(6);
        assertEquals(List.of(2, 1), slow.store.batchCounts);
        RuntimeBench eager = new RuntimeBench(0, 1).led();
        eager.add("a", 1);
        assertEquals(1, eager.store.appends.size());
    }

    @Test
    void stopsWhenWhatWasBegunIsCommitted() {
        Answer<Long> parked = bench.park();
        bench.add("a", 1);
        bench.turns();
        bench.add("a", 2);
        Answer<Void> stopped = bench.answer("stopped");
        bench.runtime.stop(stopped);
        assertEquals(FailureCode.NOT_COORDINATOR, bench.add("a", 4).code());
        assertFalse(parked.isDone());
        bench.answers.clear();
        bench.store.commit();
        bench.turns();
        assertFalse(stopped.isDone());
        bench.store.commit();
        bench.expectAnswers("add a=1", "add a=3", "park:NOT_COORDINATOR", "stopped=null");
    }

    @Test
    void stopsWithoutWaitingForWhatFails() {
        bench.add("a", 1);
        bench.turns();
        bench.add("a", 2);
        bench.runtime.stop(bench.answer("stopped"));
        bench.store.fail(false);
        bench.expectAnswers("add a:COORDINATOR_NOT_AVAILABLE", "add a:COORDINATOR_NOT_AVAILABLE", "stopped=null");
        bench.pass(60_000);
        bench.expectEvents("loaded 0", "unloaded COORDINATOR_NOT_AVAILABLE");
    }

    @Test
    void partitionsAreLedOrNot() {
        Answer<Long> other = bench.answer("other");
        bench.runtime.read(1, shard -> 1L, other);
        assertEquals(FailureCode.NOT_COORDINATOR, other.code());
        FakeStore second = new FakeStore();
        second.log.add(new Add("b", 5));
        bench.runtime.lead(3, 1, second);
        bench.turns();
        Answer<List<Long>> all = bench.answer("all");
        bench.runtime.readAll(shard -> shard.sum("b"), all);
        assertEquals(List.of(0L, 5L), all.value());
        bench.runtime.resign(0, "moved");
        assertEquals(FailureCode.NOT_COORDINATOR, bench.read("a").code());
        Answer<List<Long>> rest = bench.answer("rest");
        bench.runtime.readAll(shard -> shard.sum("b"), rest);
        assertEquals(List.of(5L), rest.value());
    }
}
