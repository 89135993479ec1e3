package cli;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater transactions list}. */
@Command(name = "list", description = "List the open transactions with age, producer and partitions, oldest first.")
final class TransactionsListCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--all", description = "All transactional ids, whether or not a transaction is open.")
    private boolean all;

    @Option(
            names = "--older-than",
            paramLabel = "SECONDS",
            description = "Only transactions that began longer ago than this.")
    private Long olderThanSeconds;

    @Option(names = "--id-pattern", paramLabel = "REGEX", description = "Only transactional ids that match.")
    private String pattern;

    TransactionsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        ListTransactionsOptions wanted = new ListTransactionsOptions();
        if (!all) {
            wanted.filterStates(OpenTransactions.states());
        }
        if (olderThanSeconds != null) {
            wanted.filterOnDuration(olderThanSeconds * 1000);
        }
        if (pattern != null) {
            wanted.filterOnTransactionalIdPattern(checkedPattern());
        }
        try (Admin admin = cluster.admin()) {
            List<String> ids = admin.listTransactions(wanted).all().get().stream()
                    .map(TransactionListing::transactionalId)
                    .sorted()
                    .toList();
            if (ids.isEmpty()) {
                terminal.err().println(nothing());
                return HighwaterCli.OK;
            }
            Table table = new Table("ID", "STATE", "AGE", "PRODUCER", "EPOCH", "PARTITIONS");
            long now = System.currentTimeMillis();
            for (Map.Entry<String, TransactionDescription> each :
                    OpenTransactions.describe(admin, ids).entrySet()) {
                TransactionDescription found = each.getValue();
                table.row(
                        each.getKey(),
                        found.state().toString(),
                        OpenTransactions.age(found, now),
                        Long.toString(found.producerId()),
                        Integer.toString(found.producerEpoch()),
                        OpenTransactions.partitions(found.topicPartitions()));
            }
            table.print(terminal.out(), "");
        }
        return HighwaterCli.OK;
    }

    private String checkedPattern() {
        try {
            Pattern.compile(pattern);
            return pattern;
        } catch (PatternSyntaxException problem) {
            throw new CliFailure(
                    "--id-pattern " + pattern + " is no regular expression: " + problem.getDescription(),
                    "Its syntax is that of RE2, such as billing-.*, and the whole id must match.");
        }
    }

    private String nothing() {
        if (pattern != null || olderThanSeconds != null) {
            return all ? "No such transactional ids." : "No such transaction is open.";
        }
        return all ? "There are no transactional ids." : "No transaction is open.";
    }
}
