package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.OwnerId;
import common.PartitionId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import replication.ReplicaShard;
import replication.ReplicaShard.LogDirInfo;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/** One of two log directories cannot be used when the node starts (rules S3, I11): as in Kafka, the node serves what lies in the other one. */
@ExtendWith(QuietLogs.class)
class BrokenDirectoryTest {
    private static final int PARTITIONS = 8;

    private static final DiskFaults UNREADABLE =
            (operation, path, number) -> operation == Operation.READ ? Fault.ERROR : Fault.NONE;
    private static final DiskFaults SYNCS_FAIL =
            (operation, path, number) -> operation == Operation.SYNC_DIRECTORY ? Fault.ERROR : Fault.NONE;

    private final List<PartitionId> partitions = new ArrayList<>();

    private NodeBench filled(long seed) {
        NodeBench node = new NodeBench(seed, 2).start();
        Uuid topic = node.create("a", PARTITIONS, "flush.messages", "1");
        partitions.clear();
        for (int i = 0; i < PARTITIONS; i++) {
            partitions.add(new PartitionId(topic, i));
            node.produce(partitions.get(i), "v" + i);
        }
        assertTrue(lies(node, 0).size() > 1 && lies(node, 1).size() > 1, "both directories hold some");
        return node;
    }

    /** The partitions of topic a in a directory. */
    private List<PartitionId> lies(NodeBench node, int disk) {
        List<String> tree = node.disks.get(disk).tree();
        return partitions.stream()
                .filter(each -> tree.contains("a-" + each.partition() + "/"))
                .toList();
    }

    private void end(NodeBench node, boolean clean) {
        if (clean) {
            assertNull(node.stop());
        } else {
            node.powerCut();
        }
    }

    @Test
    void theOtherOneIsServedAndNothingIsLost_S3() {
        for (int variant = 0; variant < 8; variant++) {
            boolean clean = variant % 2 == 0;
            String where = "variant " + variant;
            NodeBench node = filled(20 + variant);
            List<PartitionId> broken = lies(node, 1);
            end(node, clean);
            node.disks.get(1).faults(variant < 4 ? UNREADABLE : SYNCS_FAIL);
            node.start();
            for (PartitionId each : partitions) {
                boolean lost = broken.contains(each);
                Failure failure = node.tryProduce(each, "more").failure();
                assertEquals(lost ? FailureCode.STORAGE_ERROR : null, failure == null ? null : failure.code(), where);
                assertTrue(failure == null || failure.message().contains("disk1"), where + ": " + failure);
            }
            Uuid made = node.create("b", 3);
            for (int i = 0; i < 3; i++) {
                node.produce(new PartitionId(made, i), "new");
            }
            described(node, where);
            node.runFor(200_000);
            assertNull(node.halted, where);
            end(node, variant % 4 < 2);
            node.disks.get(1).faults(DiskFaults.NONE);
            node.start();
            for (PartitionId each : partitions) {
                assertEquals(0, node.start(each), where);
                assertEquals(broken.contains(each) ? 1 : 2, node.end(each), where);
                node.produce(each, "again");
            }
            assertNull(node.stop(), where);
        }
    }

    private static void described(NodeBench node, String where) {
        List<LogDirInfo> directories = node.<ReplicaShard, List<LogDirInfo>>ask(
                        new OwnerId<>(ReplicaShard.class, 0), (shard, reply) -> shard.describeLogDirs(reply))
                .value();
        assertNull(directories.get(0).failure(), where);
        assertNotNull(directories.get(1).failure(), where);
    }

    /** Of those that never held a record the metadata alone says where they lie; the log says how many are not served. */
    @Test
    void thoseThatNeverHeldARecordLieWhereTheMetadataSays_I11() {
        for (int variant = 0; variant < 8; variant++) {
            String where = "variant " + variant;
            NodeBench node = filled(30 + variant);
            List<PartitionId> empty = partitionsOf(node.create("empty", 6), 6);
            end(node, variant % 2 == 0);
            node.disks.get(1).faults(variant < 4 ? UNREADABLE : SYNCS_FAIL);
            List<String> lines;
            try (LoggedLines told = new LoggedLines("node.ReplicaDirectories")) {
                node.start();
                lines = told.lines();
            }
            List<PartitionId> unserved = new ArrayList<>();
            for (PartitionId each : empty) {
                Failure failure = node.tryProduce(each, "v").failure();
                assertEquals(failure == null ? null : FailureCode.STORAGE_ERROR, codeOf(failure), where);
                if (failure != null) {
                    unserved.add(each);
                }
            }
            assertEquals(3, unserved.size(), "as many in each: " + where);
            assertEquals(1, lines.size(), where);
            String count = lies(node, 1).size() + 3 + " partition(s)";
            assertTrue(lines.get(0).startsWith(count) && lines.get(0).contains("lie in disk1"), lines.get(0));
            end(node, variant % 4 < 2);
            node.disks.get(1).faults(DiskFaults.NONE);
            node.start();
            for (PartitionId each : empty) {
                if (unserved.contains(each) || variant % 4 < 2) {
                    assertEquals(unserved.contains(each) ? 0 : 1, node.end(each), where);
                }
                node.produce(each, "w");
                List<String> tree =
                        node.disks.get(unserved.contains(each) ? 1 : 0).tree();
                assertTrue(tree.contains("empty-" + each.partition() + "/"), where);
            }
            assertNull(node.stop());
        }
    }

