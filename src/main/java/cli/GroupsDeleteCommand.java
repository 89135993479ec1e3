package cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code highwater groups delete}. */
@Command(
        name = "delete",
        description = "Delete groups with all that they have committed. A group with members is not deleted.")
final class GroupsDeleteCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private GroupNames groups;

    GroupsDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        groups.named("delete");
        boolean failed = false;
        try (Admin admin = cluster.admin()) {
            List<String> names = groups.resolve("delete", admin);
            Map<String, KafkaFuture<Void>> results =
                    admin.deleteConsumerGroups(names).deletedGroups();
            for (String name : names) {
                try {
                    results.get(name).get();
                    terminal.out().printf("deleted %s%n", name);
                } catch (ExecutionException problem) {
                    // The others are deleted all the same.
                    failed = true;
                    CliFailure failure = Explanation.of(problem);
                    terminal.err().println("highwater: " + name + ": " + failure.getMessage() + " " + failure.hint());
                }
            }
        }
        return failed ? HighwaterCli.FAILED : HighwaterCli.OK;
    }
}
