package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Screen;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code highwater cluster} against one running node. */
@ExtendWith(BrokerExtension.class)
class ClusterCommandTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Screen screen = new Screen();
    private TestBroker broker;
    private String topic;

    @BeforeEach
    void prepare(TestBroker running) {
        broker = running;
        topic = "cluster-" + NAMES.incrementAndGet();
        ok("topics", "create", topic, "--partitions", "3");
    }

    @Test
    void theNodeAndTheQuorumAreShown() {
        ok("cluster", "describe");
        List<String> lines = screen.out().lines().toList();
        assertTrue(lines.get(0).matches("cluster \\S{22}: 1 node\\(s\\), \\d+ partition\\(s\\), .*"), screen.out());
        assertTrue(lines.get(2).matches(" +1 +127.0.0.1:" + broker.port() + " +- +active( +\\d+){4}"), screen.out());
        assertTrue(
                lines.get(3).matches("metadata quorum: leader 1, epoch \\d+, committed up to offset \\d+"),
                screen.out());
        assertTrue(lines.get(5).matches(" +1 +leader +\\d+ +0 +-"), screen.out());
    }

    @Test
    void partitionsInTroubleAreFound() {
        ok("topics", "alter", topic, "--config", "min.insync.replicas=2");
        ok("cluster", "partitions", "--under-min-isr");
        assertEquals(
                List.of("0", "1", "2"),
                screen.out()
                        .lines()
                        .filter(line -> line.startsWith(topic + " "))
                        .peek(line -> assertTrue(line.matches(".* under min ISR 2 +1 +1 +1 +- +-"), line))
                        .map(line -> line.split(" +", -1)[1])
                        .toList());
        ok("cluster", "describe");
        assertTrue(screen.out().contains("see highwater cluster partitions"), screen.out());
        ok("topics", "alter", topic, "--delete-config", "min.insync.replicas");
        ok("cluster", "partitions", "--offline", "--under-replicated");
        assertEquals("There are no such partitions.\n", screen.err());
    }

    @Test
    void whatOneNodeCannotDoIsTold() {
        ok("cluster", "reassign", topic, "--to", "1");
        assertEquals("Nothing to change: the replicas are where they are to be.\n", screen.err());
        fails("cluster", "reassign", topic, "--replication-factor", "2");
        assertTrue(screen.err().contains(topic + "-0 is to have 2 replicas, and there are 1 node(s)"), screen.err());
        fails("cluster", "reassign", topic, "--to", "1,2");
        assertTrue(screen.err().contains("there is no node 2"), screen.err());
        fails("cluster", "drain", "1");
        assertTrue(screen.err().contains("there are 0 node(s) for them"), screen.err());
        fails("cluster", "unregister", "1");
        assertTrue(screen.err().contains("node 1 runs"), screen.err());
        ok("cluster", "moves");
        assertEquals("No replicas move.\n", screen.err());
        ok("cluster", "elect", topic);
        assertEquals("The preferred replicas lead already.\n", screen.err());
        fails("cluster", "elect", topic + ":3");
        assertTrue(screen.err().contains("has no partition 3"), screen.err());
    }

    private void ok(String... args) {
        assertEquals(0, run(args), () -> String.join(" ", args) + ": " + screen.err());
    }

    private void fails(String... args) {
        assertEquals(1, run(args), () -> String.join(" ", args) + ": " + screen.out());
        assertTrue(screen.err().startsWith("highwater: "), screen.err());
    }

    private int run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--bootstrap-server", broker.bootstrap()));
        return screen.run("", all.toArray(String[]::new));
    }
}
