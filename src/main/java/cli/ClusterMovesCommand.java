package cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater cluster moves}. */
@Command(
        name = "moves",
        description = "Show which replicas move now; wait for them, change their throttle, or call them off.",
        footer = {
            "",
            "Examples:",
            "  highwater cluster moves",
            "  highwater cluster moves --wait              also takes a throttle away at the end",
            "  highwater cluster moves --throttle 100MB",
            "  highwater cluster moves orders:3 --cancel"
        })
final class ClusterMovesCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(arity = "0..*", paramLabel = "TOPIC[:LIST]", description = "Only these (default: all that move).")
    private List<String> topics = new ArrayList<>();

    @Option(names = "--wait", description = "Wait until they have moved.")
    private boolean wait;

    @Option(names = "--cancel", description = "Call them off: the partitions keep the replicas that they had.")
    private boolean cancel;

    @Option(
            names = "--throttle",
            paramLabel = "BYTES",
            description =
                    "How much each node sends and fetches a second for them; only for those ordered with --throttle.")
    private String throttle;

    ClusterMovesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        if (cancel && (wait || throttle != null)) {
            throw new CliFailure("--cancel and " + (wait ? "--wait" : "--throttle") + " given", "Give one of them.");
        }
        Long rate = throttle == null ? null : Long.valueOf(ByteSize.parse(throttle, "--throttle"));
        try (Admin admin = cluster.admin()) {
            TreeMap<TopicPartition, PartitionReassignment> all = MoveWatch.underWay(admin);
            List<TopicPartition> meant = topics.isEmpty()
                    ? List.copyOf(all.keySet())
                    : PartitionScope.parse(topics).of(all.keySet());
            if (rate != null) {
                ReplicationThrottle.rate(
                        admin, ClusterView.of(admin).activeRacks().keySet(), rate);
            }
            if (cancel) {
                cancel(admin, meant);
            } else if (wait) {
                if (new MoveWatch(admin, terminal, meant).untilDone()) {
                    terminal.out().printf("done: %d partition(s) changed%n", meant.size());
                }
            } else {
                print(admin, all, meant);
            }
        }
        return HighwaterCli.OK;
    }

    private void cancel(Admin admin, List<TopicPartition> meant) throws InterruptedException, ExecutionException {
        Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new LinkedHashMap<>();
        meant.forEach(id -> orders.put(id, Optional.empty()));
        int cancelled = 0;
        for (KafkaFuture<Void> order :
                admin.alterPartitionReassignments(orders).values().values()) {
            try {
                order.get();
                cancelled++;
            } catch (ExecutionException problem) {
                // It has ended meanwhile.
                if (!(problem.getCause() instanceof NoReassignmentInProgressException)) {
                    throw problem;
                }
            }
        }
        terminal.out().printf("called off: %d partition(s)%n", cancelled);
        new MoveWatch(admin, terminal, meant).untilDone();
    }

    private void print(Admin admin, Map<TopicPartition, PartitionReassignment> all, List<TopicPartition> meant)
            throws InterruptedException, ExecutionException {
        if (meant.isEmpty()) {
            terminal.err().println("No replicas move.");
            return;
        }
        ReplicaSizes sizes =
                ReplicaSizes.of(admin, ClusterView.of(admin).activeRacks().keySet());
        Table table = new Table("TOPIC", "PARTITION", "REPLICAS", "ADDING", "REMOVING", "TO COPY");
        for (TopicPartition id : meant) {
            PartitionReassignment move = all.get(id);
            table.row(
                    id.topic(),
                    String.valueOf(id.partition()),
                    ClusterView.text(move.replicas()),
                    ClusterView.text(move.addingReplicas()),
                    ClusterView.text(move.removingReplicas()),
                    ByteSize.text(sizes.left(id, move.addingReplicas())));
        }
        table.print(terminal.out(), "");
    }
}
