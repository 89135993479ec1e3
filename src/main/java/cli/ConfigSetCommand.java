package cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code highwater config set}. */
@Command(name = "set", description = "Set settings; all of them or none.")
final class ConfigSetCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private ConfigTarget target;

    @Parameters(arity = "1..*", paramLabel = "KEY=VALUE", description = "The settings.")
    private List<String> settings = new ArrayList<>();

    ConfigSetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        Map<String, String> pairs = KeyValues.parse(settings, "setting");
        try (Admin admin = cluster.admin()) {
            ConfigChange.apply(admin, target.resource(), pairs, List.of(), terminal);
        }
        return HighwaterCli.OK;
    }
}
