package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.PartitionId;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/**
 * A disk that fails while a log is opened: rule L6, it heals without a restart once the cause is gone. A failed sync is final instead (S3), and is not
 * asked for here.
 */
@ExtendWith(QuietLogs.class)
class OpeningFaultTest {
    private static final int RECORDS = 12;
    private static final long HEALED_MILLIS = 60_000;
    /** In which the log is opened, at the second attempt if need be, and the scrubber has begun. */
    private static final long FIRST_READS_MILLIS = 2_500;

    private PartitionId partition;

    /** What the process before left. */
    private enum Before {
        CLEAN_STOP,
        KILL,
        POWER_CUT,
        TORN_TAIL,
        ROT,
        INDEXES_LOST
    }

    /** Counts the operations on the partition's files, syncs apart, and fails some of them. */
    private static final class Trouble implements DiskFaults {
        private final int from;
        private final int to;
        private int seen;

        Trouble(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public Fault next(Operation operation, String path, long number) {
            boolean sync = operation == Operation.SYNC || operation == Operation.SYNC_DIRECTORY;
            if (sync || !(path.equals("a-0") || path.startsWith("a-0/"))) {
                return Fault.NONE;
            }
            seen++;
            return seen >= from && seen < to ? Fault.ERROR : Fault.NONE;
        }

        boolean struck() {
            return seen >= from;
        }
    }

    /** A disk with a log of several segments. */
    private SimDisk filled(Before before) {
        NodeBench node = new NodeBench(5, 1).start();
        String flush = before == Before.POWER_CUT ? "1" : "1000000";
        Uuid topic = node.create("a", 1, "segment.ms", "1000", "index.interval.bytes", "0", "flush.messages", flush);
        partition = new PartitionId(topic, 0);
        for (int i = 0; i < RECORDS; i++) {
            node.produce(partition, "v" + i);
            node.runFor(i % 4 == 3 ? 1_500 : 10);
        }
        SimDisk disk = node.disks.get(0);
        switch (before) {
            case CLEAN_STOP -> assertNull(node.stop());
            case POWER_CUT -> node.powerCut();
            default -> node.kill();
        }
        List<String> logs = disk.tree().stream()
                .filter(line -> line.startsWith("a-0/") && line.contains(".log "))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
        assertTrue(logs.size() >= 3, logs.toString());
        String last = logs.get(logs.size() - 1);
        if (before == Before.TORN_TAIL) {
            byte[] whole = disk.content(last);
            byte[] torn = java.util.Arrays.copyOf(whole, whole.length + 50);
            System.arraycopy(whole, 0, torn, whole.length, 50);
            disk.put(last, torn);
        } else if (before == Before.ROT) {
            disk.rot(last, 70, 2);
        } else if (before == Before.INDEXES_LOST) {
            SimDirectory directory = (SimDirectory) disk.root().names().get("a-0");
            logs.forEach(log -> directory.unlink(log.substring(4).replace(".log", ".index")));
        }
        return disk;
    }

    private static NodeBench on(SimDisk disk, long seed) {
        // Not the seed of the process before: it would give the ids once more that that one gave.
        NodeBench node = new NodeBench(1_000 + seed, 1);
        node.disks.set(0, disk.copy(new SimRandom(seed)));
        return node;
    }

    @Test
    void oneErrorAtAnyOperationHeals_L6() {
        int unserved = 0;
        for (Before before : Before.values()) {
            SimDisk disk = filled(before);
            for (int n = 1; ; n++) {
                String where = before + ", operation " + n;
                NodeBench node = on(disk, n);
                Trouble trouble = new Trouble(n, n + 1);
                node.disks.get(0).faults(trouble);
                Failure refused = node.tryStart();
                if (refused != null) {
                    // Whose the directory is could not be read: the node says so, touches nothing, and is started
                    // again.
                    node.kill();
                    assertNull(node.tryStart(), where);
                }
                unserved += node.tryEnd(partition).failure() != null ? 1 : 0;
                node.runFor(FIRST_READS_MILLIS);
                // Later there are only the reads of the scrubber, without end.
                boolean all = !trouble.struck();
                node.runFor(HEALED_MILLIS);
                node.disks.get(0).faults(DiskFaults.NONE);
                serves(node, where);
                if (all) {
                    break;
                }
                assertTrue(n < 1_000, where);
            }
        }
        assertTrue(unserved > 20, unserved + " attempts failed: nothing was tested");
    }

    private void serves(NodeBench node, String where) {
        assertNull(node.halted, where);
        assertEquals(0, node.start(partition), where);
        assertEquals(RECORDS, node.end(partition), where);
        node.produce(partition, "after");
        assertNull(node.stop(), where);
        node.start();
        assertEquals(RECORDS + 1, node.end(partition), where);
        node.kill();
    }

    @Test
    void troubleThatLastsHealsWhenItEnds_L6() {
        SimDisk disk = filled(Before.KILL);
        NodeBench node = on(disk, 1);
        node.disks.get(0).faults(reads(Integer.MAX_VALUE));
        node.start();
        node.runFor(600_000);
        assertNotNull(node.tryProduce(partition, "refused").failure());
        node.disks.get(0).faults(DiskFaults.NONE);
        node.runFor(HEALED_MILLIS);
        serves(node, "after ten minutes");
    }

    private static DiskFaults reads(int times) {
        int[] left = {times};
        return (operation, path, number) ->
                operation == Operation.READ && path.startsWith("a-0/") && path.endsWith(".log") && left[0]-- > 0
                        ? Fault.ERROR
                        : Fault.NONE;
    }

    /** The next start must look at what this one has not looked at (rules S6, S7). */
    @Test
    void aStopWithoutHavingOpenedItIsNotClean_S6() {
        SimDisk disk = filled(Before.TORN_TAIL);
        NodeBench node = on(disk, 2);
        node.disks.get(0).faults(reads(Integer.MAX_VALUE));
        node.start();
        Failure unclean = node.stop();
        assertNotNull(unclean);
        assertTrue(unclean.message().contains("a-0"), unclean.message());
        assertFalse(node.disks.get(0).tree().toString().contains(".kafka_cleanshutdown"));
        node.disks.get(0).faults(DiskFaults.NONE);
        node.start();
        serves(node, "after the stop");
    }

    /** Settings and deletions come while it is tried again: before, in, and after the attempt that succeeds. */
    @Test
    void deletedWhileItIsTriedAgain_C7() {
        SimDisk disk = filled(Before.KILL);
        int during = 0;
        for (int step = 0; step < 60; step++) {
            String where = "step " + step;
            NodeBench node = on(disk, step);
            node.disks.get(0).faults(reads(1));
            node.start();
            assertNotNull(node.tryEnd(partition).failure(), where);
            node.disks.get(0).slowness(30);
            node.runFor(900 + 10 * step);
            during += node.tryEnd(partition).failure() != null ? 1 : 0;
            assertEquals(org.apache.kafka.common.protocol.Errors.NONE, node.delete("a"), where);
            node.disks.get(0).slowness(1);
            Uuid next = node.create("a", 1);
            node.runFor(HEALED_MILLIS);
            PartitionId successor = new PartitionId(next, 0);
            node.produce(successor, "new");
            assertEquals(0, node.start(successor), where);
            assertEquals(1, node.end(successor), where);
            assertNotNull(node.tryEnd(partition).failure(), where);
            assertNull(node.stop(), where);
            node.start();
            assertEquals(1, node.end(successor), where);
            node.kill();
        }
        assertTrue(during > 10 && during < 60, during + " deletions before it was opened");
    }
}
