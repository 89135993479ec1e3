package cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code highwater topics describe}. */
@Command(
        name = "describe",
        description = "Show partitions, leaders, replicas, offsets and settings of topics (default: all topics).")
final class TopicsDescribeCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    TopicsDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            List<String> names = topics.all();
            if (names.isEmpty()) {
                names = List.copyOf(new TreeSet<>(admin.listTopics().names().get()));
            }
            Map<String, TopicDescription> found =
                    new TreeMap<>(admin.describeTopics(names).allTopicNames().get());
            Map<String, Config> settings = settings(admin, names);
            for (TopicDescription topic : found.values()) {
                print(topic, settings.get(topic.name()), admin);
            }
        }
        return HighwaterCli.OK;
    }

    private static Map<String, Config> settings(Admin admin, List<String> names)
            throws InterruptedException, ExecutionException {
        List<ConfigResource> resources = names.stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
        Map<String, Config> settings = new TreeMap<>();
        admin.describeConfigs(resources).all().get().forEach((topic, config) -> settings.put(topic.name(), config));
        return settings;
    }

    private void print(TopicDescription topic, Config config, Admin admin) throws InterruptedException {
        List<TopicPartitionInfo> partitions = topic.partitions();
        int replication =
                partitions.isEmpty() ? 0 : partitions.get(0).replicas().size();
        terminal.out()
                .printf(
                        "%s  id %s, %d partition(s), replication factor %d%s%n",
                        topic.name(), topic.topicId(), partitions.size(), replication, own(config));
        Map<TopicPartition, String> first = offsets(admin, topic, OffsetSpec.earliest());
        Map<TopicPartition, String> last = offsets(admin, topic, OffsetSpec.latest());
        Table table = new Table("PARTITION", "LEADER", "REPLICAS", "IN SYNC", "FIRST OFFSET", "END OFFSET");
        for (TopicPartitionInfo partition : partitions) {
            TopicPartition id = new TopicPartition(topic.name(), partition.partition());
            table.row(
                    String.valueOf(partition.partition()),
                    partition.leader() == null
                            ? "none"
                            : String.valueOf(partition.leader().id()),
                    ids(partition.replicas()),
                    ids(partition.isr()),
                    first.get(id),
                    last.get(id));
        }
        table.print(terminal.out(), "  ");
    }

    /** The settings that are the topic's own, ready to follow the headline. */
    private static String own(Config config) {
        String own = config == null
                ? ""
                : config.entries().stream()
                        .filter(entry -> entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                        .map(entry -> entry.name() + "=" + entry.value())
                        .sorted()
                        .collect(Collectors.joining(", "));
        return own.isEmpty() ? "" : ", " + own;
    }

    private static String ids(List<Node> nodes) {
        return nodes.stream().map(Node::idString).collect(Collectors.joining(","));
    }

    /** A partition without a leader has no offsets to tell; the others are told all the same. */
    private static Map<TopicPartition, String> offsets(Admin admin, TopicDescription topic, OffsetSpec which)
            throws InterruptedException {
        Map<TopicPartition, OffsetSpec> asked = new LinkedHashMap<>();
        List<TopicPartition> silent = new ArrayList<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            TopicPartition id = new TopicPartition(topic.name(), partition.partition());
            if (partition.leader() == null) {
                silent.add(id);
            } else {
                asked.put(id, which);
            }
        }
        Map<TopicPartition, String> offsets = new LinkedHashMap<>();
        silent.forEach(id -> offsets.put(id, "-"));
        ListOffsetsResult result = admin.listOffsets(asked);
        for (TopicPartition id : asked.keySet()) {
            try {
                offsets.put(id, String.valueOf(result.partitionResult(id).get().offset()));
            } catch (ExecutionException problem) {
                offsets.put(id, "?");
            }
        }
        return offsets;
    }
}
