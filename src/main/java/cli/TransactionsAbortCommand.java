package cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code highwater transactions abort}. */
@Command(
        name = "abort",
        description =
                "Abort a transaction and fence its producer; or end one in a single partition that no coordinator knows.")
final class TransactionsAbortCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(arity = "0..1", paramLabel = "ID", description = "The transactional id.")
    private String id;

    @Option(names = "--partition", paramLabel = "TOPIC:NUMBER", description = "Where a transaction hangs.")
    private String partition;

    @Option(names = "--start-offset", paramLabel = "OFFSET", description = "Its first record there.")
    private Long startOffset;

    TransactionsAbortCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        boolean single = partition != null && startOffset != null;
        if ((id == null) == (partition == null) || (partition == null) != (startOffset == null)) {
            throw new CliFailure(
                    "not said which transaction",
                    "Name it: highwater transactions abort ID, or --partition TOPIC:NUMBER --start-offset OFFSET.");
        }
        try (Admin admin = cluster.admin()) {
            return single ? endHanging(admin) : abort(admin);
        }
    }

    private int abort(Admin admin) throws InterruptedException, ExecutionException {
        TransactionDescription found = OpenTransactions.describe(admin, id);
        if (!OpenTransactions.states().contains(found.state())) {
            throw new CliFailure(
                    id + " has no open transaction: its state is " + found.state(),
                    "See which are open: highwater transactions list.");
        }
        admin.fenceProducers(List.of(id)).all().get();
        terminal.out()
                .printf(
                        "%s: aborted unless it was decided already (it was %s); producer %d epoch %d is fenced%n",
                        id, found.state(), found.producerId(), found.producerEpoch());
        return HighwaterCli.OK;
    }

    private int endHanging(Admin admin) throws InterruptedException, ExecutionException {
        TopicPartition where = parse(partition);
        // Asked about a partition that is not there, the library would ask again until its time is up.
        PartitionScope.parse(List.of(partition)).resolve(admin);
        for (ProducerState each : admin.describeProducers(List.of(where))
                .partitionResult(where)
                .get()
                .activeProducers()) {
            if (each.currentTransactionStartOffset().isPresent()
                    && each.currentTransactionStartOffset().getAsLong() == startOffset) {
                admin.abortTransaction(new AbortTransactionSpec(
                                where,
                                each.producerId(),
                                (short) each.producerEpoch(),
                                each.coordinatorEpoch().orElse(0)))
                        .all()
                        .get();
                terminal.out()
                        .printf(
                                "%s: the transaction of producer %d epoch %d is aborted%n",
                                partition, each.producerId(), each.producerEpoch());
                return HighwaterCli.OK;
            }
        }
        throw new CliFailure(
                "no open transaction begins at offset " + startOffset + " of " + partition,
                "Perhaps it has ended meanwhile.");
    }

    private static TopicPartition parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new TopicPartition(
                    text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new CliFailure("'" + text + "' is not TOPIC:NUMBER", "For example: orders:0.");
        }
    }
}
