package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Screen;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code highwater cluster} operates three nodes. */
class ClusterOperationTest {
    private static final String TOPIC = "orders";
    private static final int RECORDS = 1_000;

    private static ClusterOfThisBuild cluster;

    private final Screen screen = new Screen();

    @BeforeAll
    static void start() throws IOException {
        cluster = ClusterOfThisBuild.start(List.of());
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @Test
    void replicasMoveANodeDrainsDiesAndIsForgotten() throws Exception {
        ok("topics", "create", TOPIC, "--partitions", "6", "--replication-factor", "3");
        String records = String.join(
                "\n", IntStream.range(0, RECORDS).mapToObj(String::valueOf).toList());
        assertEquals(0, run(records, "produce", TOPIC), screen.err());
        ok("cluster", "describe");
        assertTrue(screen.out().contains("3 node(s), 6 partition(s), all in sync"), screen.out());
        assertEquals(List.of("6", "6", "6"), column(6), "replicas of each node");

        cluster.kill(3);
        Await.until("node 3 is fenced", () -> column(3).equals(List.of("active", "active", "fenced")));
        ok("cluster", "partitions", "--under-replicated");
        assertEquals(7, screen.out().lines().count(), screen.out());
        assertEquals(0, run("one more\n", "produce", TOPIC), screen.err());
        cluster.launch(3);
        cluster.awaitReady(3);
        Await.until("all in sync", () -> troubles() == 0);

        ok("cluster", "reassign", TOPIC, "--replication-factor", "2", "--execute");
        assertTrue(screen.out().endsWith("done: 6 partition(s) changed\n"), screen.out());
        ok("cluster", "drain", "2", "--execute");
        assertTrue(screen.out().endsWith("node 2 has no replicas: it can be stopped and unregistered\n"), screen.out());
        assertEquals(List.of("6", "0", "6"), column(6), "replicas of each node");
        ok("cluster", "elect");
        assertEquals(column(5), column(4), "the preferred replicas lead");

        cluster.kill(2);
        Await.until("node 2 is fenced", () -> column(3).equals(List.of("active", "fenced", "active")));
        ok("cluster", "unregister", "2");
        ok("cluster", "describe");
        assertTrue(screen.out().contains("2 node(s), 6 partition(s), all in sync"), screen.out());
        ok("consume", TOPIC, "--from", "beginning", "--exit");
        assertEquals(RECORDS + 1, screen.out().lines().count());
    }

    private long troubles() {
        ok("cluster", "partitions");
        return screen.out().lines().count();
    }

    /** One column of the table of nodes: 3 state, 4 leads, 5 preferred, 6 replicas. */
    private List<String> column(int number) {
        ok("cluster", "describe");
        return screen.out()
                .lines()
                .skip(2)
                .takeWhile(line -> !line.startsWith("metadata quorum"))
                .map(line -> line.trim().split(" +", -1)[number])
                .toList();
    }

    private void ok(String... args) {
        assertEquals(0, run("", args), () -> String.join(" ", args) + ": " + screen.err());
    }

    private int run(String input, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--bootstrap-server", cluster.bootstrap()));
        return screen.run(input, all.toArray(String[]::new));
    }
}
