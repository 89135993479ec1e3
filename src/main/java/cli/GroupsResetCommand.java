package cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater groups reset-offsets}. */
@Command(
        name = "reset-offsets",
        description = {
            "Set what groups have committed. Shows what would change; --execute changes it.",
            "A group must have no members for that. One that does not exist comes to be."
        },
        footer = {
            "",
            "Examples:",
            "  highwater groups reset-offsets billing --topic orders --to earliest",
            "  highwater groups reset-offsets billing --topic orders:0,1 --to @-2h --execute",
            "  highwater groups reset-offsets billing --all-topics --shift-by -100 --execute",
            "  highwater groups reset-offsets billing --all-topics --to-current --export > offsets.csv",
            "  highwater groups reset-offsets billing --from-file offsets.csv --execute"
        })
final class GroupsResetCommand extends HelpOption implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private GroupNames groups;

    @Mixin
    private ResetTarget target;

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC[:LIST]",
            description = "A topic, or some of its partitions: orders:0,2,4-7. Repeat for more.")
    private List<String> topics = new ArrayList<>();

    @Option(names = "--all-topics", description = "All partitions for which the group has an offset.")
    private boolean allTopics;

    @Option(names = "--execute", description = "Do it.")
    private boolean execute;

    @Option(names = "--dry-run", description = "Only show it (the default).")
    private boolean dryRun;

    @Option(names = "--export", description = "Print CSV for --from-file instead of a table.")
    private boolean export;

    /** @param before null: nothing was committed */
    private record Change(String group, TopicPartition partition, Long before, long after) {}

    GroupsResetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException, IOException {
        ResetTarget.Goal goal = checked();
        try (Admin admin = cluster.admin()) {
            List<String> names = groups.resolve("reset-offsets", admin);
            List<OffsetPlan> file = goal.kind() == ResetTarget.Kind.FILE ? file() : List.of();
            List<Change> changes = new ArrayList<>();
            for (String name : names) {
                requireInactive(admin, name);
                changes.addAll(plan(admin, name, goal, file));
            }
            if (execute) {
                apply(admin, changes);
            }
            print(changes, names.size() > 1);
        }
        return HighwaterCli.OK;
    }

    private ResetTarget.Goal checked() {
        groups.named("reset-offsets");
        ResetTarget.Goal goal = target.goal(System.currentTimeMillis());
        if (execute && dryRun) {
            throw new CliFailure("--execute and --dry-run given", "Give one of them.");
        }
        if (goal.kind() != ResetTarget.Kind.FILE && topics.isEmpty() == !allTopics) {
            throw new CliFailure(
                    allTopics ? "--topic and --all-topics given" : "not said which topics to reset",
                    "Give --topic TOPIC, --topic TOPIC:0,1 or --all-topics.");
        }
        return goal;
    }

    /** Members would go on from where they are, and commit over what is set here. A preview is for any group. */
    private void requireInactive(Admin admin, String name) throws InterruptedException, ExecutionException {
        ConsumerGroupDescription group;
        try {
            group = GroupsDescribeCommand.describe(admin, List.of(name)).get(name);
        } catch (ExecutionException problem) {
            if (problem.getCause() instanceof GroupIdNotFoundException) {
                return;
            }
            throw problem;
        }
        if (group.groupState() == GroupState.EMPTY || group.groupState() == GroupState.DEAD) {
            return;
        }
        String active = "group " + name + " is active (" + group.groupState() + ", "
                + group.members().size() + " member(s))";
        if (execute) {
            throw new CliFailure(
                    active + ": its offsets were not reset",
                    "Stop its members first; see who they are: highwater groups describe " + name + " --members.");
        }
        terminal.err().println(active + ": stop its members before --execute.");
    }

    private List<Change> plan(Admin admin, String name, ResetTarget.Goal goal, List<OffsetPlan> file)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, Long> committed = GroupsDescribeCommand.committed(admin, name);
        Map<TopicPartition, Long> wishes = new TreeMap<>(GroupLag.ORDER);
        for (OffsetPlan line : file) {
            if (line.group() == null || line.group().equals(name)) {
                wishes.put(line.partition(), line.offset());
            }
        }
        List<TopicPartition> partitions = List.copyOf(wishes.keySet());
        if (goal.kind() != ResetTarget.Kind.FILE) {
            partitions = allTopics
                    ? List.copyOf(committed.keySet())
                    : PartitionScope.parse(topics).resolve(admin);
        }
        LogOffsets log = new LogOffsets(admin, partitions);
        Map<TopicPartition, Long> begins = log.earliest();
        Map<TopicPartition, Long> ends = log.latest();
        Map<TopicPartition, Long> times = goal.kind() == ResetTarget.Kind.TIME ? log.at(goal.value()) : Map.of();
        List<Change> changes = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            if (!ends.containsKey(partition)) {
                terminal.err().println(partition + " is not there or has no leader: left as it is.");
                continue;
            }
            ResetTarget.Goal own = wishes.containsKey(partition)
                    ? new ResetTarget.Goal(ResetTarget.Kind.OFFSET, wishes.get(partition))
                    : goal;
            Long before = committed.get(partition);
            long after = own.offset(
                    partition.toString(),
                    begins.get(partition),
                    ends.get(partition),
                    before,
                    times.getOrDefault(partition, -1L));
            if (own.kind() == ResetTarget.Kind.OFFSET && own.value() != after) {
                terminal.err()
                        .printf(
                                "%s has %d to %d: %d instead of %d.%n",
                                partition, begins.get(partition), ends.get(partition), after, own.value());
            }
            changes.add(new Change(name, partition, before, after));
        }
        return changes;
    }

    private static void apply(Admin admin, List<Change> changes) throws InterruptedException, ExecutionException {
        Map<String, Map<TopicPartition, OffsetAndMetadata>> groups = new LinkedHashMap<>();
        for (Change change : changes) {
            groups.computeIfAbsent(change.group(), group -> new LinkedHashMap<>())
                    .put(change.partition(), new OffsetAndMetadata(change.after()));
        }
        for (Map.Entry<String, Map<TopicPartition, OffsetAndMetadata>> group : groups.entrySet()) {
            admin.alterConsumerGroupOffsets(group.getKey(), group.getValue())
                    .all()
                    .get();
        }
    }

    private void print(List<Change> changes, boolean several) {
        if (export) {
            for (Change change : changes) {
                String group = several ? change.group() : null;
                terminal.out().println(new OffsetPlan(group, change.partition(), change.after()).line());
            }
            return;
        }
        if (changes.isEmpty()) {
            terminal.err().println("Nothing to reset: no such partitions, or nothing committed.");
            return;
        }
        Table table = new Table("GROUP", "TOPIC", "PARTITION", "CURRENT OFFSET", "NEW OFFSET", "CHANGE");
        for (Change change : changes) {
            Long before = change.before();
            table.row(
                    change.group(),
                    change.partition().topic(),
                    String.valueOf(change.partition().partition()),
                    before == null ? "-" : before.toString(),
                    String.valueOf(change.after()),
                    before == null ? "-" : String.format(java.util.Locale.ROOT, "%+d", change.after() - before));
        }
        table.print(terminal.out(), "");
        if (!execute) {
            terminal.out().flush();
            terminal.err().println("Nothing was changed. Add --execute to do it.");
        }
    }

    private List<OffsetPlan> file() throws IOException {
        if (target.file().equals("-")) {
            return OffsetPlan.read(new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8)));
        }
        try (BufferedReader in = Files.newBufferedReader(Path.of(target.file()))) {
            return OffsetPlan.read(in);
        } catch (IOException problem) {
            throw new CliFailure(
                    "cannot read --from-file " + target.file() + ": "
                            + problem.getClass().getSimpleName(),
                    "");
        }
    }
}
