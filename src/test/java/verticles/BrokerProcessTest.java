package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The broker as a process: how it starts, refuses to start and stops. */
@Timeout(600)
class BrokerProcessTest {
    private static final Pattern READY = Pattern.compile(
            "highwater ready: kafka=127\\.0\\.0\\.1:(\\d+) data=(\\S+) node=(\\d+) cluster=(\\S+) in (\\d+) ms.*");

    private final List<Process> processes = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process broker(String... overrides) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "verticles.Main"));
        for (String override : overrides) {
            command.add("--override");
            command.add(override);
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        processes.add(process);
        return process;
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static Matcher awaitReady(BufferedReader output) throws IOException {
        StringBuilder before = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            Matcher ready = READY.matcher(line);
            if (ready.matches()) {
                return ready;
            }
            before.append(line).append('\n');
        }
        throw new AssertionError("ended without serving:\n" + before);
    }

    private static String all(BufferedReader output) throws IOException {
        StringBuilder all = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            all.append(line).append('\n');
        }
        return all.toString();
    }

    /** Refusals are one message, no stack trace, and a status that is not 0. */
    private static String refused(Process process) throws Exception {
        String said = all(output(process));
        assertEquals(1, process.waitFor(), said);
        assertTrue(said.contains("highwater: cannot start: "), said);
        assertFalse(said.contains("\tat "), said);
        return said;
    }

    @Test
    void startsOnAFreePortStopsWhenToldAndKeepsItsIdentity() throws Exception {
        String cluster = null;
        for (int round = 0; round < 2; round++) {
            Process process = broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + directory);
            BufferedReader output = output(process);
            Matcher ready = awaitReady(output);
            assertEquals(directory.toString(), ready.group(2));
            assertTrue(cluster == null || cluster.equals(ready.group(4)), "another cluster id after a restart");
            cluster = ready.group(4);
            int port = Integer.parseInt(ready.group(1));
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertTrue(socket.isConnected());
                process.toHandle().destroy();
                assertTrue(process.waitFor(TestLoops.PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
            String said = all(output);
            assertEquals(0, process.exitValue(), said);
            assertTrue(said.contains("stopped cleanly"), said);
        }
    }

    @Test
    void aSecondProcessOnTheSameDirectoryIsRefused() throws Exception {
        Process first = broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + directory);
        awaitReady(output(first));
        String said = refused(broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + directory));
        assertTrue(said.contains(directory.toString()), said);
        assertFalse(said.contains("Exception"), said);
        assertTrue(first.isAlive());
    }

    @Test
    void aDirectoryNamedByWayOfOneThatIsNotThereIsMade() throws Exception {
        Path roundabout = directory.resolve("none/../made/./data");
        awaitReady(output(broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + roundabout)));
        assertTrue(Files.exists(directory.resolve("made/data/meta.properties")));
    }

    @Test
    void aPortInUseIsRefusedBeforeDataIsTouched() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path data = directory.resolve("data");
            String said =
                    refused(broker("listeners=PLAINTEXT://127.0.0.1:" + taken.getLocalPort(), "log.dirs=" + data));
            assertTrue(said.contains("PLAINTEXT://127.0.0.1:" + taken.getLocalPort()), said);
            try (var files = Files.list(data)) {
                assertEquals(0, files.count());
            }
        }
    }

    @Test
    void wrongSettingsAreAllNamed() throws Exception {
        String said = refused(broker("num.partitions=none", "log.segment.bytes=-5", "log.dirs=" + directory));
        assertTrue(said.contains("num.partitions") && said.contains("none"), said);
        assertTrue(said.contains("log.segment.bytes") && said.contains("-5"), said);
    }

    @Test
    void aDirectoryThatCannotBeMadeIsRefused() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        String said = refused(broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + file.resolve("data")));
        assertTrue(said.contains("log.dirs=" + file), said);
    }

    @Test
    void anUnknownHostIsRefused() throws Exception {
        String said = refused(broker("listeners=PLAINTEXT://no-such-host.invalid:9092", "log.dirs=" + directory));
        assertTrue(said.contains("no-such-host.invalid"), said);
    }

    @Test
    void foreignDataIsRefusedUntouched() throws Exception {
        Files.writeString(directory.resolve("letter.txt"), "dear");
        String said = refused(broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + directory));
        assertTrue(said.contains(directory.toString()), said);
        assertFalse(said.contains("Exception"), said);
        try (var files = Files.list(directory)) {
            assertEquals(1, files.filter(each -> !each.endsWith(".lock")).count());
        }
    }

    /** As a node of Apache Kafka leaves it; no advice to look for a backup. */
    @Test
    void aDirectoryOfApacheKafkaIsRefusedByName() throws Exception {
        Files.writeString(
                directory.resolve("meta.properties"),
                "node.id=1\ndirectory.id=SRIzfgECg4TtFGXgWTCQMw\nversion=1\ncluster.id=cGVlcmthZmthY2x1c3RlcQ\n");
        Path vote = Files.createDirectories(directory.resolve("__cluster_metadata-0"))
                .resolve("quorum-state");
        String content = "{\"leaderId\":1,\"leaderEpoch\":3,\"votedId\":-1,\"data_version\":1}";
        Files.writeString(vote, content);
        String said = refused(broker("listeners=PLAINTEXT://127.0.0.1:0", "log.dirs=" + directory));
        assertTrue(said.contains("Apache Kafka"), said);
        assertFalse(said.contains("Restore"), said);
        assertEquals(content, Files.readString(vote));
    }
}
