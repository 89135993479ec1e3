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

/** {@code highwater config delete}. */
@Command(name = "delete", description = "Give settings their defaults again.")
final class ConfigDeleteCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private ConfigTarget target;

    @Parameters(arity = "1..*", paramLabel = "KEY", description = "The settings.")
    private List<String> keys = new ArrayList<>();

    ConfigDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            ConfigChange.apply(admin, target.resource(), Map.of(), keys, terminal);
        }
        return HighwaterCli.OK;
    }
}
