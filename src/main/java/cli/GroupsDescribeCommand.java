package cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code highwater groups describe}. */
@Command(
        name = "describe",
        description = "Show what groups have committed and how far they are behind, their members or their state.",
        footer = {
            "",
            "LAG is the end offset minus the current (committed) one. LAG SECONDS is the age of the first record that is",
            "not committed; '-' where there is none or it is not known.",
            "",
            "Examples:",
            "  highwater groups describe billing",
            "  highwater groups describe --group billing --members",
            "  highwater groups describe --all-groups --state"
        })
final class GroupsDescribeCommand extends HelpOption implements Callable<Integer> {

    private static final Duration AGE_BUDGET = Duration.ofSeconds(5);

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private GroupNames groups;

    @Option(names = "--offsets", description = "Offsets and lag (the default).")
    private boolean offsets;

    @Option(
            names = {"-m", "--members"},
            description = "The members and their partitions.")
    private boolean members;

    @Option(
            names = {"-s", "--state"},
            description = "State, assignor and coordinator.")
    private boolean state;

    GroupsDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        groups.named("describe");
        try (Admin admin = cluster.admin()) {
            List<String> names = groups.resolve("describe", admin);
            Map<String, ConsumerGroupDescription> found = describe(admin, names);
            if (state) {
                printStates(found.values());
            }
            if (members) {
                found.values().forEach(this::printMembers);
            }
            if (offsets || (!members && !state)) {
                for (ConsumerGroupDescription group : found.values()) {
                    printOffsets(group, lag(admin, group));
                }
            }
        }
        return HighwaterCli.OK;
    }

    static Map<String, ConsumerGroupDescription> describe(Admin admin, List<String> names)
            throws InterruptedException, ExecutionException {
        Map<String, ConsumerGroupDescription> found = new LinkedHashMap<>();
        var answers = admin.describeConsumerGroups(names).describedGroups();
        for (String name : names) {
            try {
                found.put(name, answers.get(name).get());
            } catch (ExecutionException problem) {
                if (problem.getCause() instanceof IllegalArgumentException) {
                    throw new CliFailure(
                            problem.getCause().getMessage(),
                            "Its members are no consumers; see highwater groups list.");
                }
                throw problem;
            }
        }
        return found;
    }

    private void printStates(Iterable<ConsumerGroupDescription> found) {
        Table table = new Table("GROUP", "STATE", "TYPE", "ASSIGNOR", "EPOCH", "MEMBERS", "COORDINATOR");
        for (ConsumerGroupDescription group : found) {
            table.row(
                    group.groupId(),
                    group.groupState().toString(),
                    type(group),
                    orDash(group.partitionAssignor()),
                    group.groupEpoch().map(String::valueOf).orElse("-"),
                    String.valueOf(group.members().size()),
                    group.coordinator().host() + ":" + group.coordinator().port() + " ("
                            + group.coordinator().idString() + ")");
        }
        table.print(terminal.out(), "");
    }

    private void printMembers(ConsumerGroupDescription group) {
        terminal.out().println(headline(group));
        if (group.members().isEmpty()) {
            return;
        }
        Table table = new Table("CONSUMER ID", "INSTANCE ID", "HOST", "CLIENT ID", "EPOCH", "PARTITIONS", "ASSIGNMENT");
        List<MemberDescription> sorted = new ArrayList<>(group.members());
        sorted.sort(Comparator.comparing(MemberDescription::consumerId));
        for (MemberDescription member : sorted) {
            table.row(
                    member.consumerId(),
                    member.groupInstanceId().orElse("-"),
                    member.host(),
                    member.clientId(),
                    member.memberEpoch().map(String::valueOf).orElse("-"),
                    String.valueOf(member.assignment().topicPartitions().size()),
                    orDash(assignment(member)));
        }
        table.print(terminal.out(), "  ");
    }

    /** As {@code orders(0,1) payments(3)}. */
    private static String assignment(MemberDescription member) {
        TreeMap<String, TreeSet<Integer>> topics = new TreeMap<>();
        for (TopicPartition partition : member.assignment().topicPartitions()) {
            topics.computeIfAbsent(partition.topic(), topic -> new TreeSet<>()).add(partition.partition());
        }
        return topics.entrySet().stream()
                .map(topic -> topic.getKey()
                        + topic.getValue().stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")")))
                .collect(Collectors.joining(" "));
    }

    private GroupLag lag(Admin admin, ConsumerGroupDescription group) throws InterruptedException, ExecutionException {
        Map<TopicPartition, MemberDescription> owners = new LinkedHashMap<>();
        for (MemberDescription member : group.members()) {
            member.assignment().topicPartitions().forEach(partition -> owners.put(partition, member));
        }
        Map<TopicPartition, Long> committed = committed(admin, group.groupId());
        TreeSet<TopicPartition> all = new TreeSet<>(GroupLag.ORDER);
        all.addAll(committed.keySet());
        all.addAll(owners.keySet());
        Map<TopicPartition, Long> ends = new LogOffsets(admin, all).latest();
        Map<TopicPartition, Long> behind = GroupLag.behind(committed, ends);
        Map<TopicPartition, Long> ages = Map.of();
        if (!behind.isEmpty()) {
            try (Consumer<byte[], byte[]> reader = cluster.consumer(LagAge.settings())) {
                ages = LagAge.of(reader, behind, ends, AGE_BUDGET);
            }
        }
        return GroupLag.of(committed, ends, ages, owners);
    }

    /** What a group has committed; empty when nothing. */
    static Map<TopicPartition, Long> committed(Admin admin, String group)
            throws InterruptedException, ExecutionException {
        TreeMap<TopicPartition, Long> committed = new TreeMap<>(GroupLag.ORDER);
        admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(partition, offset.offset());
                    }
                });
        return committed;
    }

    private void printOffsets(ConsumerGroupDescription group, GroupLag lag) {
        Long oldest = lag.oldestMillis();
        terminal.out()
                .println(headline(group) + ", lag " + lag.total() + " record(s)"
                        + (oldest == null ? "" : ", " + GroupLag.seconds(oldest) + " s"));
        if (lag.rows().isEmpty()) {
            terminal.out().println("  nothing committed and nothing assigned");
            return;
        }
        Table table = new Table(
                "TOPIC",
                "PARTITION",
                "CURRENT OFFSET",
                "END OFFSET",
                "LAG",
                "LAG SECONDS",
                "CONSUMER ID",
                "HOST",
                "CLIENT ID");
        for (GroupLag.Row row : lag.rows()) {
            MemberDescription member = row.member();
            table.row(
                    row.partition().topic(),
                    String.valueOf(row.partition().partition()),
                    orDash(row.committed()),
                    orDash(row.end()),
                    orDash(row.lag()),
                    row.age(),
                    member == null ? "-" : member.consumerId(),
                    member == null ? "-" : member.host(),
                    member == null ? "-" : member.clientId());
        }
        table.print(terminal.out(), "  ");
    }

    private static String headline(ConsumerGroupDescription group) {
        String assignor = group.partitionAssignor();
        return group.groupId() + "  " + group.groupState() + ", type " + type(group)
                + (assignor == null || assignor.isEmpty() ? "" : ", assignor " + assignor) + ", "
                + group.members().size() + " member(s)";
    }

    private static String type(ConsumerGroupDescription group) {
        return group.type().toString().toLowerCase(Locale.ROOT);
    }

    private static String orDash(Object value) {
        return value == null || value.toString().isEmpty() ? "-" : value.toString();
    }
}
