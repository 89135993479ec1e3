package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Mutations;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import storage.TimestampOffset;

/** What is answered about offsets while a transaction is open (rule T8). */
final class StableOffsetTest {
    private static final long LATEST = -1;
    private static final long MAX_TIMESTAMP = -3;

    private final TransactionLab lab = new TransactionLab(
            1, true, (id, producerId, epoch, partition, add, done) -> done.succeed(Errors.NONE), Mutations.NONE);

    private void produce(long producerId, int sequence, boolean transactional, String... values) {
        Outcome<Produced> outcome = lab.host.await(done -> lab.produce(
                TransactionLab.batch(producerId, 0, sequence, transactional, values), TransactionLab.V2, done));
        assertNull(outcome.failure());
    }

    private TimestampOffset ask(long timestamp, boolean readCommitted) {
        return lab.host
                .<Outcome<TimestampOffset>>await(
                        done -> lab.leader.offsetFor(new OffsetQuery(null, -1, timestamp, readCommitted), done))
                .value();
    }

    private long deleteBefore(long offset) {
        return lab.host
                .<Outcome<Long>>await(done -> lab.leader.deleteBefore(offset, done))
                .value();
    }

    @Test
    void theLargestTimestampIsOneThatTheAskerMayRead() {
        produce(1, 0, true, "open");
        produce(2, 0, false, "behind");
        assertEquals(TimestampOffset.NONE, ask(MAX_TIMESTAMP, true));
        assertEquals(0, ask(MAX_TIMESTAMP, false).offset());
        Outcome<Void> ended = lab.host.await(done -> lab.mark(1, 1, true, 0, 2, done));
        assertNull(ended.failure());
        assertEquals(ask(MAX_TIMESTAMP, false), ask(MAX_TIMESTAMP, true));
    }

    /** Whoever begins at the latest stable offset must find it there. */
    @Test
    void deletingInsideOfAnOpenTransactionTakesTheStableOffsetAlong() {
        produce(1, 0, true, "a", "b", "c");
        produce(1, 3, true, "d", "e", "f");
        produce(2, 0, false, "behind");
        assertEquals(0, ask(LATEST, true).offset());
        assertEquals(4, deleteBefore(4));
        assertEquals(4, ask(LATEST, true).offset());
        assertEquals(7, ask(LATEST, false).offset());
        Outcome<Void> ended = lab.host.await(done -> lab.mark(1, 1, false, 0, 2, done));
        assertNull(ended.failure());
        assertEquals(8, ask(LATEST, true).offset());
    }
}
