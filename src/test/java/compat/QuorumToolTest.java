package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DuplicateVoterException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.VoterNotFoundException;
import org.apache.kafka.tools.MetadataQuorumCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** kafka-metadata-quorum and the Admin client of Kafka 4.4.0 at the listener of a controller, and at that of a broker beside it. */
class QuorumToolTest {
    private BrokerProcess process;
    private int controller;
    private int broker;

    @BeforeEach
    void start() throws IOException {
        controller = FreePort.choose();
        broker = FreePort.choose();
        process = new BrokerProcess("quorum", List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        Path properties = Files.write(
                process.directory().resolve("server.properties"),
                List.of(
                        "process.roles=broker,controller",
                        "node.id=1",
                        "listeners=PLAINTEXT://127.0.0.1:" + broker + ",CONTROLLER://127.0.0.1:" + controller,
                        "controller.listener.names=CONTROLLER",
                        "controller.quorum.bootstrap.servers=127.0.0.1:" + controller,
                        "log.dirs=" + process.directory().resolve("data")));
        process.start(List.of("verticles.Main", "--config", properties.toString()), this::ready);
    }

    private boolean ready() {
        try {
            return Files.readString(process.output()).contains("highwater ready: ");
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void stop() throws IOException {
        process.close();
    }

    private List<Admin> bothDoors() {
        return List.of(
                Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:" + broker)),
                Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG, "127.0.0.1:" + controller)));
    }

    private Uuid directory() throws IOException {
        for (String line :
                Files.readAllLines(process.directory().resolve("data").resolve("meta.properties"))) {
            if (line.startsWith("directory.id=")) {
                return Uuid.fromString(line.substring(line.indexOf('=') + 1));
            }
        }
        throw new AssertionError("no directory.id");
    }

    @Test
    void theQuorumIsDescribedAtBothDoors() throws Exception {
        for (Admin admin : bothDoors()) {
            try (admin) {
                QuorumInfo quorum = admin.describeMetadataQuorum().quorumInfo().get();
                assertEquals(1, quorum.leaderId());
                assertEquals(1, quorum.voters().size());
                assertEquals(1, quorum.voters().get(0).replicaId());
                assertEquals(directory(), quorum.voters().get(0).replicaDirectoryId());
                assertEquals(List.of(), quorum.observers());
                assertEquals(
                        controller, quorum.nodes().get(1).endpoints().get(0).port());
                assertTrue(quorum.highWatermark() > 0);
            }
        }
    }

    @Test
    void controllersAreFoundByOneOfThem() throws Exception {
        try (Admin admin = bothDoors().get(1)) {
            DescribeClusterResult cluster = admin.describeCluster();
            assertEquals(1, cluster.controller().get().id());
            assertEquals(controller, cluster.controller().get().port());
            assertEquals(1, cluster.nodes().get().size());
            String told = Files.readString(process.output());
            assertTrue(told.contains("cluster=" + cluster.clusterId().get() + " "), told);
        }
    }

    @Test
    void changesOfVotersAreRefusedWithKafkasErrors() throws Exception {
        for (Admin admin : bothDoors()) {
            try (admin) {
                Set<RaftVoterEndpoint> endpoints = Set.of(new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", controller));
                assertFails(
                        DuplicateVoterException.class,
                        () -> admin.addRaftVoter(1, directory(), endpoints)
                                .all()
                                .get());
                assertFails(
                        VoterNotFoundException.class,
                        () -> admin.removeRaftVoter(1, Uuid.randomUuid()).all().get());
                assertFails(
                        InvalidRequestException.class,
                        () -> admin.removeRaftVoter(1, directory()).all().get());
            }
        }
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void assertFails(Class<? extends Exception> kind, Attempt attempt) {
        ExecutionException failed = assertThrows(ExecutionException.class, attempt::run);
        assertEquals(kind, failed.getCause().getClass(), () -> String.valueOf(failed.getCause()));
    }

    @Test
    void theToolShowsTheSameByEitherDoor() {
        List<String> shown = new ArrayList<>();
        for (String[] door : List.of(
                new String[] {"--bootstrap-server", "127.0.0.1:" + broker},
                new String[] {"--bootstrap-controller", "127.0.0.1:" + controller})) {
            String status = tool(door[0], door[1], "describe", "--status");
            assertTrue(status.contains("LeaderId: 1\n"), status);
            assertTrue(status.contains("CONTROLLER://127.0.0.1:PORT"), status);
            assertTrue(status.contains("CurrentObservers: []"), status);
            shown.add(status.replaceAll("(HighWatermark|MaxFollower\\w+): .*", "$1"));
            String replication = tool(door[0], door[1], "describe", "--replication");
            assertTrue(replication.contains(" Leader"), replication);
        }
        assertEquals(shown.get(0), shown.get(1));
    }

    private String tool(String... arguments) {
        TestBroker named = new TestBroker() {
            @Override
            public int port() {
                return controller;
            }

            @Override
            public Path data() {
                return process.directory().resolve("data");
            }

            @Override
            public void close() {
                // The process is the test's.
            }
        };
        return ToolRun.of(named, MetadataQuorumCommand::main, arguments);
    }
}
