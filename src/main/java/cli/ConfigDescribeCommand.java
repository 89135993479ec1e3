package cli;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater config describe}. */
@Command(name = "describe", description = "Show settings that are not at their default; with --all, every one.")
final class ConfigDescribeCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private ConfigTarget target;

    @Option(
            names = {"-a", "--all"},
            description = "Defaults too.")
    private boolean all;

    ConfigDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        ConfigResource resource = target.resource();
        try (Admin admin = cluster.admin()) {
            List<ConfigEntry> entries =
                    admin.describeConfigs(List.of(resource)).all().get().get(resource).entries().stream()
                            .filter(entry -> all || !entry.isDefault())
                            .sorted(Comparator.comparing(ConfigEntry::name))
                            .toList();
            if (entries.isEmpty()) {
                terminal.err().println("Everything is at its default; --all shows the values.");
                return HighwaterCli.OK;
            }
            Table table = new Table("KEY", "VALUE", "FROM");
            for (ConfigEntry entry : entries) {
                table.row(entry.name(), value(entry), source(entry.source()));
            }
            table.print(terminal.out(), "");
        }
        return HighwaterCli.OK;
    }

    private static String value(ConfigEntry entry) {
        if (entry.isSensitive()) {
            return "(secret)";
        }
        return entry.value() == null ? "" : entry.value();
    }

    private static String source(ConfigEntry.ConfigSource source) {
        return switch (source) {
            case DYNAMIC_TOPIC_CONFIG -> "topic";
            case DYNAMIC_BROKER_CONFIG -> "broker";
            case DYNAMIC_DEFAULT_BROKER_CONFIG -> "all brokers";
            case STATIC_BROKER_CONFIG -> "broker's file";
            case DEFAULT_CONFIG -> "default";
            default -> source.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }
}
