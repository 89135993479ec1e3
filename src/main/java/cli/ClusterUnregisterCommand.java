package cli;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater cluster unregister}. */
@Command(
        name = "unregister",
        description = "Forget a node that was stopped for good. It should have no replicas: drain it first.",
        footer = {"", "Examples:", "  highwater cluster unregister 2"})
final class ClusterUnregisterCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(paramLabel = "NODE", description = "The id of the node.")
    private int node;

    @Option(names = "--force", description = "Even if it has replicas: their partitions lack them from then on.")
    private boolean force;

    ClusterUnregisterCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            ClusterView view = ClusterView.of(admin);
            Node found = view.node(node);
            if (!found.isFenced()) {
                throw new CliFailure(
                        "node " + node + " runs, or did a moment ago",
                        "Stop it first and wait until it is fenced (highwater cluster describe): it would register again.");
            }
            long replicas = view.partitions().stream()
                    .filter(each -> each.replicas().contains(node))
                    .count();
            if (replicas > 0 && !force) {
                throw new CliFailure(
                        "node " + node + " has " + replicas + " replica(s)",
                        "Move them away: highwater cluster drain " + node + " --execute. Or give --force.");
            }
            admin.unregisterBroker(node).all().get();
            terminal.out().printf("node %d is unregistered%n", node);
        }
        return HighwaterCli.OK;
    }
}
