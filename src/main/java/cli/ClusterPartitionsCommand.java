package cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater cluster partitions}. */
@Command(
        name = "partitions",
        description = {
            "Show the partitions in trouble: offline ones take no records; those under min ISR refuse acks=all;",
            "of under-replicated ones some replica is behind or down. Without an option: all of these."
        },
        footer = {
            "",
            "Examples:",
            "  highwater cluster partitions",
            "  highwater cluster partitions --offline --under-min-isr"
        })
final class ClusterPartitionsCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--offline", description = "Those without a leader.")
    private boolean offline;

    @Option(names = "--under-min-isr", description = "Those with fewer replicas in sync than min.insync.replicas.")
    private boolean underMinInSync;

    @Option(names = "--under-replicated", description = "Those with a replica that is not in sync.")
    private boolean underReplicated;

    ClusterPartitionsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            List<ClusterView.Partition> found = ClusterView.withMinInSync(admin).partitions().stream()
                    .filter(wanted())
                    .toList();
            if (found.isEmpty()) {
                terminal.err().println("There are no such partitions.");
                return HighwaterCli.OK;
            }
            Table table = new Table(
                    "TOPIC", "PARTITION", "STATE", "LEADER", "REPLICAS", "IN SYNC", "NOT IN SYNC", "ELIGIBLE");
            for (ClusterView.Partition each : found) {
                List<Integer> missing = new ArrayList<>(each.replicas());
                missing.removeAll(each.inSync());
                table.row(
                        each.id().topic(),
                        String.valueOf(each.id().partition()),
                        state(each),
                        each.offline() ? "none" : String.valueOf(each.leader()),
                        ClusterView.text(each.replicas()),
                        ClusterView.text(each.inSync()),
                        ClusterView.text(missing),
                        ClusterView.text(each.eligible()));
            }
            table.print(terminal.out(), "");
        }
        return HighwaterCli.OK;
    }

    private Predicate<ClusterView.Partition> wanted() {
        boolean all = !offline && !underMinInSync && !underReplicated;
        return each -> ((all || offline) && each.offline())
                || ((all || underMinInSync) && each.underMinInSync())
                || ((all || underReplicated) && each.underReplicated());
    }

    /** The worst that can be said of it. */
    private static String state(ClusterView.Partition each) {
        if (each.offline()) {
            return "offline";
        }
        return each.underMinInSync() ? "under min ISR " + each.minInSync() : "under-replicated";
    }
}
