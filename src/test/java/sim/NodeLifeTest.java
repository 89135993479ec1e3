package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.FailureCode;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** How the parts of a node meet over its life: topics made again, thousands of them, directories that fail, stops of each kind. */
final class NodeLifeTest {

    private static final String[] SLOW_CHECKPOINTS = {
        "log.flush.offset.checkpoint.interval.ms", "3600000",
        "log.flush.start.offset.checkpoint.interval.ms", "3600000"
    };

    private static PartitionId first(Uuid topic) {
        return new PartitionId(topic, 0);
    }

    /** Checkpoint files know partitions by name only: what they say of a deleted topic must not be taken for its successor. */
    @Test
    void recordsOfARecreatedTopicSurviveAKill_I11() {
        for (long seed = 0; seed < 10; seed++) {
            NodeBench node = new NodeBench(seed, 1, SLOW_CHECKPOINTS).start();
            PartitionId old = first(node.create("a", 1));
            for (int i = 0; i < 9; i++) {
                node.produce(old, "old" + i);
            }
            node.deleteBefore(old, 7);
            assertEquals(Errors.NONE, node.delete("a"));
            PartitionId next = first(node.create("a", 1));
            node.produce(next, "new0");
            node.produce(next, "new1");
            node.kill();
            node.start();
            assertEquals(0, node.start(next), "seed " + seed);
            assertEquals(2, node.end(next), "seed " + seed);
        }
    }

    /** One image may take a topic away and bring another of its name. */
    @Test
    void successorInOneImageKeepsItsLogStart_I12() {
        for (long seed = 0; seed < 10; seed++) {
            NodeBench node = new NodeBench(seed, 1, SLOW_CHECKPOINTS).start();
            PartitionId old = first(node.create("a", 1));
            node.produce(old, "old");
            PartitionId next = first(node.recreateAtOnce("a", 40));
            for (int i = 0; i < 5; i++) {
                node.produce(next, "new" + i);
            }
            node.deleteBefore(next, 3);
            node.kill();
            node.start();
            assertEquals(3, node.start(next), "seed " + seed);
            assertEquals(5, node.end(next), "seed " + seed);
        }
    }

