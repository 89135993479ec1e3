package cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater groups list}. */
@Command(name = "list", description = "List the groups with their state, type and protocol.")
final class GroupsListCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Option(
            names = {"-s", "--state"},
            paramLabel = "LIST",
            split = ",",
            description = "Only groups in these states, such as stable,empty.")
    private List<String> states = new ArrayList<>();

    @Option(
            names = "--type",
            paramLabel = "LIST",
            split = ",",
            description = "Only groups of these types: classic, consumer.")
    private List<String> types = new ArrayList<>();

    GroupsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        ListGroupsOptions wanted = new ListGroupsOptions()
                .inGroupStates(parse(states, "state", GroupState.class, GroupState.UNKNOWN, GroupState::parse))
                .withTypes(parse(types, "type", GroupType.class, GroupType.UNKNOWN, GroupType::parse));
        try (Admin admin = cluster.admin()) {
            List<GroupListing> found =
                    new ArrayList<>(admin.listGroups(wanted).all().get());
            if (found.isEmpty()) {
                terminal.err()
                        .println(states.isEmpty() && types.isEmpty() ? "There are no groups." : "No such groups.");
                return HighwaterCli.OK;
            }
            found.sort(Comparator.comparing(GroupListing::groupId));
            Table table = new Table("GROUP", "STATE", "TYPE", "PROTOCOL");
            for (GroupListing group : found) {
                table.row(
                        group.groupId(),
                        group.groupState().map(GroupState::toString).orElse("-"),
                        group.type()
                                .map(type -> type.toString().toLowerCase(Locale.ROOT))
                                .orElse("-"),
                        group.protocol().isEmpty() ? "-" : group.protocol());
            }
            table.print(terminal.out(), "");
        }
        return HighwaterCli.OK;
    }

    private static <E extends Enum<E>> Set<E> parse(
            List<String> words, String what, Class<E> type, E unknown, Function<String, E> parse) {
        EnumSet<E> all = EnumSet.noneOf(type);
        for (String word : words) {
            E one = parse.apply(word.trim());
            if (one == unknown) {
                List<String> known = EnumSet.complementOf(EnumSet.of(unknown)).stream()
                        .map(E::toString)
                        .toList();
                throw new CliFailure(
                        "'" + word + "' is no " + what + " of a group", "Known: " + String.join(", ", known));
            }
            all.add(one);
        }
        return all;
    }
}
