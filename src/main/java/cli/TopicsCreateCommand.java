package cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater topics create}. */
@Command(
        name = "create",
        description = "Create topics.",
        footer = {
            "",
            "Examples:",
            "  highwater topics create orders payments --partitions 6",
            "  highwater topics create audit --config retention.ms=-1 --config flush.messages=1"
        })
final class TopicsCreateCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    @Option(
            names = {"-p", "--partitions"},
            paramLabel = "N",
            description = "Partitions of each topic (default: the broker's num.partitions).")
    private Optional<Integer> partitions = Optional.empty();

    @Option(
            names = {"-r", "--replication-factor"},
            paramLabel = "N",
            description = "Copies of each partition (default: the broker's default.replication.factor).")
    private Optional<Short> replicationFactor = Optional.empty();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "KEY=VALUE",
            description = "A setting of the topics, in Kafka's names. Repeat for more.")
    private List<String> configs = new ArrayList<>();

    @Option(names = "--if-not-exists", description = "A topic that is there already is no failure.")
    private boolean ifNotExists;

    TopicsCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        Map<String, String> settings = KeyValues.parse(configs, "topic setting");
        List<NewTopic> wanted = topics.atLeastOne("topics create").stream()
                .map(name -> new NewTopic(name, partitions, replicationFactor).configs(settings))
                .toList();
        try (Admin admin = cluster.admin()) {
            CreateTopicsResult result = admin.createTopics(wanted);
            for (NewTopic topic : wanted) {
                report(topic.name(), result);
            }
        }
        return HighwaterCli.OK;
    }

    private void report(String name, CreateTopicsResult result) throws InterruptedException, ExecutionException {
        try {
            terminal.out()
                    .printf(
                            "created %s: %d partition(s), replication factor %d%n",
                            name,
                            result.numPartitions(name).get(),
                            result.replicationFactor(name).get());
        } catch (ExecutionException problem) {
            if (!ifNotExists || !(problem.getCause() instanceof TopicExistsException)) {
                throw problem;
            }
            terminal.out().printf("%s exists already%n", name);
        }
    }
}
