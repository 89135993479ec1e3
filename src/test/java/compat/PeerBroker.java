package compat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real Apache Kafka, of the version on the test class path, in a process and directory of its own: the judge of what is right. */
final class PeerBroker implements AutoCloseable {
    private static final String CLUSTER_ID = "cGVlcmthZmthY2x1c3RlcQ";
    private static final long READY_MILLIS = 90_000;

    private final Path directory;
    private final int port;
    private final Process process;

    private PeerBroker(Path directory, int port, Process process) {
        this.directory = directory;
        this.port = port;
        this.process = process;
    }

    static PeerBroker start(List<String> moreProperties) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("compat-peer");
        int port = freePort();
        int controllerPort = freePort();
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "controller.listener.names=CONTROLLER",
                "inter.broker.listener.name=PLAINTEXT",
                "log.dirs=" + directory.resolve("data"),
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1"));
        lines.addAll(moreProperties);
        Path properties = Files.write(directory.resolve("server.properties"), lines);
        Process format = java(
                directory.resolve("format.out"),
                "kafka.tools.StorageTool",
                "format",
                "-t",
                CLUSTER_ID,
                "-c",
                properties.toString());
        if (!format.waitFor(READY_MILLIS, TimeUnit.MILLISECONDS) || format.exitValue() != 0) {
            throw new IOException(
                    "Kafka did not format its directory: " + Files.readString(directory.resolve("format.out")));
        }
        Process process = java(directory.resolve("kafka.out"), "kafka.Kafka", properties.toString());
        PeerBroker peer = new PeerBroker(directory, port, process);
        peer.awaitReady();
        return peer;
    }

    int port() {
        return port;
    }

    private static Process java(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** The process accepts connections before it has a view of the cluster: ready is when it names itself as a broker. */
    private void awaitReady() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
        while (System.nanoTime() < end && process.isAlive()) {
            if (BrokerProbe.isReady("127.0.0.1", port)) {
                return;
            }
            process.waitFor(100, TimeUnit.MILLISECONDS);
        }
        String output = Files.readString(directory.resolve("kafka.out"));
        close();
        throw new IOException("Kafka did not get ready: " + output);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
