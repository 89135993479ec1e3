package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.BatchSummary;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import storage.ReadBound;

/** A power cut took the end of a transaction from a log that is not durable, and its producer goes on (rules I7, T9). */
final class LostEndTest {
    private final TransactionLab lab = new TransactionLab(
            1, false, (id, producerId, epoch, partition, add, done) -> done.succeed(Errors.NONE), Mutations.NONE);

    private void produce(int epoch, int sequence, String... values) {
        Outcome<Produced> outcome = lab.host.await(
                done -> lab.produce(TransactionLab.batch(1, epoch, sequence, true, values), TransactionLab.V2, done));
        assertNull(outcome.failure());
    }

    private void end(int epoch, boolean commit) {
        Outcome<Void> ended = lab.host.await(done -> lab.mark(1, epoch, commit, 0, 2, done));
        assertNull(ended.failure());
    }

    @Test
    void theNextEndDoesNotDecideIt() {
        // Its end, an abort, is not there.
        produce(0, 0, "lost");
        produce(1, 0, "a", "b");
        produce(1, 2, "c");
        end(2, true);
        assertEquals(List.of("a", "b", "c"), lab.values(ReadBound.LAST_STABLE_OFFSET));
        assertEquals(lab.log.highWatermark(), lab.log.lastStableOffset());
        lab.cleanRestart();
        assertEquals(List.of("a", "b", "c"), lab.values(ReadBound.LAST_STABLE_OFFSET));
    }

    /** Its time is not one that a producer made up: retention by time goes by it. */
    @Test
    void itIsAbortedAtTheTimeOfTheBroker() {
        produce(0, 0, "lost");
        produce(1, 0, "a");
        List<Long> markers = lab.entries().stream()
                .map(TransactionLab.Entry::batch)
                .filter(BatchSummary::control)
                .map(BatchSummary::maxTimestamp)
                .toList();
        long now = lab.host.clock().wallMillis();
        assertEquals(1, markers.size());
        assertTrue(Math.abs(now - markers.get(0)) < 60_000, markers + " at " + now);
    }

    /** Of the last transaction nothing is left here, of one before it all but its end. */
    @Test
    void theEndOfALaterOneDoesNotDecideIt() {
        produce(0, 0, "lost");
        end(5, true);
        assertEquals(List.of(), lab.values(ReadBound.LAST_STABLE_OFFSET));
        assertEquals(lab.log.highWatermark(), lab.log.lastStableOffset());
        produce(5, 0, "a");
        end(6, true);
        assertEquals(List.of("a"), lab.values(ReadBound.LAST_STABLE_OFFSET));
    }

    @Test
    void oneOfTheSameEpochGoesOn() {
        produce(0, 0, "a");
        produce(0, 1, "b");
        end(1, true);
        assertEquals(List.of("a", "b"), lab.values(ReadBound.LAST_STABLE_OFFSET));
    }
}
