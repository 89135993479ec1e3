package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/**
 * A log directory is there at the start, but it is not the one that was: emptied, replaced, not mounted. What it held is lost, which is said, and its partitions go
 * on in new leader epochs (rules I11, C3, S13).
 */
@ExtendWith(QuietLogs.class)
class EmptiedDirectoryTest {
    private static final int PARTITIONS = 8;
    private static final int EMPTY = 4;
    private static final DiskFaults UNREADABLE =
            (operation, path, number) -> operation == Operation.READ ? Fault.ERROR : Fault.NONE;

    /** With a record each, then without. */
    private final List<PartitionId> partitions = new ArrayList<>();

    private final Map<PartitionId, Integer> epochs = new LinkedHashMap<>();
    private List<String> told = List.of();

    private NodeBench filled(long seed, int directories, String... settings) {
        NodeBench node = new NodeBench(seed, directories, settings).start();
        Uuid topic = node.create("a", PARTITIONS, "flush.messages", "1");
        Uuid empty = node.create("empty", EMPTY);
        partitions.clear();
        IntStream.range(0, PARTITIONS).forEach(i -> partitions.add(new PartitionId(topic, i)));
        IntStream.range(0, EMPTY).forEach(i -> partitions.add(new PartitionId(empty, i)));
        partitions.subList(0, PARTITIONS).forEach(each -> node.produce(each, "v"));
        remember(node);
        return node;
    }

    private void remember(NodeBench node) {
        partitions.forEach(each -> epochs.put(each, node.leaderEpoch(each)));
    }

    private Uuid directoryOf(NodeBench node, PartitionId partition) {
        return node.image()
                .topic(partition.topicId())
                .partitions()
                .get(partition.partition())
                .directory(1);
    }

    private List<PartitionId> lieWith(NodeBench node, PartitionId one) {
        Uuid directory = directoryOf(node, one);
        return partitions.stream()
                .filter(each -> directoryOf(node, each).equals(directory))
                .toList();
    }

    /** Some partition of topic a whose records are on this disk. */
    private PartitionId someOn(NodeBench node, int disk) {
        List<String> tree = node.disks.get(disk).tree();
        return partitions.subList(0, PARTITIONS).stream()
                .filter(each -> tree.contains("a-" + each.partition() + "/"))
                .findFirst()
                .orElseThrow();
    }

    private enum End {
        CLEAN,
        KILL,
        POWER_CUT
    }

    private static void end(NodeBench node, End how) {
        switch (how) {
            case CLEAN -> assertNull(node.stop());
            case KILL -> node.kill();
            case POWER_CUT -> node.powerCut();
        }
    }

    private static void empty(NodeBench node, int disk) {
        node.disks.set(disk, new SimDisk(new SimRandom(disk)));
    }

    private void start(NodeBench node) {
        try (LoggedLines lines = new LoggedLines("node.ReplicaDirectories")) {
            node.start();
            told = lines.lines();
        }
    }

    private void assertLost(NodeBench node, List<PartitionId> lost, String where) {
        assertEquals(1, told.size(), where + told);
        assertTrue(told.get(0).startsWith(lost.size() + " partition(s) HAVE LOST ALL"), told.get(0));
        for (PartitionId each : lost) {
            assertEquals(0, node.start(each), where);
            assertEquals(0, node.end(each), where);
            assertTrue(node.leaderEpoch(each) > epochs.get(each), "no offset under an old epoch: " + where);
            assertEquals(0, node.produce(each, "new").baseOffset(), where);
        }
    }

    private void assertKept(NodeBench node, PartitionId each, String where) {
        int records = partitions.indexOf(each) < PARTITIONS ? 1 : 0;
        assertEquals(records, node.end(each), where);
    }

