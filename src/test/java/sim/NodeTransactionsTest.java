package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import transaction.Producer;
import transaction.ProducerAnswer;

/** Transactions over the life of a node: what was decided is carried out, what is pending goes with what it belongs to (rules T1, T2, T7 to T11, T13). */
@ExtendWith(QuietLogs.class)
final class NodeTransactionsTest {
    private static final int LONG = 600_000;

    private NodeBench node;
    private NodeTransactions transactions;

    private void begin(long seed, String... settings) {
        node = new NodeBench(seed, 1, settings).start();
        transactions = new NodeTransactions(node);
        transactions.makeTopic("t");
    }

    /** Writes to files of these directories fail, so that markers do not get there. */
    private void failWritesTo(String directory) {
        node.disks
                .get(0)
                .faults((operation, path, number) ->
                        operation == DiskFaults.Operation.WRITE && path.startsWith(directory)
                                ? DiskFaults.Fault.ERROR
                                : DiskFaults.Fault.NONE);
    }

    // ---- what was decided is carried out

    @Test
    void markersAreSentAfterARestart_T2() {
        for (boolean commit : new boolean[] {true, false}) {
            for (boolean power : new boolean[] {true, false}) {
                begin(commit ? 1 : 2, "offsets.load.buffer.size", "1000");
                // The group's partition has much to load, so its markers come while it does.
                for (int i = 0; i < 200; i++) {
                    transactions.commit("g", "t", i);
                }
                Producer producer = transactions.init("x", LONG);
                transactions.produce(producer, "t", 0);
                transactions.commit(producer, "g", "t", 500);
                failWritesTo(NodeTransactions.directoryOf("g"));
                Producer next = transactions.end(producer, commit);
                node.runFor(1_000);
                assertEquals(commit ? "PrepareCommit" : "PrepareAbort", transactions.state("x"));
                if (power) {
                    node.powerCut();
                } else {
                    node.kill();
                }
                node.disks.get(0).faults(DiskFaults.NONE);
                node.start();
                transactions.awaitState("x", commit ? "CompleteCommit" : "CompleteAbort");
                assertEquals(commit ? 500 : 199, transactions.committed("g"));
                assertTrue(transactions.isStable("g"));
                assertTrue(transactions.nothingOpen("g"));
                // What was marked before is marked once more, by the coordinator of a higher epoch.
                assertEquals(3, transactions.stableEnd("t"));
                assertEquals(3, transactions.end("t"));
                // The answer came before the restart, and is the same when asked again (T6).
                ProducerAnswer again = transactions.tryEnd(producer, commit);
                assertEquals(next.epoch(), again.epoch());
                transactions.produce(next, "t", 0);
            }
        }
    }

