package replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.Mutations;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;

/** Transactions that no coordinator ends do not stay unseen (rule T11). */
final class LateTransactionsTest {
    private static final int MAX_TIMEOUT = 900_000;
    private static final long LATE_NANOS = (MAX_TIMEOUT + 300_000) * 1_000_000L;

    private final TransactionLab lab = new TransactionLab(
            1, true, (id, producerId, epoch, partition, add, done) -> done.succeed(Errors.NONE), Mutations.NONE);
    private final LateTransactions late = new LateTransactions(MAX_TIMEOUT);

    private void begin(long producerId) {
        Outcome<Produced> outcome = lab.host.await(
                done -> lab.produce(TransactionLab.batch(producerId, 0, 0, true, "open"), TransactionLab.V2, done));
        assertNull(outcome.failure());
    }

    private void end(long producerId) {
        Outcome<Void> outcome = lab.host.await(done -> lab.mark(producerId, 1, false, 0, 2, done));
        assertNull(outcome.failure());
    }

    private int at(long nanos) {
        late.check(List.of(lab.leader), nanos);
        return late.count();
    }

    @Test
    void isCountedFromWhenItWasSeenUntilItsEnd() {
        assertEquals(0, at(0));
        begin(1);
        // Its records' times, of 1970, say nothing.
        assertEquals(0, at(1_000));
        assertEquals(0, at(1_000 + LATE_NANOS));
        assertEquals(1, at(1_001 + LATE_NANOS));
        assertEquals(1, at(5_000 + LATE_NANOS));
        end(1);
        assertEquals(0, at(6_000 + LATE_NANOS));
    }

    @Test
    void theNextOneHasItsOwnTime() {
        begin(1);
        at(0);
        begin(2);
        assertEquals(1, at(LATE_NANOS + 1));
        end(1);
        assertEquals(0, at(LATE_NANOS + 2));
        end(2);
        begin(3);
        assertEquals(0, at(2 * LATE_NANOS + 2));
        assertEquals(0, at(3 * LATE_NANOS + 2));
        assertEquals(1, at(3 * LATE_NANOS + 3));
    }
}
