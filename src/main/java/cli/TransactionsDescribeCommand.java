package cli;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code highwater transactions describe}. */
@Command(
        name = "describe",
        description = "Show a transactional id: its producer, its partitions, and the groups that it holds back.")
final class TransactionsDescribeCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(arity = "1", paramLabel = "ID", description = "The transactional id.")
    private String id;

    TransactionsDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        try (Admin admin = cluster.admin()) {
            TransactionDescription found = OpenTransactions.describe(admin, id);
            terminal.out()
                    .printf(
                            "%s: %s, age %s, producer %d epoch %d, timeout %d ms, coordinator on broker %d%n",
                            id,
                            found.state(),
                            OpenTransactions.age(found, System.currentTimeMillis()),
                            found.producerId(),
                            found.producerEpoch(),
                            found.transactionTimeoutMs(),
                            found.coordinatorId());
            if (found.topicPartitions().isEmpty()) {
                return HighwaterCli.OK;
            }
            Map<TopicPartition, Set<String>> held = OpenTransactions.heldBack(admin, found.topicPartitions());
            Table table = new Table("PARTITION", "GROUPS HELD BACK");
            found.topicPartitions().stream()
                    .sorted(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
                    .forEach(each -> table.row(
                            each.topic() + ":" + each.partition(),
                            held.containsKey(each) ? String.join(",", held.get(each)) : "-"));
            table.print(terminal.out(), "  ");
        }
        return HighwaterCli.OK;
    }
}
