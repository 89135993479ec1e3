package compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.tools.GroupsCommand;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;

/**
 * Whatever {@code kafka-consumer-groups} and {@code kafka-groups} can ask a broker, about groups of both protocols with and without members, and what they
 * print. Each broker gets topics of fixed content first.
 */
final class GroupToolQuestions implements AutoCloseable {
    private static final String TOPIC = "orders";
    private static final String OTHER = "payments";
    /** 2026-01-01T00:00:00Z; the topics keep records for ever. */
    private static final long FIRST_MILLIS = 1_767_225_600_000L;

    private static final long STEP_MILLIS = 3_600_000;
    private static final int RECORDS = 100;

    private final TestBroker broker;
    private final Clients clients;
    private final Path directory;
    private final Map<String, String> answers = new LinkedHashMap<>();
    private final List<KafkaConsumer<byte[], byte[]>> members = new ArrayList<>();

    private GroupToolQuestions(TestBroker broker) throws IOException {
        this.broker = broker;
        this.clients = new Clients(broker);
        this.directory = Files.createTempDirectory("group-tool");
    }

    /** What the tools said, by command line. */
    static Map<String, String> ask(TestBroker broker) throws Exception {
        try (GroupToolQuestions questions = new GroupToolQuestions(broker)) {
            questions.fill();
            questions.list();
            for (String group : List.of("classic", "consumer", "simple", "absent")) {
                questions.describe(group);
                questions.resetSome(group);
            }
            questions.reset("classic");
            questions.fromFile();
            questions.withMembers("classic");
            questions.withMembers("consumer");
            questions.delete();
            return questions.answers;
        }
    }

    private void fill() throws Exception {
        Map<String, String> keep = Map.of("retention.ms", "-1");
        clients.admin()
                .createTopics(List.of(
                        new NewTopic(TOPIC, 3, (short) 1).configs(keep),
                        new NewTopic(OTHER, 1, (short) 1).configs(keep)))
                .all()
                .get();
        KafkaProducer<byte[], byte[]> producer = clients.sharedProducer();
        for (int i = 0; i < RECORDS; i++) {
            producer.send(new ProducerRecord<>(TOPIC, i % 2, FIRST_MILLIS + i * STEP_MILLIS, null, new byte[10]));
            producer.send(new ProducerRecord<>(OTHER, 0, FIRST_MILLIS + i * STEP_MILLIS, null, new byte[10]));
        }
        producer.flush();
        for (String protocol : List.of("classic", "consumer")) {
            try (KafkaConsumer<byte[], byte[]> member = member(protocol, protocol)) {
                member.commitSync(Map.of(
                        new TopicPartition(TOPIC, 0), new OffsetAndMetadata(10, "ten"),
                        new TopicPartition(TOPIC, 1), new OffsetAndMetadata(50),
                        new TopicPartition(OTHER, 0), new OffsetAndMetadata(7)));
            }
        }
        KafkaConsumer<byte[], byte[]> simple = clients.consumer("group.id", "simple");
        simple.assign(List.of(new TopicPartition(OTHER, 0)));
        simple.commitSync(Map.of(new TopicPartition(OTHER, 0), new OffsetAndMetadata(3)));
    }

