package transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import coordinator.InstantRuntime.Answer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** The coordinator's state machine, rule by rule (T1 to T13). */
class TransactionRulesTest {
    private static final String ID = "id";
    private static final int TIMEOUT = 60_000;
    private static final TopicPartition T0 = new TopicPartition("t", 0);
    private static final TopicPartition T1 = new TopicPartition("t", 1);

    private final ModelPartitions partitions = new ModelPartitions();
    private final TransactionBench bench = new TransactionBench(partitions, 1, 2, "t");

    private Producer fresh() {
        return init(new Producer(ID, -1, (short) -1));
    }

    private Producer init(Producer asking) {
        return producer(bench.init(asking, TIMEOUT).value());
    }

    private static Producer producer(ProducerAnswer answer) {
        assertEquals(Errors.NONE, answer.error());
        return new Producer(ID, answer.producerId(), answer.epoch());
    }

    private Errors initError(Producer asking) {
        return bench.init(asking, TIMEOUT).value().error();
    }

    private Errors add(Producer producer, int version, TopicPartition... which) {
        return bench.write(shard -> shard.membership().add(producer, List.of(which), version))
                .value();
    }

    private Errors verify(Producer producer, TopicPartition which) {
        return bench.read(shard -> shard.membership().verify(producer, List.of(which)))
                .value()
                .get(0);
    }

    private ProducerAnswer end(Producer producer, boolean commit, int version) {
        return bench.end(producer, commit, version).value();
    }

    private void deliver() {
        while (partitions.waiting() > 0) {
            partitions.deliver(new Random(0), false);
            bench.drain();
        }
    }

    private static Producer at(Producer producer, int epoch) {
        return new Producer(producer.transactionalId(), producer.producerId(), (short) epoch);
    }

    private TransactionStatus status() {
        return bench.state(ID).status();
    }

    @Test
    void t1StepsInOrderAndEachIsARecord() {
        Producer first = fresh();
        assertEquals(0, first.epoch());
        assertEquals(TransactionStatus.EMPTY, status());
        assertEquals(Errors.NONE, add(first, 2, T0, T1));
        assertEquals(TransactionStatus.ONGOING, status());
        ProducerAnswer next = end(first, true, 2);
        assertEquals(new ProducerAnswer(Errors.NONE, first.producerId(), (short) 1, false), next);
        assertEquals(TransactionStatus.PREPARE_COMMIT, status());
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
        assertTrue(bench.state(ID).partitions().isEmpty());
        assertEquals(
                List.of("EMPTY", "ONGOING", "PREPARE_COMMIT", "COMPLETE_COMMIT"),
                bench.log().stream().map(each -> each.value().status().name()).toList());
    }

    @Test
    void t1NothingIsSentBeforeTheDecisionIsCommitted() {
        Producer first = fresh();
        add(first, 2, T0);
        bench.holdCommits();
        Answer<ProducerAnswer> answer = bench.end(first, true, 2);
        assertFalse(answer.isDone());
        assertEquals(0, partitions.waiting());
        bench.failAppend();
        assertEquals(TransactionStatus.ONGOING, status(), "the decision is lost, so there is none");
        assertEquals(0, partitions.waiting());
        assertEquals(Errors.NONE, end(first, false, 2).error());
        assertEquals(1, partitions.waiting());
        assertEquals(0, bench.ended(true), "what was lost counts for nothing");
        assertEquals(1, bench.ended(false));
    }

    @Test
    void t1PlantedBugMarkersBeforeTheDecisionIsFound() {
        bench.mutations(name -> name.equals("txn-markers-before-decision"));
        Producer first = fresh();
        add(first, 2, T0);
        bench.holdCommits();
        bench.end(first, true, 2);
        assertEquals(1, partitions.waiting(), "this is what the test before would fail with");
    }

    @Test
    void t2DecisionsAreCarriedOutAfterLoadingWithTheNewEpoch() {
        Producer first = fresh();
        add(first, 2, T0, T1);
        end(first, true, 2);
        bench.reload();
        bench.reload();
        assertEquals(3, partitions.waiting(), "one write of each incarnation");
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
        bench.reload();
        assertEquals(0, partitions.waiting());
    }

