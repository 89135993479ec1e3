package cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Three nodes on this machine, each a process with a directory of its own: as {@code conf/cluster} has them. */
final class DemoCluster {
    static final int NODES = 3;
    /** From a node's port for clients to its port for controllers. */
    private static final int CONTROLLER_PORTS = 100;

    private static final long LOOK_MILLIS = 50;
    private static final long STOP_SECONDS = 30;
    private static final String HOST = "127.0.0.1";

    private final List<DemoNode> nodes = new ArrayList<>();
    private final int port;

    /**
     * @param program what starts a broker, without its options
     * @param settings the directory with a file for each node
     * @param port of the first node; the others have the next ones
     */
    DemoCluster(List<String> program, Path settings, Path directory, int port) {
        this.port = port;
        for (int id = 1; id <= NODES; id++) {
            List<String> command = new ArrayList<>(program);
            command.addAll(List.of(
                    "--config",
                    settings.resolve("node" + id + ".properties").toString(),
                    "--override",
                    "log.dirs=" + directory.resolve("node" + id),
                    "--override",
                    "listeners=PLAINTEXT://" + address(id, 0) + ",CONTROLLER://" + address(id, CONTROLLER_PORTS),
                    "--override",
                    "controller.quorum.voters=" + voters()));
            nodes.add(new DemoNode(id, command, directory.resolve("node" + id + ".log")));
        }
    }

    private String address(int id, int offset) {
        return HOST + ":" + (port + offset + id - 1);
    }

    private String voters() {
        StringJoiner voters = new StringJoiner(",");
        for (int id = 1; id <= NODES; id++) {
            voters.add(id + "@" + address(id, CONTROLLER_PORTS));
        }
        return voters.toString();
    }

    String bootstrap() {
        StringJoiner servers = new StringJoiner(",");
        nodes.forEach(node -> servers.add(address(node.id(), 0)));
        return servers.toString();
    }

    List<DemoNode> nodes() {
        return nodes;
    }

    /** Starts those that do not run. */
    void start() {
        nodes.stream().filter(node -> !node.alive()).forEach(DemoNode::start);
    }

    /** Until all serve; false when {@code interrupted} came first. Fails when one ends, or after so many seconds. */
    boolean awaitReady(int seconds, CountDownLatch interrupted) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (DemoNode node : nodes) {
            while (!node.ready()) {
                if (System.nanoTime() > deadline) {
                    throw new CliFailure(
                            "node " + node.id() + " is not ready after " + seconds + " s",
                            "What it printed is in " + node.output() + ".");
                }
                if (interrupted.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Stops all as SIGTERM does, and waits for it. */
    void stop() throws InterruptedException {
        nodes.forEach(DemoNode::terminate);
        for (DemoNode node : nodes) {
            node.awaitEnd(STOP_SECONDS);
        }
    }
}
