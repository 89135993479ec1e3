package cli;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater consume}: reads assigned partitions without commits, or as a member of a group. */
@Command(
        name = "consume",
        description =
                "Print the records of a topic: what arrives from now on, or from where --from says. Ctrl-C ends it.",
        footer = {
            "",
            "Format tokens: %%t topic, %%p partition, %%o offset, %%k key, %%s value, %%T timestamp (ms), %%h headers,",
            "  %%K and %%S lengths of key and value (-1: null), %%R length of the value as 4 bytes, %%%% a percent sign;",
            "  \\n \\t \\r \\0 \\\\ \\xNN as usual.",
            "",
            "Examples:",
            "  highwater consume orders                             the tail",
            "  highwater consume orders --from beginning --exit     all there is, then end",
            "  highwater consume orders --from -10 --count 10       the last ten of each partition, ten at most",
            "  highwater consume orders --from @-15m                since 15 minutes ago",
            "  highwater consume orders --group billing             as a member of a group, which commits",
            "  highwater consume orders --partitions 0 --from 42 --count 1 -f '%%p %%o %%T %%k=%%s\\n'"
        })
final class ConsumeCommand extends HelpOption implements Callable<Integer> {

    private static final Duration POLL = Duration.ofSeconds(1);

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    @Option(
            names = {"-o", "--from", "--offset"},
            paramLabel = "POSITION",
            defaultValue = "end",
            description = "beginning, end, an offset, -N (N before the end) or @TIME (default: ${DEFAULT-VALUE}).")
    private String from;

    @Option(
            names = {"-p", "--partitions", "--partition"},
            paramLabel = "LIST",
            description = "Only these, such as 0,2,4-7 (default: all).")
    private String partitionList;

    @Option(
            names = {"-g", "--group"},
            paramLabel = "GROUP",
            description = "Be a member of this group: go on where it stopped, commit what is printed. Where it has"
                    + " committed nothing, --from beginning or end says where to begin.")
    private String group;

    @Option(
            names = {"-c", "--count", "--max-messages"},
            paramLabel = "N",
            description = "End after so many records.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-e", "--exit"},
            description = "End when everything that was there at the start is printed.")
    private boolean exitAtEnd;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            defaultValue = "%s\\n",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            description = "How to print a record (default: its value and a line end).")
    private String format;

    @Option(
            names = "--null",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "What stands for a null key or value (default: nothing).")
    private String nullToken;

    @Option(names = "--read-committed", description = "Leave out records of open and aborted transactions.")
    private boolean readCommitted;

    @Option(
            names = {"-X", "--property"},
            paramLabel = "KEY=VALUE",
            description = "A setting of the Kafka consumer. Repeat for more.")
    private List<String> properties = List.of();

    private final PrintedOffsets uncommitted = new PrintedOffsets();
    private long printed;

    ConsumeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        String topic = topics.one("consume");
        RecordFormat form = new RecordFormat(format, nullToken);
        StartPosition start = StartPosition.parse(from, System.currentTimeMillis());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, reset(start));
        if (group != null) {
            settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        }
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, readCommitted ? "read_committed" : "read_uncommitted");
        settings.putAll(KeyValues.parse(properties, "consumer setting"));
        try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(settings);
                Interrupt interrupt = new Interrupt(consumer::wakeup)) {
            List<TopicPartition> partitions = partitions(consumer, topic);
            Map<TopicPartition, Long> ends = exitAtEnd ? consumer.endOffsets(partitions) : Map.of();
            if (group == null) {
                consumer.assign(partitions);
                start.resolve(consumer, partitions).forEach(consumer::seek);
            } else {
                consumer.subscribe(List.of(topic));
            }
            print(consumer, form, ends, interrupt);
        } catch (WakeupException interrupted) {
            // Ctrl-C: everything received is printed.
            return HighwaterCli.OK;
        } finally {
            terminal.out().flush();
        }
        return HighwaterCli.OK;
    }

    /** Where the consumer begins without a committed offset, or when its offset is gone. */
    private String reset(StartPosition start) {
        if (group == null) {
            return "earliest";
        }
        if (partitionList != null) {
            throw new CliFailure("--partitions and --group given", "A group shares out all partitions itself.");
        }
        return switch (start.kind()) {
            case BEGINNING -> "earliest";
            case END -> "latest";
            default ->
                throw new CliFailure(
                        "--from " + from + " and --group given",
                        "A group begins where it stopped; move it: highwater groups reset-offsets " + group
                                + " --topic " + topics.one("consume") + " --to " + from + ".");
        };
    }

    private void print(
            KafkaConsumer<byte[], byte[]> consumer,
            RecordFormat form,
            Map<TopicPartition, Long> ends,
            Interrupt interrupt)
            throws IOException {
        while (printed < count && !interrupt.happened() && !(exitAtEnd && reached(consumer, ends))) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                if (exitAtEnd && record.offset() >= ends.getOrDefault(partition, 0L)) {
                    continue;
                }
                form.write(record, terminal.out());
                uncommitted.printed(record);
                if (++printed >= count) {
                    break;
                }
            }
            if (!records.isEmpty() && terminal.readerGone()) {
                return;
            }
            if (group != null) {
                uncommitted.commit(consumer);
            }
        }
    }

    /** Whether all partitions that are this consumer's are read to their ends; not yet while a group has given it none. */
    private static boolean reached(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return !consumer.assignment().isEmpty()
                && consumer.assignment().stream()
                        .allMatch(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
    }

    private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        if (found == null || found.isEmpty()) {
            throw new CliFailure(
                    "there is no topic " + topic,
                    "See which there are: highwater topics list. Make it: highwater topics create " + topic + ".");
        }
        TreeSet<Integer> there = new TreeSet<>();
        found.forEach(partition -> there.add(partition.partition()));
        TreeSet<Integer> wanted = partitionList == null ? there : PartitionList.parse(partitionList);
        for (int number : wanted) {
            if (!there.contains(number)) {
                throw new CliFailure(topic + " has no partition " + number, "It has 0 to " + (there.size() - 1) + ".");
            }
        }
        return wanted.stream().map(number -> new TopicPartition(topic, number)).toList();
    }
}