    private static List<PartitionId> partitionsOf(Uuid topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new PartitionId(topic, i))
                .toList();
    }

    private static FailureCode codeOf(Failure failure) {
        return failure == null ? null : failure.code();
    }

    /** Metadata from before directories were in it: where partitions without files lie is not known, and they wait, as those of the broken one. */
    @Test
    void whatTheMetadataDoesNotSayIsNotGuessed_I11() {
        NodeBench node = filled(38);
        Uuid topic = node.create("empty", 6);
        node.unassign(topic, 6);
        assertNull(node.stop());
        node.disks.get(1).faults(UNREADABLE);
        node.start();
        for (PartitionId each : partitionsOf(topic, 6)) {
            assertEquals(
                    FailureCode.STORAGE_ERROR, codeOf(node.tryProduce(each, "v").failure()));
        }
        assertNull(node.stop());
        node.disks.get(1).faults(DiskFaults.NONE);
        node.start();
        partitionsOf(topic, 6).forEach(each -> node.produce(each, "v"));
        assertNull(node.stop());
        node.disks.get(1).faults(UNREADABLE);
        node.start();
        long served = partitionsOf(topic, 6).stream()
                .filter(each -> node.tryProduce(each, "w").failure() == null)
                .count();
        assertEquals(3, served, "shared out, and told, when all could be read");
    }

    /** What went offline while the node runs takes no new partitions, and answers nothing as if it were well. */
    @Test
    void aDirectoryThatGoesOfflineTakesNoNewPartitions_S3() {
        NodeBench node = filled(39);
        List<PartitionId> broken = lies(node, 1);
        node.disks.get(1).faults((operation, path, number) -> operation == Operation.SYNC ? Fault.ERROR : Fault.NONE);
        assertNotNull(node.tryProduce(broken.get(0), "v").failure());
        node.runFor(1_000);
        for (PartitionId each : partitionsOf(node.create("b", 10), 10)) {
            node.produce(each, "v");
        }
        for (PartitionId each : partitions) {
            FailureCode lost = broken.contains(each) ? FailureCode.STORAGE_ERROR : null;
            assertEquals(lost, codeOf(node.tryProduce(each, "v").failure()));
            assertEquals(lost, codeOf(node.tryEnd(each).failure()));
            assertEquals(lost, codeOf(node.tryProducers(each).failure()));
        }
        node.powerCut();
        node.disks.get(1).faults(DiskFaults.NONE);
        node.start();
        for (PartitionId each : partitions) {
            node.produce(each, "again");
        }
        assertNull(node.stop());
    }

    /** What was deleted and made again meanwhile is not taken for what lies in the directory that comes back (rule C7). */
    @Test
    void aTopicMadeAnewMeanwhileIsAnotherOne_C7() {
        for (int variant = 0; variant < 4; variant++) {
            NodeBench node = filled(40 + variant);
            end(node, variant % 2 == 0);
            node.disks.get(1).faults(UNREADABLE);
            node.start();
            assertEquals(Errors.NONE, node.delete("a"));
            Uuid next = node.create("a", PARTITIONS);
            for (int i = 0; i < PARTITIONS; i++) {
                node.produce(new PartitionId(next, i), "new");
            }
            node.runFor(10_000);
            assertNull(node.stop());
            node.disks.get(1).faults(DiskFaults.NONE);
            node.start();
            for (int i = 0; i < PARTITIONS; i++) {
                assertEquals(0, node.start(new PartitionId(next, i)));
                assertEquals(1, node.end(new PartitionId(next, i)));
            }
            assertTrue(node.disks.get(1).tree().toString().contains("-stray/"), "nothing is deleted");
            assertNull(node.stop());
        }
    }

    /** A sync that failed has taken partition.metadata with it: what no more says whose it is gives way to what does. */
    @Test
    void aDirectoryThatDoesNotSayWhoseItIsGivesWay_C7() {
        for (int disk = 0; disk < 2; disk++) {
            NodeBench node = filled(50 + disk);
            PartitionId one = lies(node, disk).get(0);
            assertNull(node.stop());
            String name = "a-" + one.partition();
            node.disks.get(1 - disk).put(name + "/00000000000000000000.log", new byte[70]);
            node.start();
            assertEquals(0, node.start(one));
            assertEquals(1, node.end(one));
            assertTrue(node.disks.get(1 - disk).tree().stream()
                    .anyMatch(line -> line.startsWith(name + ".") && line.endsWith("-stray/")));
            assertNull(node.stop());
        }
    }

    /** Syncs failed in both: no record was ever in them, so there is nothing to be found out. */
    @Test
    void twoBareDirectoriesAreNoReasonNotToStart_C7() {
        NodeBench node = new NodeBench(55, 2).start();
        Uuid topic = node.create("a", 1);
        assertNull(node.stop());
        node.disks.get(0).put("a-0/partition.metadata.tmp", new byte[44]);
        node.disks.get(1).put("a-0/partition.metadata.tmp", new byte[44]);
        node.start();
        PartitionId one = new PartitionId(topic, 0);
        node.produce(one, "v");
        assertNull(node.stop());
        node.start();
        assertEquals(1, node.end(one));
        assertNull(node.stop());
    }

    /** Records in both, and neither says whose they are: that is for people. */
    @Test
    void twoThatHoldRecordsRefuseTheStart_C7() {
        NodeBench node = filled(56);
        PartitionId one = lies(node, 0).get(0);
        assertNull(node.stop());
        String name = "a-" + one.partition();
        node.disks.get(0).put(name + "/partition.metadata", new byte[44]);
        node.disks.get(1).put(name + "/00000000000000000000.log", new byte[70]);
        Failure refused = node.tryStart();
        assertNotNull(refused);
        assertTrue(refused.message().contains("two log directories"), refused.message());
        node.kill();
    }

    @Test
    void withoutTheMetadataItDoesNotStart_S3() {
        NodeBench node = filled(60);
        assertNull(node.stop());
        node.disks.get(0).faults(UNREADABLE);
        Failure refused = node.tryStart();
        assertNotNull(refused);
        assertTrue(refused.message().contains("disk0") && refused.message().contains("metadata"), refused.message());
        node.kill();
        node.disks.get(0).faults(DiskFaults.NONE);
        node.start();
        partitions.forEach(each -> assertEquals(1, node.end(each)));
        assertNull(node.stop());
    }

    /** An empty directory says nothing about the cluster, in whatever order they are named. */
    @Test
    void anEmptyDirectoryDoesNotNameTheCluster_S12() {
        for (int emptied = 0; emptied < 2; emptied++) {
            NodeBench node = new NodeBench(70 + emptied, 2, "metadata.log.dir", "disk1").start();
            assertNull(node.stop());
            String cluster = clusterOf(node, 1 - emptied);
            node.disks.set(emptied, new SimDisk(new SimRandom(1)));
            node.start();
            assertNull(node.stop());
            assertEquals(cluster, clusterOf(node, 0));
            assertEquals(cluster, clusterOf(node, 1));
        }
    }

    private static String clusterOf(NodeBench node, int disk) {
        return new String(node.disks.get(disk).content("meta.properties"), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("cluster.id="))
                .findFirst()
                .orElseThrow();
    }

    /** The metadata says which cluster this is, so the other one is named as the one that does not belong here. */
    @Test
    void aForeignDirectoryIsBlamedWhereverItIsNamed_S12() {
        NodeBench foreign = new NodeBench(72, 1).start();
        assertNull(foreign.stop());
        NodeBench node = new NodeBench(73, 2, "metadata.log.dir", "disk1").start();
        assertNull(node.stop());
        node.disks.set(0, foreign.disks.get(0));
        Failure refused = node.tryStart();
        assertNotNull(refused);
        assertEquals(FailureCode.DIRECTORY_REFUSED, refused.code());
        assertTrue(refused.message().startsWith("disk0: belongs to cluster.id"), refused.message());
    }

    /** Nothing says what lies in the broken one, and no metadata whether this is a new cluster. */
    @Test
    void noClusterBeginsBesideABrokenDirectory_S12() {
        for (DiskFaults faults : List.of(UNREADABLE, SYNCS_FAIL)) {
            NodeBench node = new NodeBench(74, 2);
            node.disks.get(1).faults(faults);
            for (int attempt = 0; attempt < 2; attempt++) {
                Failure refused = node.tryStart();
                assertNotNull(refused);
                assertTrue(refused.message().contains("disk1 cannot be used"), refused.message());
                assertTrue(refused.message().contains("disk0 holds no metadata"), refused.message());
                node.kill();
            }
            assertTrue(faults == SYNCS_FAIL || node.disks.get(0).tree().isEmpty(), "nothing was touched");
            node.disks.get(1).faults(DiskFaults.NONE);
            node.start();
            assertNull(node.stop());
        }
    }

    @Test
    void noClusterBeginsWhenTheMetadataIsLostAndWhatLiesInTheOtherIsUnknown_S12() {
        NodeBench node = filled(75);
        assertNull(node.stop());
        SimDisk metadata = node.disks.get(0);
        node.disks.set(0, new SimDisk(new SimRandom(1)));
        for (DiskFaults faults : List.of(UNREADABLE, SYNCS_FAIL, DiskFaults.NONE)) {
            node.disks.get(1).faults(faults);
            assertNotNull(node.tryStart());
            node.kill();
        }
        node.disks.set(0, metadata);
        node.start();
        partitions.forEach(each -> assertEquals(1, node.end(each)));
        assertNull(node.stop());
    }
}
