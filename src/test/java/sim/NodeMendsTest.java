package sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import replication.ReplicaShard.ReadOutcome;

/** What a node does about directories that are not as it left them, and about fetches that nobody waits for any more. */
final class NodeMendsTest {

    private static final String METADATA = "a-0/partition.metadata";

    private static PartitionId first(Uuid topic) {
        return new PartitionId(topic, 0);
    }

    /** As Kafka: which of the two is the newer one is the operator's to say. */
    @Test
    void partitionInTwoLogDirectoriesIsNotGuessedAbout() {
        NodeBench node = new NodeBench(1, 2).start();
        PartitionId partition = first(node.create("a", 1));
        node.produce(partition, "v");
        assertNull(node.stop());
        int holder = node.disks.get(0).tree().contains("a-0/") ? 0 : 1;
        SimDisk other = node.disks.get(1 - holder);
        other.put(METADATA, node.disks.get(holder).content(METADATA));
        other.put("b-0/00000000000000000000.log", new byte[0]);
        Failure refused = node.tryStart();
        assertTrue(refused.message().contains("disk0/a-0 and disk1/a-0"), refused.message());
        assertTrue(other.tree().contains("b-0/"), "nothing was touched");
        node.kill();
        other.root().rename("a-0", "elsewhere");
        node.start();
        assertEquals(1, node.end(partition));
    }

    /** Whose the partitions are is told by the metadata log alone; starting as a new node would set all of them aside. */
    @Test
    void partitionsWithoutTheirMetadataLogRefuseTheStart() {
        NodeBench node = new NodeBench(1, 1).start();
        PartitionId partition = first(node.create("a", 1));
        node.produce(partition, "v");
        node.kill();
        node.disks.get(0).root().rename("__cluster_metadata-0", "elsewhere");
        Failure refused = node.tryStart();
        assertTrue(refused.message().contains("1 partition(s)"), refused.message());
        assertTrue(node.disks.get(0).tree().contains("a-0/"), "nothing was touched");
        assertFalse(node.disks.get(0).tree().contains("__cluster_metadata-0"), "nothing was made");
        node.kill();
        node.disks.get(0).root().rename("elsewhere", "__cluster_metadata-0");
        node.start();
        assertEquals(1, node.end(partition));
    }

    /** Else a crash within a minute of the start would read again all that was written since (S7). */
    @Test
    void recoveryPointsFollowTheClosedSegmentsSoon() {
        NodeBench node = new NodeBench(3, 1).start();
        PartitionId partition = first(node.create("a", 1, "segment.ms", "1000"));
        node.produce(partition, "v");
        node.runFor(2_000);
        node.produce(partition, "w");
        node.runFor(8_000);
        String points = new String(
                node.disks.get(0).content("recovery-point-offset-checkpoint"), java.nio.charset.StandardCharsets.UTF_8);
        assertTrue(points.lines().anyMatch("a 0 1"::equals), points);
    }

    @Test
    void lostPartitionMetadataIsWrittenAnew_C7() {
        NodeBench node = new NodeBench(2, 1).start();
        PartitionId partition = first(node.create("a", 1));
        node.produce(partition, "v");
        byte[] before = node.disks.get(0).content(METADATA);
        node.kill();
        ((SimDirectory) node.disks.get(0).root().names().get("a-0")).unlink("partition.metadata");
        node.start();
        assertEquals(1, node.end(partition));
        assertArrayEquals(before, node.disks.get(0).content(METADATA));
        node.powerCut();
        assertArrayEquals(before, node.disks.get(0).content(METADATA), "durably");
    }

    /** Not even a disk that takes no more writes keeps what it holds from being served. */
    @Test
    void lostPartitionMetadataThatCannotBeWrittenIsLivedWith() {
        NodeBench node = new NodeBench(2, 1).start();
        PartitionId partition = first(node.create("a", 1));
        node.produce(partition, "v");
        node.kill();
        ((SimDirectory) node.disks.get(0).root().names().get("a-0")).unlink("partition.metadata");
        node.disks
                .get(0)
                .faults((operation, path, number) -> path.startsWith(METADATA) && operation != DiskFaults.Operation.READ
                        ? DiskFaults.Fault.ERROR
                        : DiskFaults.Fault.NONE);
        node.start();
        assertEquals(1, node.end(partition));
    }

    /** A read of old data is with the disk when the fetch is cancelled: it must not begin to wait afterwards. */
    @Test
    void fetchCancelledDuringAColdReadDoesNotWait() {
        for (long seed = 0; seed < 20; seed++) {
            NodeBench node = new NodeBench(seed, 1).start();
            PartitionId partition = first(node.create("a", 1));
            node.produce(partition, "v");
            node.kill();
            node.start();
            long begin = node.nowMillis();
            List<ReadOutcome> read =
                    node.fetch(List.of(partition), 1_000_000, 60_000, true).value();
            assertTrue(node.nowMillis() - begin < 30_000, "seed " + seed);
            assertTrue(read.get(0).result().bytes() > 0, "what was read is answered");
            read.get(0).result().range().release();
        }
    }