    @Test
    void oneOfSeveralEmptied_I11_C3() {
        for (int variant = 0; variant < 12; variant++) {
            End how = End.values()[variant % 3];
            int emptied = variant < 6 ? 1 : 0;
            String where = "variant " + variant + " " + how + ' ';
            NodeBench node =
                    filled(100 + variant, 2 + variant % 2, "metadata.log.dir", "disk" + (emptied == 0 ? 1 : 0));
            List<PartitionId> lost = lieWith(node, someOn(node, emptied));
            assertTrue(lost.size() > 2 && lost.size() < PARTITIONS, where);
            end(node, how);
            empty(node, emptied);
            start(node);
            for (PartitionId each : partitions) {
                if (!lost.contains(each)) {
                    assertKept(node, each, where);
                    assertTrue(how != End.CLEAN || !node.recovering(each), where);
                }
            }
            assertLost(node, lost, where);
            assertTrue(told.get(0).contains("found empty: disk" + emptied + ")"), told.get(0));
            // It is over: the next start has nothing to say.
            assertNull(node.stop());
            start(node);
            assertEquals(List.of(), told, where);
            lost.forEach(each -> assertEquals(1, node.end(each)));
            assertNull(node.stop());
        }
    }

    /** The first start of a build that keeps directories in the metadata: what the last registration says is all that is known. */
    @Test
    void emptiedBeforeTheMetadataSaidWhereAnythingLies_I11_C3() {
        for (End how : End.values()) {
            NodeBench node = filled(120, 2);
            List<PartitionId> lost = lieWith(node, someOn(node, 1));
            node.unassign(partitions.get(0).topicId(), PARTITIONS);
            node.unassign(partitions.get(PARTITIONS).topicId(), EMPTY);
            end(node, how);
            empty(node, 1);
            start(node);
            for (PartitionId each : lost) {
                assertTrue(node.leaderEpoch(each) > epochs.get(each), how.toString());
                assertEquals(0, node.produce(each, "new").baseOffset());
            }
            partitions.stream().filter(each -> !lost.contains(each)).forEach(each -> assertKept(node, each, "" + how));
            assertNull(node.stop());
        }
    }

    /** That first start with nothing wrong: all is where it was, and is told. */
    @Test
    void metadataThatDoesNotSayWhereAnythingLiesIsCompleted() {
        NodeBench node = filled(123, 2);
        node.unassign(partitions.get(0).topicId(), PARTITIONS);
        node.unassign(partitions.get(PARTITIONS).topicId(), EMPTY);
        assertNull(node.stop());
        start(node);
        assertEquals(List.of(), told);
        for (PartitionId each : partitions) {
            assertKept(node, each, "");
            assertFalse(node.recovering(each));
        }
        for (int disk = 0; disk < 2; disk++) {
            assertEquals(6, lieWith(node, someOn(node, disk)).size());
        }
        assertNull(node.stop());
    }

    /** What was lost in a start that did not get far is lost in the next one, too. */
    @Test
    void aStartThatIsCutOffForgetsNothing_I11() {
        for (int operations = 0; operations < 40; operations++) {
            NodeBench node = filled(130, 2);
            List<PartitionId> lost = lieWith(node, someOn(node, 1));
            assertNull(node.stop());
            empty(node, 1);
            node.disks.get(0).faults(DiskFaults.at(node.disks.get(0).operations() + operations, Fault.CRASH_AFTER));
            node.startUnheard(5_000);
            node.powerCut();
            node.disks.get(0).faults(DiskFaults.NONE);
            start(node);
            for (PartitionId each : lost) {
                assertEquals(0, node.end(each));
                assertTrue(node.leaderEpoch(each) > epochs.get(each), "after " + operations);
            }
            assertNull(node.stop());
        }
    }

    /** Without the metadata nothing says that there was anything. */
    @Test
    void theOnlyDirectoryEmptiedIsANewNode() {
        NodeBench node = filled(140, 1);
        String cluster = node.image().clusterId();
        assertNull(node.stop());
        empty(node, 0);
        start(node);
        assertEquals(List.of(), told);
        assertEquals(List.of(), List.copyOf(node.image().topics()));
        assertNotEquals(cluster, node.image().clusterId());
        assertNull(node.stop());
    }

    /** Taken out of log.dirs, as the log says one may: lost with all that it held. */
    @Test
    void aDirectoryTakenOutOfTheSettingsIsLost_I11() {
        NodeBench node = filled(141, 3);
        List<PartitionId> lost = lieWith(node, someOn(node, 2));
        assertNull(node.stop());
        node.disks.remove(2);
        node.set("log.dirs", "disk0,disk1");
        start(node);
        assertLost(node, lost, "");
        assertNull(node.stop());
    }

