package cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater produce}: one record for each line of standard input. */
@Command(
        name = "produce",
        description = "Write each line of standard input as a record.",
        footer = {
            "",
            "Examples:",
            "  echo hello | highwater produce greetings",
            "  highwater produce orders --key-separator : < orders.txt      (lines such as 42:three pears)",
            "  highwater produce orders --key 42 --header source=shop --compression zstd < orders.txt"
        })
final class ProduceCommand extends HelpOption implements Callable<Integer> {

    private static final int MAX_LINE_BYTES = 256 * 1024 * 1024;

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    @Option(
            names = {"-K", "--key-separator"},
            paramLabel = "TEXT",
            description =
                    "What stands between key and value in a line, such as : or \\t. A line without it has no key.")
    private String keySeparator;

    @Option(
            names = {"-k", "--key"},
            paramLabel = "KEY",
            description = "One key for all records.")
    private String key;

    @Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            description = "The partition (default: by key, else spread).")
    private Integer partition;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "A header of every record. Repeat for more.")
    private List<String> headerWords = new ArrayList<>();

    @Option(
            names = {"-a", "--acks"},
            paramLabel = "all|1|0",
            defaultValue = "all",
            description = "Who must have a record before it counts as written (default: ${DEFAULT-VALUE}).")
    private String acks;

    @Option(
            names = {"-z", "--compression"},
            paramLabel = "CODEC",
            defaultValue = "none",
            description = "none, gzip, snappy, lz4 or zstd (default: ${DEFAULT-VALUE}).")
    private String compression;

    @Option(
            names = "--no-idempotence",
            description = "Do not let the broker recognise repeated sends (default: it does, with acks=all).")
    private boolean plain;

    @Option(names = "--null", paramLabel = "TEXT", description = "A value that is this text is written as null.")
    private String nullToken;

    @Option(
            names = {"-X", "--property"},
            paramLabel = "KEY=VALUE",
            description = "A setting of the Kafka producer. Repeat for more.")
    private List<String> properties = new ArrayList<>();

    @Option(
            names = {"-v", "--verbose"},
            description = "Print partition and offset of each record.")
    private boolean verbose;

    private final AtomicReference<Exception> firstFailure = new AtomicReference<>();
    private final AtomicLong failures = new AtomicLong();

    ProduceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        String topic = topics.one("produce");
        List<Header> headers = headers();
        byte[] separator = keySeparator == null ? null : Escapes.bytes(keySeparator);
        if (separator != null && separator.length == 0) {
            throw new CliFailure("--key-separator is empty", "Give the text between key and value.");
        }
        byte[] fixedKey = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        byte[] nullValue = nullToken == null ? null : nullToken.getBytes(StandardCharsets.UTF_8);
        LineParser parser = new LineParser(separator, fixedKey, nullValue);
        try (KafkaProducer<byte[], byte[]> producer = cluster.producer(settings())) {
            if (terminal.interactive()) {
                terminal.err().println("Each line becomes a record of " + topic + ". Ctrl-D ends.");
            }
            LineReader lines = new LineReader(terminal.in(), MAX_LINE_BYTES);
            byte[] line;
            while (firstFailure.get() == null && (line = lines.next()) != null) {
                LineParser.Parsed parsed = parser.parse(line);
                producer.send(
                        new ProducerRecord<>(topic, partition, parsed.key(), parsed.value(), headers), this::delivered);
            }
            producer.flush();
        }
        Exception failure = firstFailure.get();
        if (failure != null) {
            CliFailure explained = Explanation.of(failure);
            throw new CliFailure(failures + " record(s) were not written: " + explained.getMessage(), explained.hint());
        }
        return HighwaterCli.OK;
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        String codec = compression.toLowerCase(Locale.ROOT);
        try {
            CompressionType.forName(codec);
        } catch (IllegalArgumentException problem) {
            throw new CliFailure(
                    "--compression " + compression + " is unknown", "Use none, gzip, snappy, lz4 or zstd.");
        }
        if (!List.of("all", "-1", "1", "0").contains(acks)) {
            throw new CliFailure("--acks " + acks + " is unknown", "Use all, 1 or 0.");
        }
        settings.put(ProducerConfig.ACKS_CONFIG, acks);
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, codec);
        boolean all = acks.equals("all") || acks.equals("-1");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, String.valueOf(all && !plain));
        settings.putAll(KeyValues.parse(properties, "producer setting"));
        return settings;
    }

    private List<Header> headers() {
        List<Header> headers = new ArrayList<>();
        // One by one: a header's name may occur more than once.
        for (String word : headerWords) {
            KeyValues.parse(List.of(word), "header")
                    .forEach((name, value) ->
                            headers.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
        }
        return headers;
    }

    /** Runs on the producer's thread. */
    private void delivered(RecordMetadata metadata, Exception failure) {
        if (failure != null) {
            failures.incrementAndGet();
            firstFailure.compareAndSet(null, failure);
        } else if (verbose) {
            terminal.out().printf("%s-%d@%d%n", metadata.topic(), metadata.partition(), metadata.offset());
        }
    }
}
