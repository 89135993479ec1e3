package compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Three nodes of this build, each a process; clients find them by the first. */
final class ClusterOfThisBuild implements TestBroker {
    static final int NODES = 3;

    private final List<BrokerProcess> processes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final List<Integer> controllerPorts = new ArrayList<>();

    private ClusterOfThisBuild() {}

    static ClusterOfThisBuild start(List<String> moreProperties) throws IOException {
        ClusterOfThisBuild cluster = new ClusterOfThisBuild();
        for (int id = 1; id <= NODES; id++) {
            cluster.ports.add(FreePort.choose());
            cluster.controllerPorts.add(FreePort.choose());
        }
        try {
            for (int id = 1; id <= NODES; id++) {
                cluster.prepare(id, moreProperties);
                cluster.launch(id);
            }
            for (int id = 1; id <= NODES; id++) {
                cluster.awaitReady(id);
            }
            return cluster;
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
    }

    private void prepare(int id, List<String> moreProperties) throws IOException {
        BrokerProcess process = new BrokerProcess("node" + id, BrokerOfThisBuild.OPTIONS);
        processes.add(process);
        StringJoiner voters = new StringJoiner(",");
        for (int voter = 1; voter <= NODES; voter++) {
            voters.add(voter + "@127.0.0.1:" + controllerPorts.get(voter - 1));
        }
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=" + id,
                "broker.rack=rack" + id,
                "listeners=PLAINTEXT://127.0.0.1:" + ports.get(id - 1) + ",CONTROLLER://127.0.0.1:"
                        + controllerPorts.get(id - 1),
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=" + voters,
                "default.replication.factor=" + NODES,
                "min.insync.replicas=2",
                "cluster.hints.enable=false",
                "log.dirs=" + process.directory().resolve("data")));
        lines.addAll(moreProperties);
        Files.write(process.directory().resolve("server.properties"), lines);
    }

    /** Starts a node on the data that it has. */
    void launch(int id) throws IOException {
        BrokerProcess process = processes.get(id - 1);
        process.launch(List.of(
                "verticles.Main",
                "--config",
                process.directory().resolve("server.properties").toString()));
    }

    void awaitReady(int id) throws IOException {
        BrokerProcess process = processes.get(id - 1);
        process.awaitReady(() -> BrokerOfThisBuild.readyPort(process.output()) > 0);
    }

    /** SIGKILL. */
    void kill(int id) throws IOException {
        processes.get(id - 1).kill();
    }

    @Override
    public int port() {
        return ports.get(0);
    }

    /** Of all nodes, so that a client survives the loss of some. */
    @Override
    public String bootstrap() {
        StringJoiner servers = new StringJoiner(",");
        ports.forEach(port -> servers.add("127.0.0.1:" + port));
        return servers.toString();
    }

    /** Of the first node. */
    @Override
    public Path data() {
        return processes.get(0).directory().resolve("data");
    }

    @Override
    public void close() throws IOException {
        for (BrokerProcess process : processes) {
            process.close();
        }
    }
}