    /** Directories are known by their ids, whatever their paths. */
    @Test
    void directoriesThatChangePlacesLoseNothing_S12() {
        for (End how : End.values()) {
            NodeBench node = filled(150, 3);
            end(node, how);
            SimDisk second = node.disks.get(1);
            node.disks.set(1, node.disks.get(2));
            node.disks.set(2, second);
            start(node);
            assertEquals(List.of(), told);
            for (PartitionId each : partitions) {
                assertKept(node, each, how.toString());
                assertTrue(how == End.POWER_CUT || !node.recovering(each));
                node.produce(each, "more");
            }
            assertNull(node.stop());
        }
    }

    @Test
    void metadataThatChangedPlacesIsNamed_S12() {
        NodeBench node = filled(153, 2);
        assertNull(node.stop());
        SimDisk first = node.disks.get(0);
        node.disks.set(0, node.disks.get(1));
        node.disks.set(1, first);
        Failure refused = node.tryStart();
        assertNotNull(refused);
        assertTrue(refused.message().contains("metadata.log.dir=disk1"), refused.message());
        node.kill();
        node.disks.set(1, node.disks.get(0));
        node.disks.set(0, first);
        node.start();
        partitions.forEach(each -> assertKept(node, each, ""));
        assertNull(node.stop());
    }

    /** A copy of a directory beside itself: their common id says nothing. */
    @Test
    void twoDirectoriesOfOneIdRefuseTheStart_S12() {
        NodeBench node = filled(154, 3);
        assertNull(node.stop());
        SimDisk other = node.disks.get(2);
        node.disks.set(2, node.disks.get(1).copy(new SimRandom(1)));
        Failure refused = node.tryStart();
        assertNotNull(refused);
        assertTrue(refused.message().contains("the same directory.id"), refused.message());
        node.kill();
        node.disks.set(2, other);
        node.start();
        partitions.forEach(each -> assertKept(node, each, ""));
        assertNull(node.stop());
    }

    /** One broken and one emptied: which of them held what is not known before the broken one can be read. */
    @Test
    void besideABrokenOneNothingCountsAsLostYet_I11() {
        NodeBench node = filled(160, 3);
        List<PartitionId> broken = lieWith(node, someOn(node, 1));
        List<PartitionId> lost = lieWith(node, someOn(node, 2));
        assertNull(node.stop());
        node.disks.get(1).faults(UNREADABLE);
        empty(node, 2);
        start(node);
        assertTrue(told.get(0).startsWith(broken.size() + lost.size() + " partition(s) lie in none"), told.toString());
        for (PartitionId each : partitions) {
            boolean served = !broken.contains(each) && !lost.contains(each);
            assertEquals(served, node.tryProduce(each, "more").failure() == null);
        }
        assertNull(node.stop());
        node.disks.get(1).faults(DiskFaults.NONE);
        start(node);
        assertLost(node, lost, "");
        broken.forEach(each -> assertKept(node, each, ""));
        assertNull(node.stop());
    }

    /** Moved by hand while the node was down: files win, and the metadata learns of it. */
    @Test
    void aPartitionMovedByHandIsFound() {
        NodeBench node = filled(161, 3);
        PartitionId moved = someOn(node, 1);
        assertNull(node.stop());
        node.disks.get(1).move("a-" + moved.partition(), node.disks.get(2));
        start(node);
        assertEquals(List.of(), told);
        assertKept(node, moved, "");
        assertTrue(lieWith(node, someOn(node, 2)).contains(moved));
        assertNull(node.stop());
        node.disks.get(1).faults(UNREADABLE);
        start(node);
        assertKept(node, moved, "");
        node.produce(moved, "more");
        assertNull(node.stop());
    }

    /** The lost directory comes back before anything was written in its place: what it held is there again. */
    @Test
    void aLostDirectoryThatComesBackInTimeIsServed() {
        NodeBench node = filled(162, 3);
        List<PartitionId> lost = lieWith(node, someOn(node, 2));
        assertNull(node.stop());
        SimDisk second = node.disks.get(2);
        empty(node, 2);
        start(node);
        assertNull(node.stop());
        node.disks.set(2, second);
        start(node);
        for (PartitionId each : lost) {
            assertKept(node, each, "");
            assertTrue(node.leaderEpoch(each) > epochs.get(each));
            node.produce(each, "more");
        }
        assertNull(node.stop());
    }
}
