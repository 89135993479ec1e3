package transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one client can make the coordinator keep is bounded; ids that are there go on, and loading takes all that was taken before. */
class TransactionMemoryTest {
    private static final long MOST = 300_000;
    private static final int TIMEOUT = 60_000;
    private static final int MOST_IDS = 10_000;
    private static final long EXPIRY = 8 * 24 * 3_600_000L;

    private final ModelPartitions partitions = new ModelPartitions();
    private final TransactionBench bench = new TransactionBench(partitions, 1, 2, "t", "u");

    @BeforeEach
    void bounded() {
        bench.reloadWithin(MOST);
    }

    private ProducerAnswer tryInit(String id) {
        return bench.init(new Producer(id, -1, (short) -1), TIMEOUT).value();
    }

    private Producer init(String id) {
        ProducerAnswer answer = tryInit(id);
        assertEquals(Errors.NONE, answer.error());
        return new Producer(id, answer.producerId(), answer.epoch());
    }

    private Errors add(Producer producer, String topic, int partition) {
        return bench.write(shard -> shard.membership().add(producer, List.of(new TopicPartition(topic, partition)), 2))
                .value();
    }

    private void deliver() {
        while (partitions.waiting() > 0) {
            partitions.deliver(new Random(0), false);
            bench.drain();
        }
    }

    /** @return how many ids were taken */
    private int fill(int length) {
        for (int i = 0; i < MOST_IDS; i++) {
            Errors error = tryInit(i + "x".repeat(length)).error();
            if (error != Errors.NONE) {
                assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, error);
                return i;
            }
        }
        throw new AssertionError("never full");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30_000})
    void newIdsAreRefusedAndOthersGoOn(int length) {
        Producer mine = init("mine");
        int taken = fill(length);
        assertTrue(bench.stateBytes() < MOST + 70_000, bench.stateBytes() + " bytes");
        assertTrue(taken > 3, taken + " ids");
        for (long room : new long[] {MOST, MOST, 1}) {
            mine = wholeTransaction(mine);
            assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, tryInit("newcomer").error());
            long before = bench.stateBytes();
            bench.reloadWithin(room);
            assertEquals(before, bench.stateBytes(), "what is loaded is counted alike");
        }
        assertEquals(Errors.NONE, tryInit("mine").error());
        bench.advance(EXPIRY);
        assertEquals(0, bench.stateBytes(), "all expired");
        assertEquals(Errors.NONE, tryInit("newcomer").error());
    }

    private Producer wholeTransaction(Producer mine) {
        assertEquals(Errors.NONE, add(mine, "t", 0));
        assertEquals(Errors.NONE, add(mine, "u", 2));
        ProducerAnswer next = bench.end(mine, true, 2).value();
        assertEquals(Errors.NONE, next.error());
        deliver();
        return new Producer("mine", next.producerId(), next.epoch());
    }

    /** The reserve is for what exists, and has an end as well: whoever uses it up gets no more, but can end what was begun. */
    @Test
    void openTransactionsThatGrow() {
        List<Producer> all = new ArrayList<>();
        for (int i = 0; tryInit("p" + i).error() == Errors.NONE; i++) {
            all.add(init("p" + i));
        }
        List<Producer> begun = new ArrayList<>();
        Errors last = Errors.NONE;
        for (Producer each : all) {
            for (int partition = 0; partition < 3 && last == Errors.NONE; partition++) {
                last = add(each, "t", partition);
                if (last == Errors.NONE && partition == 0) {
                    begun.add(each);
                }
            }
        }
        assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, last);
        assertTrue(bench.stateBytes() <= MOST + MOST / 4, bench.stateBytes() + " bytes");
        for (int i = 0; i < begun.size(); i++) {
            assertEquals(
                    Errors.NONE, bench.end(begun.get(i), i % 2 == 0, 2).value().error());
        }
        deliver();
        assertEquals(Errors.NONE, add(all.get(all.size() - 1), "t", 0));
    }
}