    @Test
    void fetchOverSeveralShardsWaits() {
        NodeBench node = new NodeBench(3, 1).start();
        Uuid topic = node.create("a", 8);
        List<PartitionId> all = new ArrayList<>();
        for (int p = 0; p < 8; p++) {
            all.add(new PartitionId(topic, p));
        }
        long begin = node.nowMillis();
        node.fetch(all, 1, 10_000, false);
        assertTrue(node.nowMillis() - begin >= 10_000, "waited " + (node.nowMillis() - begin) + " ms");
    }

    /** The name is free as soon as the disk lets it be, without a restart. */
    @Test
    void failedDeletionIsRepeatedUntilTheSuccessorCanWrite_C7() {
        NodeBench node = new NodeBench(6, 1).start();
        PartitionId old = first(node.create("a", 1));
        node.produce(old, "old");
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
        node.runFor(10_000);
        assertEquals(
                FailureCode.STORAGE_ERROR,
                node.tryProduce(next, "new").failure().code());
        node.disks.get(0).faults(DiskFaults.NONE);
        node.runFor(30_000);
        node.produce(next, "new");
        node.runFor(600_000);
        node.kill();
        node.start();
        assertEquals(0, node.start(next));
        assertEquals(1, node.end(next), "the repeated deletion hit the old directory only");
    }

    /** The old directory went by other means, and its successor's has its name. */
    @Test
    void repeatedDeletionSparesTheSuccessor_C7() {
        NodeBench node = new NodeBench(7, 1).start();
        PartitionId old = first(node.create("a", 1));
        node.produce(old, "old");
        node.disks
                .get(0)
                .faults((operation, path, number) ->
                        operation == DiskFaults.Operation.RENAME && path.endsWith("-delete")
                                ? DiskFaults.Fault.ERROR
                                : DiskFaults.Fault.NONE);
        assertEquals(Errors.NONE, node.delete("a"));
        node.disks.get(0).root().rename("a-0", "elsewhere");
        PartitionId next = first(node.create("a", 1));
        node.produce(next, "new");
        node.disks.get(0).faults(DiskFaults.NONE);
        node.runFor(600_000);
        assertTrue(node.disks.get(0).tree().contains("a-0/"));
        assertFalse(node.disks.get(0).tree().toString().contains("-delete"));
        node.produce(next, "new1");
    }

    private static void clear(SimDisk disk) {
        List.copyOf(disk.root().names().keySet()).forEach(disk.root()::unlink);
    }

    /** Its open files outlive it: writes would succeed, and be gone at the next start. */
    @Test
    void directoryRemovedUnderTheNodeGoesOffline() {
        NodeBench node = new NodeBench(9, 2).start();
        Uuid topic = node.create("a", 8);
        int lost = 0;
        for (int p = 0; p < 8; p++) {
            node.produce(new PartitionId(topic, p), "v");
        }
        node.disks
                .get(1)
                .faults((operation, path, number) ->
                        path.equals("meta.properties") ? DiskFaults.Fault.ERROR : DiskFaults.Fault.NONE);
        node.runFor(30_000);
        node.disks.get(1).faults(DiskFaults.NONE);
        for (int p = 0; p < 8; p++) {
            node.produce(new PartitionId(topic, p), "one that cannot be read for a while is not gone");
        }
        clear(node.disks.get(1));
        node.runFor(30_000);
        for (int p = 0; p < 8; p++) {
            Failure refused = node.tryProduce(new PartitionId(topic, p), "w").failure();
            lost += refused != null ? 1 : 0;
            assertTrue(refused == null || refused.code() == FailureCode.STORAGE_ERROR, String.valueOf(refused));
        }
        assertEquals(4, lost, "the other directory serves on");
        assertNull(node.halted);
        clear(node.disks.get(0));
        node.runFor(30_000);
        assertTrue(node.halted.message().contains("disk0 was removed"), String.valueOf(node.halted));
    }

    @Test
    void directoryReplacedUnderTheNodeGoesOffline() {
        NodeBench node = new NodeBench(9, 1).start();
        node.create("a", 1);
        node.runFor(30_000);
        assertNull(node.halted);
        NodeBench other = new NodeBench(10, 1).start();
        node.disks.get(0).put("meta.properties", other.disks.get(0).content("meta.properties"));
        node.runFor(30_000);
        assertTrue(node.halted.message().contains("replaced"), String.valueOf(node.halted));
    }

    @Test
    void startOnAFullDiskSaysWhatToDo() {
        NodeBench node = new NodeBench(8, 1).start();
        node.create("a", 1);
        node.kill();
        node.disks.get(0).capacity(node.disks.get(0).usedBytes());
        Failure refused = node.tryStart();
        assertEquals(FailureCode.DISK_FULL, refused.code());
        assertTrue(refused.message().contains("log directory disk0 is full: free some space"), refused.message());
        node.kill();
        node.disks.get(0).unbounded();
        node.start();
    }
}