    /** The partition's log is opened late: the markers wait for it. */
    @Test
    void markersReachAPartitionThatOpensLate_T7() {
        begin(3);
        Producer producer = transactions.init("x", LONG);
        transactions.produce(producer, "t", 0);
        failWritesTo("t-0/");
        transactions.end(producer, true);
        node.kill();
        node.disks
                .get(0)
                .faults((operation, path, number) -> path.startsWith("t-0/") && path.endsWith(".log")
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        node.start();
        node.runFor(5_000);
        assertEquals("PrepareCommit", transactions.state("x"));
        node.disks.get(0).faults(DiskFaults.NONE);
        transactions.awaitState("x", "CompleteCommit");
        assertEquals(2, transactions.stableEnd("t"));
    }

    /** Whatever was known of the transactions is no answer any more: nobody can say whether it is on the disk. */
    @Test
    void aLostDirectoryIsNotAnsweredFromMemory_S3() {
        node = new NodeBench(5, 2).start();
        transactions = new NodeTransactions(node);
        transactions.makeTopic("t");
        List<String> ids = IntStream.range(0, 12).mapToObj(i -> "x" + i).toList();
        ids.forEach(each -> transactions.produce(transactions.init(each, LONG), "t", 0));
        List<String> lost = ids.stream().filter(this::liesInTheSecond).toList();
        assertTrue(
                lost.stream().map(NodeTransactions::partition).distinct().count() > 1 && lost.size() < ids.size(),
                "several of its partitions");
        node.disks
                .get(1)
                .faults((operation, path, number) ->
                        operation == DiskFaults.Operation.SYNC ? DiskFaults.Fault.ERROR : DiskFaults.Fault.NONE);
        // One of its partitions meets it; the others' states are in memory as before.
        transactions.refuseInit(lost.get(0));
        node.runFor(1_000);
        for (String each : ids) {
            if (lost.contains(each)) {
                assertEquals(
                        FailureCode.NOT_COORDINATOR, transactions.refusal(each).code());
            } else {
                assertEquals("Ongoing", transactions.state(each));
            }
        }
        node.powerCut();
        node.disks.get(1).faults(DiskFaults.NONE);
        node.start();
        ids.subList(1, ids.size()).forEach(each -> assertNotEquals("", transactions.state(each)));
    }

    private boolean liesInTheSecond(String id) {
        String name = NodeTransactions.STATES + "-" + NodeTransactions.partition(id) + "/";
        return node.disks.get(1).tree().contains(name);
    }

    @Test
    void anOpenTransactionOutlivesARestart_T8() {
        begin(4);
        Producer producer = transactions.init("x", LONG);
        transactions.produce(producer, "t", 0);
        transactions.commit(producer, "g", "t", 5);
        node.kill();
        node.start();
        assertEquals("Ongoing", transactions.state("x"));
        assertEquals(0, transactions.stableEnd("t"));
        assertEquals(-1, transactions.committed("g"));
        assertFalse(transactions.isStable("g"));
        transactions.produce(producer, "t", 1);
        transactions.end(producer, true);
        transactions.awaitState("x", "CompleteCommit");
        assertEquals(3, transactions.stableEnd("t"));
        assertEquals(5, transactions.committed("g"));
    }

    // ---- time

    @Test
    void aTimeOutGoesOnOverARestart_T11() {
        begin(5);
        Producer producer = transactions.init("x", 60_000);
        transactions.produce(producer, "t", 0);
        node.runFor(30_000);
        node.kill();
        node.start();
        node.runFor(20_000);
        assertEquals("Ongoing", transactions.state("x"));
        node.runFor(15_000);
        transactions.awaitState("x", "CompleteAbort");
        assertEquals(2, transactions.stableEnd("t"));
        assertEquals(Errors.PRODUCER_FENCED, transactions.tryEnd(producer, true).error());
    }

    @Test
    void aTimeOutThatPassedWhileTheNodeWasDownTakesEffectAtOnce_T11() {
        begin(6);
        Producer producer = transactions.init("x", 60_000);
        transactions.produce(producer, "t", 0);
        node.powerCut();
        node.runFor(100_000);
        node.start();
        transactions.awaitState("x", "CompleteAbort");
        assertEquals(2, transactions.stableEnd("t"));
        assertEquals(Errors.INVALID_PRODUCER_EPOCH, transactions.tryProduce(producer, "t", 1));
    }

    @Test
    void idsThatAreNotUsedAreForgotten_T13() {
        begin(
                7,
                "transactional.id.expiration.ms",
                "300000",
                "transaction.remove.expired.transaction.cleanup.interval.ms",
                "10000");
        Producer idle = transactions.init("idle", LONG);
        Producer busy = transactions.produce(transactions.init("busy", LONG), "t", 0);
        node.runFor(200_000);
        node.kill();
        node.start();
        node.runFor(90_000);
        assertEquals("Empty", transactions.state("idle"));
        node.runFor(30_000);
        assertEquals("", transactions.state("idle"));
        assertEquals("Ongoing", transactions.state("busy"), "older than that, but open");
        assertEquals(
                Errors.INVALID_PRODUCER_ID_MAPPING,
                transactions.tryEnd(idle, true).error());
        node.powerCut();
        node.start();
        assertEquals("", transactions.state("idle"));
        transactions.end(busy, true);
        transactions.awaitState("busy", "CompleteCommit");
        node.runFor(320_000);
        assertEquals("", transactions.state("busy"));
        Producer anew = transactions.init("idle", LONG);
        assertNotEquals(idle.producerId(), anew.producerId());
        assertEquals(0, anew.epoch());
    }

    /** Each end raises the epoch, and after the highest comes another producer id, whatever happens in between (T3, T6). */
    @Test
    void epochsThatAreUsedUpAreFollowedByAnotherProducerId_T3() {
        begin(8);
        Producer producer = transactions.init("x", LONG);
        while (producer.epoch() < Short.MAX_VALUE - 3) {
            producer = transactions.end(producer, false);
        }
        long first = producer.producerId();
        Producer last = producer;
        for (int i = 0; i < 6; i++) {
            transactions.produce(producer, "t", 0);
            failWritesTo("t-0/");
            last = producer;
            producer = transactions.end(producer, true);
            assertEquals("PrepareCommit", transactions.state("x"));
            node.kill();
            node.disks.get(0).faults(DiskFaults.NONE);
            node.start();
            transactions.awaitState("x", "CompleteCommit");
            ProducerAnswer again = transactions.tryEnd(last, true);
            assertEquals(producer.producerId(), again.producerId());
            assertEquals(producer.epoch(), again.epoch());
            assertEquals(2 * i + 2, transactions.stableEnd("t"));
        }
        assertNotEquals(first, producer.producerId());
        Producer old = new Producer("x", first, (short) (Short.MAX_VALUE - 1));
        assertEquals(
                Errors.INVALID_PRODUCER_ID_MAPPING,
                transactions.tryEnd(old, true).error());
        assertNotEquals(Errors.NONE, transactions.tryProduce(old, "t", 0));
    }

    // ---- pending offsets, and what they belong to

    @Test
    void pendingOffsetsOfADeletedTopicGoWithIt_C7() {
        begin(9, "offsets.retention.check.interval.ms", "1000");
        Producer producer = transactions.init("x", LONG);
        transactions.commit(producer, "g", "t", 5);
        transactions.commit("other", "t", 6);
        assertEquals(Errors.NONE, node.delete("t"));
        transactions.makeTopic("t");
        transactions.end(producer, true);
        transactions.awaitState("x", "CompleteCommit");
        node.runFor(5_000);
        assertEquals(-1, transactions.committed("g"), "a new topic does not inherit it");
        assertEquals(-1, transactions.committed("other"));
        assertTrue(transactions.nothingOpen("g"));
        node.kill();
        node.start();
        assertEquals(-1, transactions.committed("g"));
        transactions.commit("g", "t", 1);
        assertEquals(1, transactions.committed("g"));
    }

    /** For memory as for the log. */
    @Test
    void deletedGroupsTakePendingOffsetsWithThem_T10() {
        for (boolean before : new boolean[] {true, false}) {
            for (boolean commit : new boolean[] {true, false}) {
                begin(10);
                if (before) {
                    transactions.commit("g", "t", 3);
                }
                Producer producer = transactions.init("x", LONG);
                transactions.commit(producer, "g", "t", 5);
                assertEquals(
                        Map.of("g", Errors.NONE),
                        transactions.askGroup("g", shard -> shard.admin().delete(List.of("g"))));
                assertNoOffset("deleted");
                node.kill();
                node.start();
                assertNoOffset("started again");
                transactions.end(producer, commit);
                transactions.awaitState("x", commit ? "CompleteCommit" : "CompleteAbort");
                assertNoOffset("ended by " + commit);
                assertTrue(transactions.nothingOpen("g"));
                node.powerCut();
                node.start();
                assertNoOffset("started again, ended by " + commit);
            }
        }
    }

    private void assertNoOffset(String when) {
        assertEquals(-1, transactions.committed("g"), when);
        assertTrue(transactions.isStable("g"), when);
    }

    @Test
    void offsetsThatATransactionMayReplaceDoNotExpire_G8() {
        begin(11, "offsets.retention.minutes", "1", "offsets.retention.check.interval.ms", "7000");
        transactions.commit("g", "t", 3);
        transactions.commit("old", "t", 4);
        Producer producer = transactions.init("x", LONG);
        transactions.commit(producer, "g", "t", 5);
        node.runFor(200_000);
        assertEquals(-1, transactions.committed("old"));
        assertEquals(3, transactions.committed("g"));
        assertFalse(transactions.isStable("g"));
        transactions.end(producer, true);
        transactions.awaitState("x", "CompleteCommit");
        assertEquals(5, transactions.committed("g"));
        node.kill();
        node.start();
        node.runFor(200_000);
        assertEquals(-1, transactions.committed("g"));
        assertNull(node.halted);
    }
}
