package group;

import common.Metrics;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/** How many groups the shards of one loop keep. Written by their owner; the scraping thread reads slightly old numbers. */
public final class GroupCounts {
    private static final String CLASSIC = "kafka_coordinator_group_groupmetadatamanager_numgroups";

    private static final class Tally {
        private int value;
    }

    private final Map<ClassicState, Tally> classic = new EnumMap<>(ClassicState.class);
    private int consumer;

    public GroupCounts() {
        for (ClassicState each : ClassicState.values()) {
            classic.put(each, new Tally());
        }
    }

    /** Gauges over all loops of a node, under Kafka's names. */
    public static void report(Metrics metrics, List<GroupCounts> all) {
        List<GroupCounts> loops = List.copyOf(all);
        gauge(metrics, CLASSIC, "Classic groups", loops, GroupCounts::classicGroups);
        for (ClassicState each : ClassicState.values()) {
            String name = CLASSIC + each.toString().toLowerCase(Locale.ROOT);
            gauge(metrics, name, "Classic groups in state " + each, loops, counts -> counts.in(each));
        }
        String perProtocol = "kafka_server_group_coordinator_metrics_group_count";
        gauge(metrics, perProtocol, "Groups by protocol", loops, GroupCounts::classicGroups, "protocol", "classic");
        gauge(metrics, perProtocol, "Groups by protocol", loops, counts -> counts.consumer, "protocol", "consumer");
    }

    private static void gauge(
            Metrics metrics,
            String name,
            String help,
            List<GroupCounts> loops,
            ToIntFunction<GroupCounts> value,
            String... tags) {
        metrics.gauge(name, help, () -> loops.stream().mapToInt(value).sum(), tags);
    }

    private int classicGroups() {
        return classic.values().stream().mapToInt(each -> each.value).sum();
    }

    int in(ClassicState state) {
        return classic.get(state).value;
    }

    int consumerGroups() {
        return consumer;
    }

    /** @param change 1 or -1 */
    void count(Group group, int change) {
        if (group.type() == GroupType.CONSUMER) {
            consumer += change;
        } else {
            count(group instanceof ClassicGroup it ? it.stateNow() : ClassicState.EMPTY, change);
        }
    }

    void count(ClassicState state, int change) {
        classic.get(state).value += change;
    }
}
