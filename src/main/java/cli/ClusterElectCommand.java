package cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater cluster elect}. */
@Command(
        name = "elect",
        description = "Make preferred replicas (the first of each partition) leaders again, as after a node was down.",
        footer = {
            "",
            "Examples:",
            "  highwater cluster elect                     wherever another replica leads",
            "  highwater cluster elect orders:0,1",
            "  highwater cluster elect orders:7 --unclean  it has no leader, and loses records"
        })
final class ClusterElectCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(arity = "0..*", paramLabel = "TOPIC[:LIST]", description = "Only these (default: all).")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--unclean",
            description = "Of a partition without a leader, let a replica lead that may lack acknowledged records.")
    private boolean unclean;

    ClusterElectCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        if (unclean && topics.isEmpty()) {
            throw new CliFailure(
                    "--unclean without a partition",
                    "It loses records, so name it: highwater cluster elect TOPIC:NUMBER --unclean.");
        }
        try (Admin admin = cluster.admin()) {
            Set<TopicPartition> needed = needed(admin);
            if (needed.isEmpty()) {
                terminal.err()
                        .println(unclean ? "All of these have a leader." : "The preferred replicas lead already.");
                return HighwaterCli.OK;
            }
            ElectionType type = unclean ? ElectionType.UNCLEAN : ElectionType.PREFERRED;
            Map<TopicPartition, Optional<Throwable>> outcome = new TreeMap<>(GroupLag.ORDER);
            outcome.putAll(admin.electLeaders(type, needed).partitions().get());
            return print(admin, outcome);
        }
    }

    private Set<TopicPartition> needed(Admin admin) throws InterruptedException, ExecutionException {
        Set<TopicPartition> named = topics.isEmpty()
                ? null
                : new LinkedHashSet<>(PartitionScope.parse(topics).resolve(admin));
        Set<TopicPartition> needed = new LinkedHashSet<>();
        for (ClusterView.Partition each : ClusterView.of(admin).partitions()) {
            boolean needs = unclean ? each.offline() : each.strayed();
            if (needs && (named == null || named.contains(each.id()))) {
                needed.add(each.id());
            }
        }
        return needed;
    }

    private int print(Admin admin, Map<TopicPartition, Optional<Throwable>> outcome)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, Integer> leaders = new TreeMap<>(GroupLag.ORDER);
        ClusterView.of(admin).partitions().forEach(each -> leaders.put(each.id(), each.leader()));
        int failed = 0;
        for (Map.Entry<TopicPartition, Optional<Throwable>> each : outcome.entrySet()) {
            Throwable problem = each.getValue().orElse(null);
            if (problem == null || problem instanceof ElectionNotNeededException) {
                terminal.out().printf("%s: leader %s%n", each.getKey(), leaders.getOrDefault(each.getKey(), -1));
            } else {
                failed++;
                terminal.err().printf("%s: %s%n", each.getKey(), problem.getMessage());
            }
        }
        if (failed == 0) {
            return HighwaterCli.OK;
        }
        throw new CliFailure(
                failed + " partition(s) kept their leader, or have none",
                "The replica must be in sync: highwater cluster partitions.");
    }
}