    /** A topic whose files cannot be read is deleted and made again: what the new one acknowledges must survive the next start. */
    @Test
    void topicThatCouldNotBeOpenedMakesRoomForItsSuccessor_C7() {
        NodeBench node = new NodeBench(5, 1, SLOW_CHECKPOINTS).start();
        PartitionId old = first(node.create("a", 1));
        for (int i = 0; i < 9; i++) {
            node.produce(old, "old" + i);
        }
        node.kill();
        node.disks
                .get(0)
                .faults((operation, path, number) -> path.startsWith("a-0/") && path.endsWith(".log")
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        node.start();
        assertNotNull(node.tryProduce(old, "x").failure());
        node.disks.get(0).faults(DiskFaults.NONE);
        assertEquals(Errors.NONE, node.delete("a"));
        PartitionId next = first(node.create("a", 1));
        node.produce(next, "new0");
        node.kill();
        node.start();
        assertEquals(0, node.start(next));
        assertEquals(1, node.end(next));
    }

    /** As above; this time it is the deletion that fails: the successor takes nothing rather than lose it. */
    @Test
    void directoryThatCouldNotBeDeletedIsNotItsSuccessors_C7() {
        NodeBench node = new NodeBench(6, 1, SLOW_CHECKPOINTS).start();
        PartitionId old = first(node.create("a", 1));
        for (int i = 0; i < 9; i++) {
            node.produce(old, "old" + i);
        }
        node.disks
                .get(0)
                .faults((operation, path, number) ->
                        operation == DiskFaults.Operation.RENAME && path.endsWith("-delete")
                                ? DiskFaults.Fault.ERROR
                                : DiskFaults.Fault.NONE);
        assertEquals(Errors.NONE, node.delete("a"));
        PartitionId next = first(node.create("a", 1));
        assertEquals(
                FailureCode.STORAGE_ERROR,
                node.tryProduce(next, "new").failure().code());
        node.kill();
        node.start();
        node.produce(next, "new0");
        node.kill();
        node.start();
        assertEquals(0, node.start(next));
        assertEquals(1, node.end(next));
    }

    /** Rule S3: a directory that fails at one owner fails at all; the other directory goes on. */
    @Test
    void failedSyncTakesTheDirectoryOfflineForAllShards_S3() {
        NodeBench node = new NodeBench(7, 2, SLOW_CHECKPOINTS).start();
        Uuid topic = node.create("a", 16);
        List<PartitionId> second = new ArrayList<>();
        for (int p = 0; p < 16; p++) {
            PartitionId each = new PartitionId(topic, p);
            node.produce(each, "v");
            if (node.disks.get(1).tree().toString().contains("a-" + p + "/")) {
                second.add(each);
            }
        }
        PartitionId durable = null;
        Uuid synced = node.create("b", 4, "flush.messages", "1");
        for (int p = 0; p < 4; p++) {
            node.produce(new PartitionId(synced, p), "v");
            if (node.disks.get(1).tree().toString().contains("b-" + p + "/")) {
                durable = new PartitionId(synced, p);
            }
        }
        node.disks
                .get(1)
                .faults((operation, path, number) -> operation == DiskFaults.Operation.SYNC && path.endsWith(".log")
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        assertNotNull(node.tryProduce(durable, "w").failure());
        node.runFor(100);
        for (int p = 0; p < 16; p++) {
            PartitionId each = new PartitionId(topic, p);
            assertEquals(second.contains(each), node.tryProduce(each, "w").failure() != null, "partition " + p);
        }
        assertNull(node.halted);
    }

    /** As above; the old directory was removed by hand while the node was down. */
    @Test
    void checkpointLinesWithoutADirectoryCountForNothing() {
        NodeBench node = new NodeBench(1, 1, SLOW_CHECKPOINTS).start();
        PartitionId partition = first(node.create("a", 1));
        for (int i = 0; i < 9; i++) {
            node.produce(partition, "old" + i);
        }
        node.deleteBefore(partition, 7);
        assertNull(node.stop());
        node.disks.get(0).root().unlink("a-0");
        node.disks.get(0).root().sync();
        node.start();
        node.produce(partition, "new0");
        node.kill();
        node.start();
        assertEquals(0, node.start(partition));
        assertEquals(1, node.end(partition));
    }

    /** One shard's report must not cost the others their lines. */
    @Test
    void logStartsSurviveARestartAndAKillSoonAfter_I12() {
        NodeBench node = new NodeBench(2, 1, SLOW_CHECKPOINTS).start();
        PartitionId[] partitions = new PartitionId[8];
        Uuid topic = node.create("a", partitions.length);
        for (int p = 0; p < partitions.length; p++) {
            partitions[p] = new PartitionId(topic, p);
            for (int i = 0; i < 9; i++) {
                node.produce(partitions[p], "v" + i);
            }
            node.deleteBefore(partitions[p], 3);
        }
        assertNull(node.stop());
        node.start();
        node.deleteBefore(partitions[0], 5);
        node.kill();
        node.start();
        for (int p = 0; p < partitions.length; p++) {
            assertEquals(p == 0 ? 5 : 3, node.start(partitions[p]), "partition " + p);
        }
    }

    @Test
    void thousandsOfEmptyPartitionsStopAndStart() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread small = new Thread(null, () -> stopAndStartMany(), "small", 512 << 10);
        small.setUncaughtExceptionHandler((thread, error) -> thrown.add(error));
        small.start();
        small.join();
        assertEquals(List.of(), thrown);
    }

    private static void stopAndStartMany() {
        NodeBench node = new NodeBench(3, 1).start();
        PartitionId[] written = new PartitionId[200];
        Uuid busy = node.create("busy", written.length);
        for (int p = 0; p < written.length; p++) {
            written[p] = new PartitionId(busy, p);
            node.produce(written[p], "v" + p);
        }
        node.create("idle", 9_000);
        assertNull(node.stop());
        node.start();
        assertEquals(1, node.end(written[7]));
    }

    /** Rule S10: what frees space, and a restart, work while appends are refused. */
    @Test
    void topicsCanBeDeletedAndTheNodeRestartsBelowTheReserve_S10() {
        NodeBench node = new NodeBench(4, 1, "log.dir.reserve.bytes", "1000000").start();
        PartitionId partition = first(node.create("a", 1));
        node.create("b", 1);
        node.disks.get(0).capacity(node.disks.get(0).usedBytes() + 500_000);
        node.tryProduce(partition, "w");
        node.runFor(1_000);
        assertNotNull(node.tryProduce(partition, "x").failure(), "the reserve is kept");
        assertEquals(Errors.NONE, node.delete("b"));
        node.runFor(2_000);
        assertEquals(Errors.NONE, node.delete("a"));
        node.kill();
        assertNull(node.tryStart());
        node.runFor(2_000);
        assertNull(node.stop());
        assertNull(node.tryStart());
    }
}
