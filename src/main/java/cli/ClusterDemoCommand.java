package cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code highwater cluster demo}. */
@Command(
        name = "demo",
        description = {
            "Start three nodes on this machine, with a replicated topic and a small load, and show how they are.",
            "Kill one and watch: the pauses of the acknowledgements are told. Ctrl-C stops all."
        },
        footer = {
            "",
            "Examples:",
            "  highwater cluster demo",
            "  highwater cluster demo --directory demo --port 19092     keeps its data there"
        })
final class ClusterDemoCommand extends HelpOption implements Callable<Integer> {
    private static final String TOPIC = "demo";
    private static final int PARTITIONS = 3;
    private static final int READY_SECONDS = 60;

    private final Terminal terminal;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where their data is and stays (default: a new temporary directory, removed at the end).")
    private Path directory;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "9092",
            description = "Port of the first node; also used: N+1, N+2, N+100 to N+102 (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--once", description = "Stop as soon as all has been shown.")
    private boolean once;

    ClusterDemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        String home = System.getProperty("highwater.home");
        if (home == null) {
            throw new CliFailure("it is not known where Highwater is", "Start it as bin/highwater cluster demo.");
        }
        Path program = Path.of(home, "bin", "highwater");
        run(List.of(program.toString(), "start"), Path.of(home, "conf", "cluster"));
        return HighwaterCli.OK;
    }

    /**
     * @param program what starts a broker
     * @param settings the directory with a file for each node
     */
    void run(List<String> program, Path settings) throws IOException, InterruptedException, ExecutionException {
        Path data = directory == null
                ? Files.createTempDirectory("highwater-demo-")
                : Files.createDirectories(directory.toAbsolutePath().normalize());
        CountDownLatch interrupted = new CountDownLatch(1);
        DemoCluster cluster = new DemoCluster(program, settings, data, port);
        try (Interrupt interrupt = new Interrupt(interrupted::countDown)) {
            terminal.err().println("starting three nodes in " + data);
            cluster.start();
            if (cluster.awaitReady(READY_SECONDS, interrupted)) {
                createTopic(cluster);
                show(cluster);
                if (!once && !interrupt.happened()) {
                    load(cluster, interrupted);
                }
            }
            terminal.err().println("stopping the nodes");
        } finally {
            cluster.stop();
            if (directory == null) {
                remove(data);
            }
        }
    }

    private static void createTopic(DemoCluster cluster) throws InterruptedException, ExecutionException {
        Properties settings = new Properties();
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        try (Admin admin = Admin.create(settings)) {
            NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) DemoCluster.NODES)
                    .configs(Map.of("min.insync.replicas", "2"));
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException problem) {
            if (!(problem.getCause() instanceof TopicExistsException)) {
                throw problem;
            }
        }
    }

    private void show(DemoCluster cluster) {
        for (String[] command : new String[][] {{"cluster", "describe"}, {"topics", "describe", TOPIC}}) {
            String[] all = Stream.concat(Stream.of(command), Stream.of("--bootstrap-server", cluster.bootstrap()))
                    .toArray(String[]::new);
            HighwaterCli.run(terminal, all);
            terminal.out().println();
        }
        for (DemoNode node : cluster.nodes()) {
            terminal.out().printf("node %d: kill -9 %d   (log: %s)%n", node.id(), node.pid(), node.output());
        }
        terminal.out().println("Use it: export HIGHWATER_BOOTSTRAP=" + cluster.bootstrap());
        terminal.out().println("Records go to the topic " + TOPIC + " meanwhile. Kill a node and watch.");
        terminal.out()
                .println((terminal.interactive() ? "Enter starts killed nodes again. " : "") + "Ctrl-C stops all.");
        terminal.out().flush();
    }

    private void load(DemoCluster cluster, CountDownLatch end) throws InterruptedException {
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        AtomicBoolean again = new AtomicBoolean();
        if (terminal.interactive()) {
            awaitEnter(again);
        }
        Set<Integer> dead = new LinkedHashSet<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            DemoLoad load = new DemoLoad(producer, TOPIC, PARTITIONS, terminal.err());
            load.run(end, () -> {
                if (again.compareAndSet(true, false)) {
                    cluster.start();
                }
                lookAfter(cluster, dead);
            });
            terminal.err().println(load.summary());
        }
    }

    /** Tells which nodes have ended, and which run again. */
    private void lookAfter(DemoCluster cluster, Set<Integer> dead) {
        for (DemoNode node : cluster.nodes()) {
            if (!node.alive() && dead.add(node.id())) {
                terminal.err().printf("node %d has ended%n", node.id());
            } else if (node.alive() && dead.remove(node.id())) {
                terminal.err().printf("node %d starts again: kill -9 %d%n", node.id(), node.pid());
            }
        }
    }

    private void awaitEnter(AtomicBoolean pressed) {
        Thread reader = new Thread(
                () -> {
                    BufferedReader in =
                            new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
                    try {
                        while (in.readLine() != null) {
                            pressed.set(true);
                        }
                    } catch (IOException closed) {
                        terminal.err().println("The terminal is gone: Enter has no effect any more.");
                    }
                },
                "enter");
        reader.setDaemon(true);
        reader.start();
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (UncheckedIOException problem) {
            throw problem.getCause();
        }
    }
}
