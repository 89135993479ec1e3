package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.oneOf;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** The keys of the resources that are neither topics nor brokers: groups and client-metrics subscriptions. Kafka's names, defaults and bounds. */
public final class ResourceKeys {

    private static final Map<String, ConfigKey> GROUP = collect(groups());
    private static final Map<String, ConfigKey> CLIENT_METRICS = collect(clientMetrics());

    private ResourceKeys() {}

    /** null when unknown. */
    public static ConfigKey group(String name) {
        return GROUP.get(name);
    }

    /** null when unknown. */
    public static ConfigKey clientMetrics(String name) {
        return CLIENT_METRICS.get(name);
    }

    /** By name. */
    public static Collection<ConfigKey> allOfGroups() {
        return GROUP.values();
    }

    /** By name. */
    public static Collection<ConfigKey> allOfClientMetrics() {
        return CLIENT_METRICS.values();
    }

    static Map<String, ConfigKey> groupKeys() {
        return GROUP;
    }

    static Map<String, ConfigKey> clientMetricsKeys() {
        return CLIENT_METRICS;
    }

    private static Map<String, ConfigKey> collect(KeyTable keys) {
        TreeMap<String, ConfigKey> all = new TreeMap<>();
        for (ConfigKey key : keys.list()) {
            all.put(key.name(), key);
        }
        return Collections.unmodifiableMap(all);
    }

    private static KeyTable groups() {
        KeyTable keys = new KeyTable();
        keys.inForce(GroupConfig.class);
        keys.int32(
                "consumer.assignment.interval.ms",
                1000,
                atLeast(0),
                "Shortest time between two assignments of this KIP-848 group.");
        keys.bool(
                "consumer.assignor.offload.enable",
                true,
                "Compute large assignments of this KIP-848 group beside the event loop.");
        keys.int32("consumer.heartbeat.interval.ms", 5000, atLeast(1), "Heartbeat of this KIP-848 group's members.");
        keys.int32("consumer.session.timeout.ms", 45000, atLeast(1), "Session of this KIP-848 group's members.");
        keys.withoutEffect("has no counterpart here, or is for share and streams groups, which are not served yet");
        keys.bool("errors.deadletterqueue.copy.record.enable", false);
        keys.string("errors.deadletterqueue.topic.name", "", null);
        keys.int32("share.assignment.interval.ms", 1000, atLeast(0));
        keys.bool("share.assignor.offload.enable", true);
        keys.string("share.auto.offset.reset", "latest", KeyTable.OFFSET_RESET);
        keys.int32("share.delivery.count.limit", 5, atLeast(2));
        keys.int32("share.heartbeat.interval.ms", 5000, atLeast(1));
        keys.string("share.isolation.level", "read_uncommitted", oneOf("read_committed", "read_uncommitted"));
        keys.int32("share.partition.max.record.locks", 2000, atLeast(100));
        keys.int32("share.record.lock.duration.ms", 30000, atLeast(1000));
        keys.bool("share.renew.acknowledge.enable", true);
        keys.int32("share.session.timeout.ms", 45000, atLeast(1));
        keys.int64("streams.acceptable.recovery.lag", 10000L, atLeast(0));
        keys.int32("streams.assignment.interval.ms", 1000, atLeast(0));
        keys.string("streams.assignor.name", null, null);
        keys.bool("streams.assignor.offload.enable", true);
        keys.int32("streams.heartbeat.interval.ms", 5000, atLeast(1));
        keys.int32("streams.initial.rebalance.delay.ms", 3000, atLeast(0));
        keys.int32("streams.num.standby.replicas", 0, atLeast(0));
        keys.int32("streams.num.warmup.replicas", 2, atLeast(0));
        keys.list("streams.rack.aware.assignment.tags", "", null);
        keys.int32("streams.session.timeout.ms", 45000, atLeast(1));
        keys.int32("streams.task.offset.interval.ms", 60000, atLeast(1));
        return keys;
    }

    private static KeyTable clientMetrics() {
        KeyTable keys = new KeyTable();
        keys.withoutEffect("client metrics are not collected yet");
        keys.int32("interval.ms", 300000, null);
        keys.list("match", "", null);
        keys.list("metrics", "", null);
        return keys;
    }
}
