package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Screen;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of {@code bin/highwater} against a running broker. */
@ExtendWith(BrokerExtension.class)
class CommandLineTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Screen screen = new Screen();
    private TestBroker broker;
    private String topic;

    @BeforeEach
    void prepare(TestBroker running) {
        broker = running;
        topic = "cli-" + NAMES.incrementAndGet();
    }

    @Test
    void topicsLiveAndDie() {
        ok("topics", "create", topic, "--partitions", "3", "--config", "retention.ms=86400000");
        assertEquals("created " + topic + ": 3 partition(s), replication factor 1\n", screen.out());
        ok("topics", "list");
        assertTrue(screen.out().lines().toList().contains(topic), screen.out());
        ok("topics", "describe", topic);
        assertTrue(screen.out().contains("3 partition(s), replication factor 1, retention.ms=86400000"), screen.out());
        ok("topics", "alter", topic, "--partitions", "4", "--config", "segment.bytes=2000000");
        ok("topics", "alter", topic, "--delete-config", "retention.ms");
        ok("topics", "describe", "--topic", topic);
        assertTrue(screen.out().contains("4 partition(s), replication factor 1, segment.bytes=2000000"), screen.out());
        ok("topics", "delete", topic);
        fails("topics", "describe", topic);
        ok("topics", "delete", "--if-exists", topic);
    }

    @Test
    void expectedFailuresSayWhatToDo() {
        ok("topics", "create", topic);
        fails("topics", "create", topic);
        assertTrue(screen.err().contains("--if-not-exists"), screen.err());
        ok("topics", "create", "--if-not-exists", topic);
        fails("topics", "create", "bad/name");
        assertTrue(screen.err().contains("1 to 249"), screen.err());
        fails("topics", "create", topic + "-r3", "--replication-factor", "3");
        assertTrue(screen.err().contains("--replication-factor 1"), screen.err());
        fails("topics", "alter", topic, "--partitions", "1");
        assertTrue(screen.err().contains("never removed"), screen.err());
        fails("config", "set", "--topic", topic, "retention.ms=soon");
        assertTrue(screen.err().contains("retention.ms"), screen.err());
        fails("consume", topic + "-not", "--exit");
        assertTrue(screen.err().contains("there is no topic"), screen.err());
        fails("consume", topic, "--partitions", "7");
        assertTrue(screen.err().contains("has no partition 7"), screen.err());
        fails("transactions", "abort", "--partition", topic + ":7", "--start-offset", "0");
        assertTrue(screen.err().contains("has no partition 7"), screen.err());
        fails("transactions", "abort", "--partition", topic + "-not:0", "--start-offset", "0");
        assertTrue(screen.err().contains("there is no topic " + topic + "-not"), screen.err());
        fails("transactions", "list", "--id-pattern", "[");
        assertTrue(screen.err().contains("--id-pattern [ is no regular expression"), screen.err());
        fails("transactions", "describe", topic + "-id");
        assertTrue(screen.err().contains("there is no transactional id " + topic + "-id"), screen.err());
    }

    @Test
    void keysHeadersAndNullsComeBack() {
        ok("topics", "create", topic, "--partitions", "1");
        String[] produce = {"produce", topic, "-K", "\\t", "-H", "a=1", "-H", "a=2", "--null", "NUL", "-v"};
        assertEquals(0, run("k1\tv1\nplain\nk2\tNUL\nü\tß\n", produce), screen.err());
        assertEquals(
                List.of(topic + "-0@0", topic + "-0@1", topic + "-0@2", topic + "-0@3"),
                screen.out().lines().toList());
        ok("consume", topic, "--from", "beginning", "--exit", "--null", "-", "-f", "%t %p %o %k=%s %h\\n");
        assertEquals(
                List.of(
                        topic + " 0 0 k1=v1 a=1,a=2",
                        topic + " 0 1 -=plain a=1,a=2",
                        topic + " 0 2 k2=- a=1,a=2",
                        topic + " 0 3 ü=ß a=1,a=2"),
                screen.out().lines().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void everyCodecAndEveryPosition(String codec) {
        ok("topics", "create", topic, "--partitions", "1");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            lines.add("line " + i);
        }
        assertEquals(0, run(String.join("\n", lines), "produce", topic, "-z", codec), screen.err());
        assertEquals(lines, consumed("--from", "beginning"));
        assertEquals(lines.subList(990, 1_000), consumed("--from", "-10"));
        assertEquals(lines.subList(7, 1_000), consumed("--from", "7"));
        assertEquals(lines.subList(7, 9), consumed("--from", "7", "--count", "2"));
        assertEquals(lines, consumed("--from", "@-15m"));
        assertEquals(List.of(), consumed("--from", "end"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "1", "0"})
    void everyAcks(String acks) {
        ok("topics", "create", topic, "--partitions", "1");
        assertEquals(0, run("one\n", "produce", topic, "--acks", acks), screen.err());
        // With acks=0 the record may still be on its way: wait for it.
        ok("consume", topic, "--from", "beginning", "--count", "1");
        assertEquals("one\n", screen.out());
    }

    @Test
    void settingsOfTopicsAndBrokers() {
        ok("topics", "create", topic);
        ok("config", "set", "--topic", topic, "retention.ms=3600000", "cleanup.policy=delete");
        ok("config", "describe", "--topic", topic);
        assertTrue(screen.out().lines().anyMatch(line -> line.matches("retention.ms +3600000 +topic")), screen.out());
        ok("config", "delete", "--topic", topic, "retention.ms");
        ok("config", "describe", "--topic", topic, "--all");
        assertTrue(
                screen.out().lines().anyMatch(line -> line.matches("retention.ms +604800000 +default")), screen.out());
        ok("config", "set", "--broker", "default", "log.retention.ms=86400000");
        ok("config", "describe", "--broker", "1");
        assertTrue(
                screen.out().lines().anyMatch(line -> line.matches("log.retention.ms +86400000 +all brokers")),
                screen.out());
        ok("config", "delete", "--broker", "default", "log.retention.ms");
    }

    @Test
    void dumpReadsWhatTheBrokerWrites() {
        ok("topics", "create", topic, "--partitions", "1");
        assertEquals(0, run("a\nb\nc\n", "produce", topic), screen.err());
        assertEquals(
                0, screen.run("", "dump", broker.data().resolve(topic + "-0").toString()), screen.out());
        assertTrue(screen.out().contains("3 record(s)"), screen.out());
        assertTrue(screen.out().contains("no problem"), screen.out());
    }

    private List<String> consumed(String... options) {
        List<String> args = new ArrayList<>(List.of("consume", topic, "--exit"));
        args.addAll(List.of(options));
        ok(args.toArray(String[]::new));
        return screen.out().lines().toList();
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
