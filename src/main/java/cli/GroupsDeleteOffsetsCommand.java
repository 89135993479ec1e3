package cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteConsumerGroupOffsetsResult;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater groups delete-offsets}. */
@Command(
        name = "delete-offsets",
        description = "Forget what groups have committed for topics. No member may be subscribed to them.",
        footer = {
            "",
            "Examples:",
            "  highwater groups delete-offsets billing --topic orders",
            "  highwater groups delete-offsets billing --topic orders:0,1"
        })
final class GroupsDeleteOffsetsCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private GroupNames groups;

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC[:LIST]",
            description = "A topic, or some of its partitions: orders:0,2,4-7. Repeat for more.")
    private List<String> topics = new ArrayList<>();

    GroupsDeleteOffsetsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        groups.named("delete-offsets");
        if (topics.isEmpty()) {
            throw new CliFailure("no topic given", "Give --topic TOPIC or --topic TOPIC:0,1.");
        }
        PartitionScope scope = PartitionScope.parse(topics);
        boolean failed = false;
        try (Admin admin = cluster.admin()) {
            for (String group : groups.resolve("delete-offsets", admin)) {
                // What was committed for a topic that is gone can be deleted too.
                List<TopicPartition> partitions =
                        scope.of(GroupsDescribeCommand.committed(admin, group).keySet());
                if (partitions.isEmpty()) {
                    terminal.err()
                            .println("highwater: group " + group + " has committed nothing for "
                                    + String.join(" ", topics) + "; see what it has: highwater groups describe "
                                    + group);
                    failed = true;
                } else {
                    failed |= !delete(admin, group, new LinkedHashSet<>(partitions));
                }
            }
        }
        return failed ? HighwaterCli.FAILED : HighwaterCli.OK;
    }

    private boolean delete(Admin admin, String group, Set<TopicPartition> partitions) throws InterruptedException {
        DeleteConsumerGroupOffsetsResult result = admin.deleteConsumerGroupOffsets(group, partitions);
        boolean all = true;
        for (TopicPartition partition : partitions) {
            try {
                result.partitionResult(partition).get();
                terminal.out().printf("deleted the offset of %s for %s%n", group, partition);
            } catch (ExecutionException problem) {
                all = false;
                CliFailure failure = Explanation.of(problem);
                terminal.err().println("highwater: " + partition + ": " + failure.getMessage() + " " + failure.hint());
            }
        }
        return all;
    }
}
