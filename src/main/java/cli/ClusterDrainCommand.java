package cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code highwater cluster drain}. */
@Command(
        name = "drain",
        description = {
            "Move all replicas away from a node, so that it can leave. Shows the plan; --execute carries it out and waits.",
            "It works for a node that is down, too. Topics made meanwhile are moved as well."
        },
        footer = {
            "",
            "Examples:",
            "  highwater cluster drain 2",
            "  highwater cluster drain 2 --execute --throttle 50MB",
            "",
            "Afterwards stop the node, and: highwater cluster unregister 2"
        })
final class ClusterDrainCommand extends HelpOption implements Callable<Integer> {
    /** More rounds mean that something keeps putting replicas on the node. */
    private static final int MOST_ROUNDS = 5;

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private MoveOptions options;

    @Parameters(paramLabel = "NODE", description = "The id of the node.")
    private int node;

    ClusterDrainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        options.check();
        try (Admin admin = cluster.admin()) {
            for (int round = 0; round < MOST_ROUNDS; round++) {
                ClusterView view = ClusterView.of(admin);
                view.node(node);
                Reassignment moves = away(view);
                if (moves.isEmpty()) {
                    terminal.out().printf("node %d has no replicas: it can be stopped and unregistered%n", node);
                    return HighwaterCli.OK;
                }
                if (!options.carryOut(admin, terminal, view, moves)) {
                    return HighwaterCli.OK;
                }
            }
        }
        throw new CliFailure(
                "node " + node + " got new replicas again and again",
                "See who makes topics or moves replicas meanwhile.");
    }

    private Reassignment away(ClusterView view) {
        Map<TopicPartition, List<Integer>> now = Reassignment.now(view);
        Map<TopicPartition, List<Integer>> chosen = new LinkedHashMap<>();
        List<List<Integer>> others = new ArrayList<>();
        now.forEach((id, replicas) -> {
            if (replicas.contains(node)) {
                chosen.put(id, replicas);
            } else {
                others.add(replicas);
            }
        });
        TreeMap<Integer, String> targets = view.activeRacks();
        targets.remove(node);
        return new Reassignment(now, new ReplicaPlan(targets, others).move(chosen, 0));
    }
}
