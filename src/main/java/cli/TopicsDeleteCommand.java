package cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteTopicsResult;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater topics delete}. */
@Command(name = "delete", description = "Delete topics with all their records. There is no way back.")
final class TopicsDeleteCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private TopicNames topics;

    @Option(names = "--if-exists", description = "A topic that is not there is no failure.")
    private boolean ifExists;

    TopicsDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        List<String> names = topics.atLeastOne("topics delete");
        try (Admin admin = cluster.admin()) {
            DeleteTopicsResult result = admin.deleteTopics(names);
            for (String name : names) {
                try {
                    result.topicNameValues().get(name).get();
                    terminal.out().printf("deleted %s%n", name);
                } catch (ExecutionException problem) {
                    if (!ifExists || !(problem.getCause() instanceof UnknownTopicOrPartitionException)) {
                        throw problem;
                    }
                    terminal.out().printf("%s was not there%n", name);
                }
            }
        }
        return HighwaterCli.OK;
    }
}
