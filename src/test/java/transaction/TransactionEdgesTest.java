package transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coordinator.InstantRuntime.Answer;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import records.schemas.TransactionStatus;

/** The coordinator at the edges of what it can count and write: each transaction that begins can end. */
class TransactionEdgesTest {
    private static final String ID = "id";
    private static final int TIMEOUT = 60_000;

    private final ModelPartitions partitions = new ModelPartitions();
    private final TransactionBench bench = new TransactionBench(partitions, 1, 2, "t");

    private Producer init() {
        ProducerAnswer answer =
                bench.init(new Producer(ID, -1, (short) -1), TIMEOUT).value();
        assertEquals(Errors.NONE, answer.error());
        return new Producer(ID, answer.producerId(), answer.epoch());
    }

    private Errors add(Producer producer, int version, int partition) {
        Answer<Errors> answer = bench.write(
                shard -> shard.membership().add(producer, List.of(new TopicPartition("t", partition)), version));
        return answer.failure() == null ? answer.value() : Errors.UNKNOWN_SERVER_ERROR;
    }

    private void deliver() {
        while (partitions.waiting() > 0) {
            partitions.deliver(new Random(0), false);
            bench.drain();
        }
    }

    private TransactionStatus status() {
        return bench.state(ID).status();
    }

    /** The producer that is fenced at the last epoch is told of no other, but may guess the one that fenced it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void t3NothingBeginsInTheHighestEpoch(int version) {
        Producer now = init();
        while (now.epoch() < Short.MAX_VALUE - 1) {
            now = init();
        }
        assertEquals(Errors.NONE, add(now, version, 0));
        bench.advance(TIMEOUT);
        deliver();
        assertEquals(TransactionStatus.COMPLETE_ABORT, status());
        Producer nobody = new Producer(ID, now.producerId(), Short.MAX_VALUE);
        assertEquals(Short.MAX_VALUE, bench.state(ID).producerEpoch());
        assertEquals(Errors.PRODUCER_FENCED, add(nobody, version, 0));
        Errors verified = bench.read(shard -> shard.membership().verify(nobody, List.of(new TopicPartition("t", 0))))
                .value()
                .get(0);
        assertEquals(Errors.PRODUCER_FENCED, verified);
        assertEquals(TransactionStatus.COMPLETE_ABORT, status());
        assertEquals(0, init().epoch());
    }

    /** A record of a batch's full size, with the few bytes that a decision adds. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void t1WhateverBeginsCanEnd(int version) {
        for (int most = 120; most < 130; most++) {
            for (int end = 0; end < 4; end++) {
                String what = "at most " + most + " bytes, end " + end;
                bench.maxBatchBytes(most);
                Producer producer = init();
                // New names take more bytes than partitions: they would leave gaps.
                int added = 0;
                while (add(producer, version, added) == Errors.NONE) {
                    added++;
                }
                assertTrue(added > 0, what);
                int committed = end % 2;
                switch (end) {
                    case 0, 1 ->
                        assertEquals(
                                Errors.NONE,
                                bench.end(producer, committed == 1, version)
                                        .value()
                                        .error(),
                                what);
                    case 2 -> bench.advance(TIMEOUT);
                    default -> bench.init(new Producer(ID, -1, (short) -1), TIMEOUT);
                }
                assertTrue(status().isPrepared(), what);
                deliver();
                assertTrue(status().isIdle(), what + ": " + status());
            }
        }
    }

    /** A partition that takes another for the newer coordinator, as after a marker by hand: not a reason to leave the transaction open for ever. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void t7AFencedCoordinatorTriesAgainAsLongAsItLeads(int version) {
        Producer now = init();
        TopicPartition partition = new TopicPartition("t", 0);
        assertEquals(Errors.NONE, add(now, version, 0));
        partitions.heard(partition, now.producerId(), 7);
        assertEquals(Errors.NONE, bench.end(now, true, version).value().error());
        for (int i = 0; i < 30; i++) {
            partitions.deliver(new Random(0), false);
            bench.drain();
            bench.advance(1_000);
        }
        assertEquals(TransactionStatus.PREPARE_COMMIT, status());
        partitions.heard(partition, now.producerId(), 0);
        bench.advance(1_000);
        deliver();
        assertEquals(TransactionStatus.COMPLETE_COMMIT, status());
    }

    /** The last epoch of an id: the decision names the id that follows. */
    @Test
    void t1WhateverBeginsInTheLastEpochCanEnd() {
        for (int most = 120; most < 124; most++) {
            Producer now = init();
            while (now.epoch() < Short.MAX_VALUE - 1) {
                now = init();
            }
            bench.maxBatchBytes(most);
            int added = 0;
            while (add(now, 2, added) == Errors.NONE) {
                added++;
            }
            assertTrue(added > 0, "at most " + most);
            ProducerAnswer answer = bench.end(now, true, 2).value();
            assertEquals(Errors.NONE, answer.error(), "at most " + most);
            assertEquals(0, answer.epoch());
            deliver();
            assertTrue(status().isIdle());
            bench.maxBatchBytes(Integer.MAX_VALUE);
        }
    }
}
