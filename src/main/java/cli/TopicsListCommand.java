package cli;

import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater topics list}. */
@Command(name = "list", description = "List the names of the topics, one a line.")
final class TopicsListCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Option(
            names = {"-i", "--internal"},
            description = "Internal topics too.")
    private boolean internal;

    TopicsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            ListTopicsOptions options = new ListTopicsOptions().listInternal(internal);
            new TreeSet<>(admin.listTopics(options).names().get()).forEach(terminal.out()::println);
        }
        return HighwaterCli.OK;
    }
}
