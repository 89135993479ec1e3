package cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Groups named on the command line, plainly or with {@code --group} as Kafka's tools have it. */
final class GroupNames {

    @Parameters(arity = "0..*", paramLabel = "GROUP", description = "Names of groups.")
    private List<String> plain = new ArrayList<>();

    @Option(
            names = {"-g", "--group"},
            paramLabel = "GROUP",
            description = "The same, as an option.")
    private List<String> options = new ArrayList<>();

    @Option(names = "--all-groups", description = "All groups of consumers.")
    private boolean all;

    /** The names, each once; fails when there is none. */
    List<String> named(String command) {
        LinkedHashSet<String> names = new LinkedHashSet<>(plain);
        names.addAll(options);
        if (names.isEmpty() == !all) {
            throw new CliFailure(
                    all ? "both groups and --all-groups given" : "no group given",
                    "Name it: highwater groups " + command + " GROUP, or give --all-groups.");
        }
        return List.copyOf(names);
    }

    /** The names given, or with {@code --all-groups} those that the cluster has, sorted. */
    List<String> resolve(String command, Admin admin) throws InterruptedException, ExecutionException {
        List<String> names = named(command);
        if (!all) {
            return names;
        }
        TreeSet<String> found = new TreeSet<>();
        for (GroupListing group :
                admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get()) {
            found.add(group.groupId());
        }
        return List.copyOf(found);
    }
}
