package compat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kafka.tools.StorageTool;

/** A real Apache Kafka, of the version on the test class path, in a process of its own: the judge of what is right. */
final class PeerBroker implements TestBroker {
    private static final String CLUSTER_ID = "cGVlcmthZmthY2x1c3RlcQ";

    private final BrokerProcess process;
    private final int port;

    private PeerBroker(BrokerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    static PeerBroker start(List<String> moreProperties) throws IOException {
        BrokerProcess process =
                new BrokerProcess("peer", List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        int port = FreePort.choose();
        int controllerPort = FreePort.choose();
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "controller.listener.names=CONTROLLER",
                "inter.broker.listener.name=PLAINTEXT",
                "log.dirs=" + process.directory().resolve("data"),
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1"));
        lines.addAll(moreProperties);
        Path properties = Files.write(process.directory().resolve("server.properties"), lines);
        format(properties);
        // It accepts connections before it has a view of the cluster: ready is when it names itself as a broker.
        process.start(List.of("kafka.Kafka", properties.toString()), () -> BrokerProbe.isReady("127.0.0.1", port));
        return new PeerBroker(process, port);
    }

    /** In this process: a JVM of its own would take longer than what it does. */
    private static void format(Path properties) throws IOException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        String[] command = {"format", "-t", CLUSTER_ID, "-c", properties.toString()};
        if (StorageTool.execute(command, new PrintStream(said, true, StandardCharsets.UTF_8)) != 0) {
            throw new IOException("cannot format: " + said.toString(StandardCharsets.UTF_8));
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Path data() {
        return process.directory().resolve("data");
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
