package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Screen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code highwater groups} and {@code consume --group} against a running broker. */
@ExtendWith(BrokerExtension.class)
class GroupsCommandTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Screen screen = new Screen();
    private TestBroker broker;
    private String topic;
    private String group;

    @BeforeEach
    void prepare(TestBroker running) {
        broker = running;
        int number = NAMES.incrementAndGet();
        topic = "groups-" + number;
        group = "group-" + number;
        ok("topics", "create", topic, "--partitions", "1");
        String lines = String.join(
                "\n", IntStream.range(0, 100).mapToObj(String::valueOf).toList());
        assertEquals(0, run(lines, "produce", topic), screen.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void membersGoOnWhereTheGroupStopped(String protocol) {
        String[] consume = {"consume", topic, "-g", group, "--from", "beginning", "-X", "group.protocol=" + protocol};
        ok(with(consume, "--count", "30"));
        assertEquals(numbers(0, 30), screen.out().lines().toList());
        ok(with(consume, "--count", "20"));
        assertEquals(numbers(30, 50), screen.out().lines().toList());
        assertEquals(List.of(topic, "0", "50", "100", "50"), offsets());
        ok(with(consume, "--exit"));
        assertEquals(numbers(50, 100), screen.out().lines().toList());
        assertEquals(List.of(topic, "0", "100", "100", "0", "-"), columns().subList(0, 6), "no lag, no age");
        ok("groups", "list");
        assertTrue(screen.out().lines().anyMatch(line -> line.matches(group + " +Empty +" + protocol + " +consumer")));
        ok("groups", "list", "--state", "stable");
        assertFalse(screen.out().contains(group + " "), screen.out());
    }

    @Test
    void lagHasAnAge() throws Exception {
        ok("consume", topic, "-g", group, "--from", "beginning", "--count", "99");
        ok("groups", "describe", group);
        assertTrue(
                screen.out().startsWith(group + "  Empty, type classic, 0 member(s), lag 1 record(s), "), screen.out());
        // The command gives itself only seconds to read it.
        Await.until("an age", () -> !columns().get(5).equals("-"));
        double seconds = Double.parseDouble(columns().get(5));
        assertTrue(seconds >= 0 && seconds < 600, screen.out());
    }

    @Test
    void aResetIsShownThenDone() {
        ok("groups", "reset-offsets", group, "--topic", topic, "--to", "40");
        assertTrue(screen.out().lines().anyMatch(row -> row.matches(group + " +" + topic + " +0 +- +40 +-")));
        assertTrue(screen.err().contains("--execute"), screen.err());
        fails("groups", "describe", group);
        ok("groups", "reset-offsets", "--group", group, "--topic", topic + ":0", "--to-offset", "40", "--execute");
        assertEquals(List.of(topic, "0", "40", "100", "60"), offsets());
        ok("groups", "reset-offsets", group, "--all-topics", "--shift-by", "-15", "--execute");
        assertTrue(screen.out().lines().anyMatch(row -> row.matches(group + " +" + topic + " +0 +40 +25 +-15")));
        assertEquals(List.of(topic, "0", "25", "100", "75"), offsets());
        ok("groups", "reset-offsets", group, "--all-topics", "--to-current", "--export");
        assertEquals(topic + ",0,25\n", screen.out());
        assertEquals(0, run(topic + ",0,31\n", "groups", "reset-offsets", group, "--from-file", "-", "--execute"));
        assertEquals(List.of(topic, "0", "31", "100", "69"), offsets());
        ok("groups", "reset-offsets", group, "--all-topics", "--to-latest", "--execute");
        assertEquals(List.of(topic, "0", "100", "100", "0"), offsets());
        ok("groups", "reset-offsets", group, "--all-topics", "--by-duration", "PT1H", "--execute");
        assertEquals(List.of(topic, "0", "0", "100", "100"), offsets());
    }

    @Test
    void aGroupWithMembersIsLeftAlone() throws Exception {
        try (KafkaConsumer<String, String> member = member()) {
            ok("groups", "describe", group, "--members");
            assertTrue(screen.out().contains(topic + "(0)"), screen.out());
            ok("groups", "describe", group, "--state");
            assertTrue(
                    screen.out().lines().anyMatch(row -> row.matches(group + " +Stable +classic +range +- +1 .*")),
                    screen.out());
            assertEquals("-", columns().get(2), "assigned, nothing committed");
            ok("groups", "reset-offsets", group, "--topic", topic, "--to", "earliest");
            assertTrue(screen.err().contains("is active (Stable, 1 member(s))"), screen.err());
            fails("groups", "reset-offsets", group, "--topic", topic, "--to", "earliest", "--execute");
            assertTrue(screen.err().contains("Stop its members first"), screen.err());
            fails("groups", "delete", group);
            assertTrue(screen.err().contains("members must end first"), screen.err());
            member.poll(Duration.ofMillis(100));
            member.commitSync();
            fails("groups", "delete-offsets", group, "--topic", topic);
            assertTrue(screen.err().contains("reads the topic"), screen.err());
        }
        ok("groups", "delete-offsets", group, "--topic", topic);
        assertEquals("deleted the offset of " + group + " for " + topic + "-0\n", screen.out());
    }

    @Test
    void groupsAreDeleted() {
        ok("groups", "reset-offsets", group, "--topic", topic, "--to", "earliest", "--execute");
        fails("groups", "delete", group + "-not", group);
        assertTrue(screen.out().contains("deleted " + group), "the other is deleted all the same");
        assertTrue(screen.err().contains("highwater groups list"), screen.err());
        fails("groups", "describe", group);
    }

    @Test
    void severalTopicsAndGroupsAtOnce() {
        String other = topic + "-other";
        ok("topics", "create", other, "--partitions", "12");
        ok(
                "groups",
                "reset-offsets",
                group,
                group + "-2",
                "-t",
                topic,
                "-t",
                other + ":2,10",
                "--to",
                "end",
                "--execute");
        ok("groups", "reset-offsets", group, "--topic", topic, "--to", "-30", "--execute");
        ok("groups", "describe", group, group + "-2");
        List<String> rows = screen.out()
                .lines()
                .map(row -> row.trim().replaceAll(" +", " "))
                .toList();
        assertEquals(10, rows.size(), screen.out());
        assertTrue(
                rows.get(0).startsWith(group + " Empty, type classic, 0 member(s), lag 30 record(s), "), screen.out());
        assertTrue(rows.get(2).startsWith(topic + " 0 70 100 30 "), screen.out());
        assertEquals(other + " 2 0 0 0 - - - -", rows.get(3));
        assertEquals(other + " 10 0 0 0 - - - -", rows.get(4));
        ok("groups", "reset-offsets", group, group + "-2", "--all-topics", "--to-current", "--export");
        assertEquals(
                List.of(
                        group + "," + topic + ",0,70",
                        group + "," + other + ",2,0",
                        group + "," + other + ",10,0",
                        group + "-2," + topic + ",0,100",
                        group + "-2," + other + ",2,0",
                        group + "-2," + other + ",10,0"),
                screen.out().lines().toList());
        fails("groups", "reset-offsets", group, "--topic", other + ":12", "--to", "end");
        assertTrue(screen.err().contains("has no partition 12"), screen.err());
        fails("groups", "reset-offsets", group, "--topic", other + "-not", "--to", "end");
        assertTrue(screen.err().contains("there is no topic " + other + "-not"), screen.err());
        assertTrue(screen.err().contains("highwater topics list"), screen.err());
        fails("groups", "delete-offsets", group, "--topic", other + "-not");
        assertTrue(screen.err().contains("has committed nothing for " + other + "-not"), screen.err());
    }

    private KafkaConsumer<String, String> member() throws Exception {
        KafkaConsumer<String, String> member = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrap(), "group.id", group, "enable.auto.commit", false),
                new StringDeserializer(),
                new StringDeserializer());
        member.subscribe(List.of(topic));
        Await.until("assigned", () -> {
            member.poll(Duration.ofMillis(100));
            return !member.assignment().isEmpty();
        });
        return member;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    /** Topic, partition, committed, end and lag of the group's one partition. */
    private List<String> offsets() {
        return columns().subList(0, 5);
    }

    private List<String> columns() {
        ok("groups", "describe", group);
        String row = screen.out()
                .lines()
                .filter(line -> line.startsWith("  " + topic))
                .findFirst()
                .orElseThrow();
        return List.of(row.trim().split(" +"));
    }

    private static String[] with(String[] command, String... more) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private void ok(String... args) {
        assertEquals(0, run("", args), () -> String.join(" ", args) + ": " + screen.err());
    }

    private void fails(String... args) {
        assertEquals(1, run("", args), () -> String.join(" ", args) + ": " + screen.out());
        assertTrue(screen.err().startsWith("highwater: "), screen.err());
    }

    private int run(String input, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--bootstrap-server", broker.bootstrap()));
        return screen.run(input, all.toArray(String[]::new));
    }
}
