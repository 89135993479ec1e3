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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater cluster reassign}. */
@Command(
        name = "reassign",
        description = {
            "Give partitions other replicas. Shows the plan; --execute carries it out and waits for it.",
            "The plan moves as little as it can, keeps racks apart and evens the nodes out."
        },
        footer = {
            "",
            "Examples:",
            "  highwater cluster reassign --all-topics --to 1,2,3,4",
            "  highwater cluster reassign orders --replication-factor 3 --execute",
            "  highwater cluster reassign orders:0,3 --replicas 2,3,1 --execute --throttle 50MB"
        })
final class ClusterReassignCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private MoveOptions options;

    @Parameters(arity = "0..*", paramLabel = "TOPIC[:LIST]", description = "A topic, or some of its partitions.")
    private List<String> topics = new ArrayList<>();

    @Option(names = "--all-topics", description = "All topics, internal ones too.")
    private boolean allTopics;

    @Option(names = "--to", paramLabel = "NODES", description = "Spread them evenly over these nodes.")
    private String to;

    @Option(
            names = "--replicas",
            paramLabel = "NODES",
            description = "Exactly these for each partition; the first is the preferred leader.")
    private String replicas;

    @Option(
            names = {"-r", "--replication-factor"},
            paramLabel = "N",
            description = "So many replicas (default: as many as now).")
    private Integer factor;

    ClusterReassignCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        check();
        List<Integer> named = named();
        try (Admin admin = cluster.admin()) {
            ClusterView view = ClusterView.of(admin);
            Map<TopicPartition, List<Integer>> now = Reassignment.now(view);
            Map<TopicPartition, List<Integer>> chosen = new LinkedHashMap<>();
            List<TopicPartition> scope = allTopics
                    ? List.copyOf(now.keySet())
                    : PartitionScope.parse(topics).resolve(admin);
            scope.forEach(id -> chosen.put(id, now.get(id)));
            Reassignment moves = new Reassignment(now, plan(view, active(view, named), now, chosen));
            if (moves.isEmpty()) {
                terminal.err().println("Nothing to change: the replicas are where they are to be.");
            } else {
                options.carryOut(admin, terminal, view, moves);
            }
        }
        return HighwaterCli.OK;
    }

    private void check() {
        options.check();
        if (topics.isEmpty() != allTopics) {
            throw new CliFailure(
                    allTopics ? "topics and --all-topics given" : "not said which partitions",
                    "Give TOPIC, TOPIC:0,1 or --all-topics.");
        }
        if (to == null && replicas == null && factor == null) {
            throw new CliFailure(
                    "not said where the replicas are to go",
                    "Give --to NODES, --replicas NODES or --replication-factor N.");
        }
        if (replicas != null && (to != null || factor != null)) {
            throw new CliFailure(
                    "--replicas and " + (to == null ? "--replication-factor" : "--to") + " given",
                    "--replicas says it all.");
        }
        if (factor != null && factor < 1) {
            throw new CliFailure(
                    "--replication-factor " + factor + " is too few", "A partition has at least one replica.");
        }
    }

    /** The nodes given; empty: none. */
    private List<Integer> named() {
        if (replicas != null) {
            return NodeList.parse(replicas, "--replicas");
        }
        return to == null ? List.of() : NodeList.parse(to, "--to");
    }

    private Map<TopicPartition, List<Integer>> plan(
            ClusterView view,
            List<Integer> named,
            Map<TopicPartition, List<Integer>> now,
            Map<TopicPartition, List<Integer>> chosen) {
        Map<TopicPartition, List<Integer>> planned = new LinkedHashMap<>();
        if (replicas != null) {
            chosen.keySet().forEach(id -> planned.put(id, named));
            return planned;
        }
        List<List<Integer>> others = new ArrayList<>();
        now.forEach((id, each) -> {
            if (!chosen.containsKey(id)) {
                others.add(each);
            }
        });
        TreeMap<Integer, String> targets = view.activeRacks();
        int wanted = factor == null ? 0 : factor;
        if (to == null) {
            return new ReplicaPlan(targets, others).move(chosen, wanted);
        }
        targets.keySet().retainAll(named);
        return new ReplicaPlan(targets, others).spread(chosen, wanted);
    }

    /** A fenced node would not get its replicas before it is back. */
    private static List<Integer> active(ClusterView view, List<Integer> ids) {
        for (int id : ids) {
            if (view.node(id).isFenced()) {
                throw new CliFailure(
                        "node " + id + " is fenced: it is down, or it has no contact with the controller",
                        "Start it first, or leave it out.");
            }
        }
        return ids;
    }
}
