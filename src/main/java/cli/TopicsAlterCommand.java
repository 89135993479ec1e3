package cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater topics alter}. */
@Command(
        name = "alter",
        description = "Add partitions to a topic or change its settings.",
        footer = {
            "",
            "Examples:",
            "  highwater topics alter orders --partitions 12",
            "  highwater topics alter orders --config retention.ms=3600000 --delete-config cleanup.policy",
            "",
            "More partitions change which partition a key goes to from then on."
        })
final class TopicsAlterCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    @Option(
            names = {"-p", "--partitions"},
            paramLabel = "N",
            description = "The new number of partitions; more than now.")
    private Integer partitions;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "KEY=VALUE",
            description = "Set a setting. Repeat for more.")
    private List<String> configs = new ArrayList<>();

    @Option(
            names = "--delete-config",
            paramLabel = "KEY",
            description = "Give a setting its default again. Repeat for more.")
    private List<String> deletions = new ArrayList<>();

    TopicsAlterCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        String name = topics.one("topics alter");
        Map<String, String> settings = KeyValues.parse(configs, "topic setting");
        if (partitions == null && settings.isEmpty() && deletions.isEmpty()) {
            throw new CliFailure(
                    "nothing to change", "Give --partitions N, --config KEY=VALUE or --delete-config KEY.");
        }
        try (Admin admin = cluster.admin()) {
            if (partitions != null) {
                admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions)))
                        .all()
                        .get();
                terminal.out().printf("%s now has %d partitions%n", name, partitions);
            }
            if (!settings.isEmpty() || !deletions.isEmpty()) {
                ConfigChange.apply(
                        admin, new ConfigResource(ConfigResource.Type.TOPIC, name), settings, deletions, terminal);
            }
        }
        return HighwaterCli.OK;
    }
}
