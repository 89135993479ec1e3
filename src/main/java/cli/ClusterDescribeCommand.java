package cli;

import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code highwater cluster describe}. */
@Command(name = "describe", description = "Show the nodes, what they lead and have, and the metadata quorum.")
final class ClusterDescribeCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    ClusterDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            ClusterView view = ClusterView.withMinInSync(admin);
            terminal.out().println(headline(view));
            printNodes(view);
            QuorumInfo quorum = quorum(admin);
            if (quorum == null) {
                terminal.err().println("This broker does not tell about the metadata quorum.");
            } else {
                printQuorum(quorum);
            }
        }
        return HighwaterCli.OK;
    }

    private static String headline(ClusterView view) {
        long fenced = view.nodes().values().stream().filter(Node::isFenced).count();
        return "cluster " + view.clusterId() + ": " + view.nodes().size() + " node(s)"
                + (fenced == 0 ? "" : ", " + fenced + " of them fenced") + ", "
                + view.partitions().size() + " partition(s), " + health(view);
    }

    private static String health(ClusterView view) {
        long offline = view.partitions().stream()
                .filter(ClusterView.Partition::offline)
                .count();
        long under = view.partitions().stream()
                .filter(ClusterView.Partition::underMinInSync)
                .count();
        long behind = view.partitions().stream()
                .filter(ClusterView.Partition::underReplicated)
                .count();
        if (offline + under + behind == 0) {
            return "all in sync";
        }
        return offline + " offline, " + under + " under min ISR, " + behind
                + " under-replicated (see highwater cluster partitions)";
    }

    private void printNodes(ClusterView view) {
        Table table = new Table("NODE", "ADDRESS", "RACK", "STATE", "LEADS", "PREFERRED", "REPLICAS", "IN SYNC");
        for (Node node : view.nodes().values()) {
            int id = node.id();
            table.row(
                    String.valueOf(id),
                    node.host() + ":" + node.port(),
                    node.hasRack() ? node.rack() : "-",
                    node.isFenced() ? "fenced" : "active",
                    count(view, each -> each.leader() == id),
                    count(
                            view,
                            each -> !each.replicas().isEmpty()
                                    && each.replicas().get(0) == id),
                    count(view, each -> each.replicas().contains(id)),
                    count(view, each -> each.inSync().contains(id)));
        }
        table.print(terminal.out(), "  ");
    }

    private static String count(ClusterView view, java.util.function.Predicate<ClusterView.Partition> which) {
        return String.valueOf(view.partitions().stream().filter(which).count());
    }

    /** Null if the broker does not offer it. */
    private static QuorumInfo quorum(Admin admin) throws InterruptedException, ExecutionException {
        try {
            return admin.describeMetadataQuorum().quorumInfo().get();
        } catch (ExecutionException problem) {
            if (problem.getCause() instanceof UnsupportedVersionException) {
                return null;
            }
            throw problem;
        }
    }

    private void printQuorum(QuorumInfo quorum) {
        terminal.out()
                .printf(
                        "metadata quorum: leader %s, epoch %d, committed up to offset %d%n",
                        quorum.leaderId() < 0 ? "none" : String.valueOf(quorum.leaderId()),
                        quorum.leaderEpoch(),
                        quorum.highWatermark());
        Table table = new Table("NODE", "ROLE", "END OFFSET", "LAG", "BEHIND FOR");
        QuorumInfo.ReplicaState leader = quorum.voters().stream()
                .filter(each -> each.replicaId() == quorum.leaderId())
                .findFirst()
                .orElse(null);
        for (QuorumInfo.ReplicaState voter : quorum.voters()) {
            row(table, voter, voter.replicaId() == quorum.leaderId() ? "leader" : "voter", leader);
        }
        for (QuorumInfo.ReplicaState observer : quorum.observers()) {
            row(table, observer, "observer", leader);
        }
        table.print(terminal.out(), "  ");
    }

    /** The leader's clock stamped all times, and its own is the moment of the answer. */
    private static void row(Table table, QuorumInfo.ReplicaState replica, String role, QuorumInfo.ReplicaState leader) {
        boolean told = replica.logEndOffset() >= 0;
        OptionalLong since = replica.lastCaughtUpTimestamp();
        OptionalLong now = leader == null ? OptionalLong.empty() : leader.lastCaughtUpTimestamp();
        String behind = since.isPresent() && now.isPresent() && since.getAsLong() >= 0
                ? GroupLag.seconds(Math.max(0, now.getAsLong() - since.getAsLong())) + " s"
                : "?";
        table.row(
                String.valueOf(replica.replicaId()),
                role,
                told ? String.valueOf(replica.logEndOffset()) : "?",
                told && leader != null
                        ? String.valueOf(Math.max(0, leader.logEndOffset() - replica.logEndOffset()))
                        : "?",
                role.equals("leader") ? "-" : behind);
    }
}