    /** A member that has its partitions of both topics. */
    private KafkaConsumer<byte[], byte[]> member(String group, String protocol, String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of(
                "group.id", group, "client.id", "reader", "group.protocol", protocol, "auto.offset.reset", "latest"));
        settings.addAll(List.of(more));
        KafkaConsumer<byte[], byte[]> member = clients.consumer(settings.toArray(String[]::new));
        member.subscribe(List.of(TOPIC, OTHER));
        Await.until("the member of " + group + " has partitions", () -> {
            member.poll(Duration.ofMillis(100));
            return member.assignment().size() == 4;
        });
        return member;
    }

    private void list() {
        ask("--list");
        for (String state : List.of("", "Empty", "stable,empty", "Dead", "PreparingRebalance", "Assigning")) {
            ask(with(List.of("--list", "--state"), state));
        }
        for (String type : List.of("", "classic", "consumer", "classic,consumer")) {
            ask(with(List.of("--list", "--type"), type));
        }
        ask("--list", "--state", "--type");
        groups();
        groups("--group-type", "classic");
        groups("--group-type", "consumer");
        groups("--protocol", "consumer");
        groups("--consumer");
        groups("--share");
        groups("--streams");
    }

    private void describe(String group) {
        for (String what : List.of("--offsets", "--members", "--state")) {
            ask("--describe", "--group", group, what, "--verbose");
        }
        ask("--describe", "--group", group);
        ask("--describe", "--group", group, "--members");
        ask("--describe", "--group", group, "--state");
    }

    private void describeAll() {
        ask("--describe", "--all-groups");
        ask("--describe", "--all-groups", "--state");
        ask("--describe", "--all-groups", "--members", "--verbose");
        ask("--describe", "--group", "classic", "--group", "consumer", "--state");
    }

    /** Shown, as a file's content, and done; and what the group has then. */
    private void resetSome(String group) {
        List<String> command = List.of("--reset-offsets", "--group", group, "--topic", TOPIC, "--to-earliest");
        ask(with(command, "--dry-run"));
        ask(with(command, "--export"));
        ask(with(command, "--execute"));
        reset(group, "--all-topics", "--to-latest");
        reset(group, "--topic", OTHER, "--shift-by", "-3");
    }

    private void reset(String group) {
        reset(group, "--topic", TOPIC + ":0,2", "--to-offset", "40");
        reset(group, "--topic", TOPIC + ":1", "--topic", OTHER, "--to-offset", "20");
        reset(group, "--topic", OTHER, "--to-offset", "100000");
        reset(group, "--topic", OTHER, "--to-offset", "-5");
        reset(group, "--topic", TOPIC, "--to-current");
        reset(group, "--topic", OTHER, "--shift-by", "13");
        reset(group, "--topic", OTHER, "--shift-by", "-100000");
        reset(group, "--topic", TOPIC, "--to-datetime", "2026-01-03T05:00:00.000");
        reset(group, "--topic", TOPIC, "--to-datetime", "2026-01-02T05:00:00.000Z");
        reset(group, "--topic", TOPIC, "--to-datetime", "2026-01-02T05:00:00.000+01:00");
        reset(group, "--topic", TOPIC, "--to-datetime", "1969-01-02T05:00:00.000");
        reset(group, "--topic", TOPIC, "--to-datetime", "2200-01-02T05:00:00.000");
        reset(group, "--topic", TOPIC, "--by-duration", "PT1S");
        reset(group, "--topic", TOPIC, "--by-duration", "P1000D");
        reset(group, "--topic", TOPIC + ":7", "--to-earliest");
        reset(group, "--topic", "none", "--to-earliest");
    }

    /** And what the group has then. */
    private void reset(String group, String... how) {
        List<String> command = new ArrayList<>(List.of("--reset-offsets", "--group", group, "--execute"));
        command.addAll(List.of(how));
        ask(with(command));
        ask("--describe", "--group", group);
    }

    private void fromFile() throws IOException {
        String one = Files.writeString(directory.resolve("one"), TOPIC + ",0,11\n" + OTHER + ",0,12\n")
                .toString();
        String two = Files.writeString(
                        directory.resolve("two"), "classic," + TOPIC + ",0,21\nconsumer," + TOPIC + ",1,22\n")
                .toString();
        ask("--reset-offsets", "--group", "classic", "--from-file", one);
        ask("--reset-offsets", "--group", "classic", "--from-file", one, "--execute");
        ask("--reset-offsets", "--group", "classic", "--group", "consumer", "--from-file", two, "--execute");
        ask("--reset-offsets", "--all-groups", "--all-topics", "--to-current", "--export");
        ask("--reset-offsets", "--all-groups", "--topic", OTHER, "--to-offset", "9", "--execute");
        ask(
                "--reset-offsets",
                "--group",
                "classic",
                "--from-file",
                directory.resolve("none").toString());
        describeAll();
    }

    /** Of a group that is in use only what reads it works. */
    private void withMembers(String protocol) throws Exception {
        String group = "busy-" + protocol;
        KafkaConsumer<byte[], byte[]> member = member(group, protocol);
        members.add(member);
        member.commitSync(Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(10)));
        describe(group);
        ask("--list", "--state");
        ask("--reset-offsets", "--group", group, "--topic", TOPIC, "--to-earliest");
        ask("--reset-offsets", "--group", group, "--topic", TOPIC, "--to-earliest", "--execute");
        ask("--delete-offsets", "--group", group, "--topic", TOPIC);
        ask("--delete-offsets", "--group", group, "--topic", "none");
        ask("--delete", "--group", group);
    }

    private void delete() {
        describeAll();
        ask("--delete-offsets", "--group", "classic", "--topic", TOPIC + ":0");
        ask("--delete-offsets", "--group", "classic", "--topic", TOPIC, "--topic", OTHER);
        ask("--delete-offsets", "--group", "consumer", "--topic", OTHER + ":3");
        ask("--delete-offsets", "--group", "absent-too", "--topic", OTHER);
        ask("--describe", "--group", "classic");
        ask("--delete", "--group", "classic");
        ask("--delete", "--group", "absent-too", "--group", "consumer");
        ask("--list", "--state", "--type");
        ask("--delete", "--all-groups");
        ask("--list", "--state", "--type");
    }

    /** Without the empty words. */
    private static String[] with(List<String> command, String... more) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(more));
        words.removeIf(String::isEmpty);
        return words.toArray(String[]::new);
    }

    private void ask(String... command) {
        ask("kafka-consumer-groups", ConsumerGroupCommand::main, command);
    }

    private void groups(String... filters) {
        ask("kafka-groups", GroupsCommand::main, with(List.of("--list"), filters));
    }

    private void ask(String name, ToolRun.Main tool, String... command) {
        keepMembersAlive();
        String label =
                answers.size() + " " + name + " " + String.join(" ", command).replace(directory.toString(), "DIR");
        String[] whole = with(List.of("--bootstrap-server", broker.bootstrap()), command);
        answers.put(label, ToolRun.of(broker, tool, whole).replace(directory.toString(), "DIR"));
    }

    private void keepMembersAlive() {
        members.forEach(member -> member.poll(Duration.ZERO));
    }

    @Override
    public void close() throws IOException {
        clients.close();
        for (String name : List.of("one", "two")) {
            Files.deleteIfExists(directory.resolve(name));
        }
        Files.deleteIfExists(directory);
    }
}