    @Test
    void t3EachInitFencesTheOneBefore() {
        Producer old = fresh();
        Producer heir = fresh();
        assertEquals(old.producerId(), heir.producerId());
        assertEquals(1, heir.epoch());
        assertEquals(Errors.PRODUCER_FENCED, add(old, 2, T0));
        assertEquals(Errors.PRODUCER_FENCED, verify(old, T0));
        assertEquals(Errors.PRODUCER_FENCED, end(old, true, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, initError(old));
        assertEquals(Errors.NONE, add(heir, 2, T0));
    }

    @Test
    void t3AnOpenTransactionIsAbortedFirst() {
        Producer old = fresh();
        add(old, 2, T0);
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, initError(new Producer(ID, -1, (short) -1)));
        assertEquals(TransactionStatus.PREPARE_ABORT, status());
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, initError(new Producer(ID, -1, (short) -1)));
        assertEquals(Errors.PRODUCER_FENCED, end(old, true, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, end(old, false, 2).error());
        deliver();
        Producer heir = fresh();
        assertTrue(heir.epoch() > old.epoch());
        assertEquals(Errors.PRODUCER_FENCED, end(old, true, 2).error());
    }

    @Test
    void t3AProducerThatRaisesItsOwnEpochMayAskAgain() {
        Producer first = fresh();
        Producer raised = init(first);
        assertEquals(first.epoch() + 1, raised.epoch());
        assertEquals(raised, init(first), "its answer was lost");
        assertEquals(Errors.NONE, add(raised, 2, T0));
        assertEquals(
                Errors.PRODUCER_FENCED, initError(first), "late: it must not end the transaction of its successor");
        assertEquals(TransactionStatus.ONGOING, status());
        end(raised, false, 2);
        deliver();
        assertEquals(Errors.PRODUCER_FENCED, initError(first));
        assertEquals(Errors.PRODUCER_FENCED, initError(new Producer(ID, 5, (short) 0)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void t3UsedUpEpochsGiveANewProducerId(boolean claims) {
        Producer now = fresh();
        long firstId = now.producerId();
        while (now.producerId() == firstId) {
            Producer before = now;
            now = claims ? init(now) : fresh();
            assertTrue(now.producerId() != firstId || now.epoch() == before.epoch() + 1);
            if (now.producerId() != firstId) {
                assertEquals(Short.MAX_VALUE - 1, before.epoch());
                assertEquals(claims ? Errors.NONE : Errors.PRODUCER_FENCED, initError(before), "the same, asked again");
                assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING, add(before, 2, T0));
            }
        }
        assertEquals(0, now.epoch());
        assertEquals(Errors.NONE, add(now, 2, T0));
    }

    @Test
    void t3TimeoutsAreBounded() {
        Producer asking = new Producer(ID, -1, (short) -1);
        assertEquals(
                Errors.INVALID_TRANSACTION_TIMEOUT,
                bench.init(asking, 0).value().error());
        assertEquals(
                Errors.INVALID_TRANSACTION_TIMEOUT,
                bench.init(asking, TransactionBench.MAX_TIMEOUT + 1).value().error());
        assertEquals(
                Errors.NONE,
                bench.init(asking, TransactionBench.MAX_TIMEOUT).value().error());
    }

    @Test
    void t5OnlyPartitionsOfAnOpenTransactionAreVerified() {
        Producer producer = fresh();
        assertEquals(Errors.TRANSACTION_ABORTABLE, verify(producer, T0));
        add(producer, 0, T0);
        assertEquals(Errors.NONE, verify(producer, T0));
        assertEquals(Errors.TRANSACTION_ABORTABLE, verify(producer, T1));
        assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING, verify(new Producer("other", 1, (short) 0), T0));
        assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING, verify(new Producer(ID, 1, (short) 0), T0));
        end(producer, true, 0);
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, verify(producer, T0));
        deliver();
        assertEquals(Errors.TRANSACTION_ABORTABLE, verify(producer, T0));
    }

    @Test
    void t6SecondProtocolRepeatsGetTheFirstAnswer() {
        Producer first = fresh();
        add(first, 2, T0);
        ProducerAnswer answer = end(first, true, 2);
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(first, true, 2).error());
        assertEquals(Errors.INVALID_TXN_STATE, end(first, false, 2).error());
        deliver();
        assertEquals(answer, end(first, true, 2));
        assertEquals(Errors.INVALID_TXN_STATE, end(first, false, 2).error());
        Producer second = producer(answer);
        assertEquals(Errors.INVALID_TXN_STATE, end(second, true, 2).error(), "nothing was begun");
        add(second, 2, T0);
        assertEquals(Errors.PRODUCER_FENCED, end(first, true, 2).error(), "late by a transaction");
        assertEquals(Errors.PRODUCER_FENCED, end(first, false, 2).error());
        assertEquals(TransactionStatus.ONGOING, status());
    }

    /** It was told of its next epoch, wanted to write, was told to wait, and gives up. */
    @Test
    void t6WhoEndsItsNextTransactionWhileTheLastOneIsBeingEndedWaits() {
        Producer first = fresh();
        add(first, 2, T0);
        Producer second = producer(end(first, true, 2));
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, add(second, 2, T0));
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(second, false, 2).error());
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(second, true, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, end(at(first, 2), false, 2).error(), "nobody's epoch");
        deliver();
        assertEquals(2, end(second, false, 2).epoch());
        assertEquals(TransactionStatus.COMPLETE_ABORT, status());
    }

    @Test
    void t6PlantedBugRepeatsByStateOnlyIsFound() {
        bench.mutations(name -> name.equals("txn-repeat-by-state-only"));
        Producer first = fresh();
        add(first, 2, T0);
        Producer second = producer(end(first, true, 2));
        deliver();
        assertEquals(
                Errors.NONE, end(second, true, 2).error(), "taken for a repeat; the test before would fail with it");
    }

    @Test
    void t6FirstProtocolKeepsStrictEquality() {
        Producer producer = fresh();
        assertEquals(Errors.INVALID_TXN_STATE, end(producer, true, 0).error());
        assertEquals(Errors.INVALID_TXN_STATE, end(producer, false, 0).error());
        add(producer, 0, T0);
        assertEquals(Errors.PRODUCER_FENCED, end(at(producer, 1), true, 0).error());
        ProducerAnswer answer = end(producer, true, 0);
        assertEquals(producer, producer(answer));
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(producer, true, 0).error());
        assertEquals(Errors.INVALID_TXN_STATE, end(producer, false, 0).error());
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, add(producer, 0, T0));
        deliver();
        assertEquals(answer, end(producer, true, 0));
        assertEquals(Errors.INVALID_TXN_STATE, end(producer, false, 0).error());
        assertEquals(Errors.NONE, add(producer, 0, T0));
        assertEquals(
                Errors.INVALID_PRODUCER_ID_MAPPING,
                end(new Producer("x", 1, (short) 1), true, 0).error());
    }

    /** Clients go over to the other protocol between two transactions, with the id and epoch that they have. */
    @Test
    void t6OneProducerMayChangeItsProtocol() {
        Producer first = fresh();
        add(first, 0, T0);
        assertEquals(first, producer(end(first, true, 0)));
        deliver();
        assertEquals(Errors.NONE, add(first, 2, T0), "from now on the second");
        assertEquals(Errors.NONE, verify(first, T0));
        Producer second = producer(end(first, false, 2));
        assertEquals(first.epoch() + 1, second.epoch());
        deliver();
        assertEquals(second, producer(end(first, false, 2)), "asked again");
        assertEquals(Errors.PRODUCER_FENCED, end(first, true, 0).error());
        assertEquals(Errors.NONE, add(second, 0, T1), "and back to the first");
        assertEquals(Errors.PRODUCER_FENCED, end(first, false, 2).error(), "late by a transaction");
        assertEquals(second, producer(end(second, true, 0)));
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(second, true, 0).error());
        deliver();
        assertEquals(second, producer(end(second, true, 0)), "asked again");
        assertEquals(Errors.PRODUCER_FENCED, end(first, false, 2).error());
    }

    @Test
    void t6AnEmptyAbortRaisesTheEpochAndIsRepeatable() {
        Producer first = fresh();
        ProducerAnswer answer = end(first, false, 2);
        assertEquals(1, answer.epoch());
        assertEquals(TransactionStatus.COMPLETE_ABORT, status());
        assertEquals(answer, end(first, false, 2));
        assertEquals(2, end(producer(answer), false, 2).epoch());
        assertEquals(Errors.PRODUCER_FENCED, end(first, false, 2).error());
    }

    @Test
    void t6TheLastEpochGoesOverIntoANewProducerId() {
        Producer now = fresh();
        long firstId = now.producerId();
        while (now.epoch() < Short.MAX_VALUE - 1) {
            now = producer(end(now, false, 2));
            assertEquals(firstId, now.producerId());
        }
        add(now, 2, T0);
        ProducerAnswer answer = end(now, true, 2);
        Producer next = producer(answer);
        assertEquals(0, next.epoch());
        assertTrue(next.producerId() != firstId);
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, add(next, 2, T1), "the end is not complete yet");
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(next, false, 2).error());
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, initError(next));
        assertEquals(Errors.CONCURRENT_TRANSACTIONS, end(now, true, 2).error());
        bench.reload();
        deliver();
        assertEquals(answer, end(now, true, 2));
        assertEquals(Errors.INVALID_TXN_STATE, end(now, false, 2).error());
        assertEquals(Errors.NONE, add(next, 2, T1));
        assertEquals(Errors.PRODUCER_FENCED, end(now, true, 2).error());
    }

    @Test
    void t6TheHighestEpochIsNobodys() {
        Producer now = fresh();
        while (now.epoch() < Short.MAX_VALUE - 1) {
            now = producer(end(now, false, 2));
        }
        add(now, 2, T0);
        bench.advance(TIMEOUT);
        assertEquals(Short.MAX_VALUE, bench.state(ID).producerEpoch());
        assertEquals(Errors.PRODUCER_FENCED, end(now, true, 2).error());
        deliver();
        assertEquals(Errors.PRODUCER_FENCED, end(now, true, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, end(now, false, 2).error());
        assertEquals(
                Errors.PRODUCER_FENCED, end(at(now, Short.MAX_VALUE), false, 2).error());
        assertEquals(0, fresh().epoch());
    }

    @Test
    void t7MarkersAreRetriedUntilEachPartitionHasThem() {
        Producer producer = fresh();
        add(producer, 2, T0, T1);
        end(producer, true, 2);
        Random random = new Random(3);
        for (int i = 0; status().isPrepared() && i < 10_000; i++) {
            partitions.deliver(random, true);
            bench.drain();
            bench.advance(1_000);
        }
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
        assertTrue(partitions.guard(T0) > 0 && partitions.guard(T1) > 0);
    }

    @Test
    void t7DeletedTopicsAreNotWaitedFor() {
        Producer producer = fresh();
        add(producer, 2, T0);
        bench.removeTopic(0);
        end(producer, true, 2);
        assertEquals(0, partitions.waiting());
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
    }

    @Test
    void t7ACompletionThatIsRefusedIsTriedAgain() {
        Producer producer = fresh();
        add(producer, 2, T0);
        end(producer, true, 2);
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        deliver();
        assertEquals(TransactionStatus.PREPARE_COMMIT, status());
        bench.advance(2_000);
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
    }

    @Test
    void t11OpenTransactionsAreAbortedAfterTheirTimeAlsoByANewCoordinator() {
        Producer producer = fresh();
        add(producer, 2, T0);
        bench.advance(TIMEOUT - 1);
        assertEquals(TransactionStatus.ONGOING, status());
        bench.reload();
        add(producer, 2, T1);
        assertEquals(TransactionStatus.ONGOING, status());
        bench.advance(1);
        assertEquals(TransactionStatus.PREPARE_ABORT, status());
        assertEquals(producer.epoch() + 2, bench.state(ID).producerEpoch());
        assertEquals(Errors.PRODUCER_FENCED, end(producer, true, 2).error());
        deliver();
        assertEquals(Errors.PRODUCER_FENCED, end(producer, true, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, end(producer, false, 2).error());
        assertEquals(Errors.PRODUCER_FENCED, initError(producer));
    }

    @Test
    void t11AnAbortThatIsRefusedIsTriedAgain() {
        add(fresh(), 2, T0);
        bench.refuseNext(FailureCode.COORDINATOR_NOT_AVAILABLE);
        bench.advance(TIMEOUT);
        assertEquals(TransactionStatus.ONGOING, status());
        bench.advance(1_000);
        assertEquals(TransactionStatus.PREPARE_ABORT, status());
    }

    @Test
    void t11TheTimeThatComesWhileTheEndIsBeingWrittenChangesNothing() {
        Producer producer = fresh();
        add(producer, 2, T0);
        bench.advance(TIMEOUT - 1);
        bench.holdCommits();
        var answer = bench.end(producer, true, 2);
        bench.advance(1_000);
        bench.commit();
        assertEquals(Errors.NONE, answer.value().error());
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
        assertEquals(producer.epoch() + 1, bench.state(ID).producerEpoch());
    }

    @Test
    void t11AnEndThatComesWhileTheAbortIsBeingWrittenIsTooLateUnlessThatIsLost() {
        Producer producer = fresh();
        add(producer, 2, T0);
        bench.holdCommits();
        bench.advance(TIMEOUT);
        var answer = bench.end(producer, true, 2);
        assertFalse(answer.isDone(), "what refuses it is not committed");
        bench.failAppend();
        assertTrue(answer.failure() != null, "nobody knows");
        assertEquals(TransactionStatus.ONGOING, status());
        assertEquals(Errors.NONE, end(producer, true, 2).error());
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
    }

    @Test
    void t11TheTimeBeginsWithEachTransaction() {
        Producer producer = fresh();
        add(producer, 0, T0);
        bench.advance(TIMEOUT - 10);
        end(producer, true, 0);
        deliver();
        add(producer, 0, T0);
        bench.advance(TIMEOUT - 10);
        assertEquals(TransactionStatus.ONGOING, status());
        bench.advance(10);
        assertEquals(TransactionStatus.PREPARE_ABORT, status());
    }

    @Test
    void t13UnusedIdsAreForgottenOpenOnesAreNot() {
        Producer producer = fresh();
        bench.init(new Producer("open", -1, (short) -1), TransactionBench.MAX_TIMEOUT);
        Value open = bench.state("open");
        long week = 604_800_000L;
        bench.advance(week - 3_600_000);
        bench.write(shard ->
                shard.membership().add(new Producer("open", open.producerId(), open.producerEpoch()), List.of(T0), 2));
        assertEquals(producer.producerId(), bench.state(ID).producerId());
        bench.advance(2 * 3_600_000);
        assertNull(bench.state(ID));
        assertTrue(bench.state("open") != null);
        assertNull(bench.log().get(bench.log().size() - 1).value(), "a tombstone");
        bench.reload();
        assertNull(bench.state(ID));
        assertEquals(Errors.INVALID_PRODUCER_ID_MAPPING, end(producer, true, 2).error());
        assertTrue(fresh().producerId() != producer.producerId());
    }

    /** More than one step looks at, and more than one writes; those in use in between. */
    @Test
    void t13ManyUnusedIdsAreForgottenInSteps() {
        int count = 25_000;
        long week = 604_800_000L;
        for (int i = 0; i < count; i++) {
            bench.init(new Producer("id" + i, -1, (short) -1), TIMEOUT);
        }
        bench.advance(week - 3_600_000);
        for (int i = 0; i < count; i += 5) {
            bench.init(new Producer("id" + i, -1, (short) -1), TIMEOUT);
        }
        bench.advance(2 * 3_600_000);
        for (int i = 0; i < count; i++) {
            assertEquals(i % 5 == 0, bench.state("id" + i) != null, "id" + i);
        }
    }

    @Test
    void firstLevelOfTheFeatureFencesByOne() {
        TransactionBench older = new TransactionBench(partitions, 1, 1, "t");
        ProducerAnswer first =
                older.init(new Producer(ID, -1, (short) -1), TIMEOUT).value();
        Producer producer = producer(first);
        older.write(shard -> shard.membership().add(producer, List.of(T0), 0));
        older.advance(TIMEOUT);
        assertEquals(1, older.state(ID).producerEpoch());
        assertEquals(
                Errors.PRODUCER_FENCED, older.end(producer, true, 0).value().error());
    }
}
