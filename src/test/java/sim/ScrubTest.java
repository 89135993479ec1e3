package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import common.PartitionId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import replication.ReplicaShard.ReadOutcome;

/** Rot in closed segments is found by the node itself, also when nobody reads them (rules S1, S8). */
@ExtendWith(QuietLogs.class)
class ScrubTest {
    private static final String RATE = "log.dir.scrub.bytes.per.second";
    private static final String FIRST = "a-0/00000000000000000000.log";

    private PartitionId partition;

    /** A node with a log of several closed segments of four records each. */
    private NodeBench filled(String rate) {
        NodeBench node = new NodeBench(12, 1, RATE, rate).start();
        partition = new PartitionId(node.create("a", 1, "segment.ms", "1000"), 0);
        for (int i = 0; i < 17; i++) {
            node.produce(partition, "v" + i);
            node.runFor(i % 4 == 3 ? 1_500 : 10);
        }
        node.runFor(5_000);
        return node;
    }

    private ReadOutcome read(NodeBench node) {
        return node.fetch(List.of(partition), 1, 0, false).value().get(0);
    }

    private void corrupt(NodeBench node, String where) {
        assertEquals(FailureCode.CORRUPT_BATCH, read(node).failure().code(), where);
    }

    @Test
    void rotIsFoundAndStaysKnown_S8() {
        for (int bit = 0; bit < 8; bit++) {
            NodeBench node = filled("200");
            node.disks.get(0).rot(FIRST, 65 + bit, bit);
            node.runFor(60_000);
            corrupt(node, "bit " + bit);
            assertEquals(17 + bit % 2, end(node, bit % 2), "appends go on");
            node.runFor(60_000);
            corrupt(node, "after another pass");
            if (bit % 2 == 0) {
                assertNull(node.stop());
            } else {
                node.powerCut();
            }
            node.start();
            corrupt(node, "after a restart");
            node.runFor(60_000);
            corrupt(node, "after a restart and a pass");
            node.kill();
        }
    }

    private long end(NodeBench node, int more) {
        if (more > 0) {
            node.produce(partition, "more");
        }
        return node.end(partition);
    }

    @Test
    void soundSegmentsAreReadOverAndOverSlowly() {
        NodeBench node = filled("100");
        long before = node.disks.get(0).bytesRead();
        node.runFor(100_000);
        long read = node.disks.get(0).bytesRead() - before;
        // A batch is read whole by its header's window.
        assertTrue(read > 5_000, read + " bytes read");
        assertNull(read(node).failure());
        assertEquals(17, node.end(partition));
        assertNull(node.stop());
    }

    @Test
    void nothingIsReadWhenItIsOff() {
        NodeBench node = filled("0");
        node.disks.get(0).rot(FIRST, 70, 1);
        long before = node.disks.get(0).bytesRead();
        node.runFor(100_000);
        assertTrue(node.disks.get(0).bytesRead() - before < 5_000, "the checks of the directory's presence only");
        assertNull(read(node).failure());
    }
}
