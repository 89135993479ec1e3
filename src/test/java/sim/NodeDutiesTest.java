package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import common.PartitionId;
import org.junit.jupiter.api.Test;

/** When a node does what it does by itself: as the settings say. */
final class NodeDutiesTest {

    @Test
    void theFirstDutiesComeWhenToldTo() {
        NodeBench node = new NodeBench(
                        1, 1, "log.initial.task.delay.ms", "60000", "log.retention.check.interval.ms", "1000")
                .start();
        PartitionId partition = new PartitionId(node.create("a", 1, "segment.ms", "100", "retention.ms", "500"), 0);
        node.produce(partition, "v");
        node.runFor(1_000);
        node.produce(partition, "w");
        node.runFor(50_000);
        assertEquals(0, node.start(partition), "retention does not run yet");
        node.runFor(15_000);
        assertEquals(2, node.start(partition), "nor did it run");
        node.produce(partition, "x");
        node.runFor(5_000);
        assertEquals(3, node.start(partition), "it does not run each second from then on");
    }

    @Test
    void producersAreForgottenWhenThatIsLookedFor() {
        NodeBench node = new NodeBench(
                        1,
                        1,
                        "producer.id.expiration.ms",
                        "1000",
                        "producer.id.expiration.check.interval.ms",
                        "60000",
                        "log.initial.task.delay.ms",
                        "100")
                .start();
        PartitionId partition = new PartitionId(node.create("a", 1), 0);
        for (int producer = 0; producer < 50; producer++) {
            assertNull(node.tryProduce(partition, "v" + producer, producer).failure());
        }
        node.runFor(50_000);
        assertEquals(50, node.producers(partition), "nobody has looked yet");
        node.runFor(15_000);
        assertEquals(0, node.producers(partition));
        assertNull(node.tryProduce(partition, "w", 7).failure());
        node.runFor(30_000);
        assertEquals(1, node.producers(partition), "the next look comes a minute after the last");
        node.runFor(60_000);
        assertEquals(0, node.producers(partition));
    }
}
