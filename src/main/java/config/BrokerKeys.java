package config;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigException;

/** All broker-level keys: Kafka's and ours, by name. The docs table and conf/broker.properties are made from it. */
public final class BrokerKeys {

    private static final Map<String, ConfigKey> ALL = collect();

    /** Kafka's internal keys. */
    private static final List<String> INTERNAL = List.of(
            "controller.performance.always.log.threshold.ms",
            "controller.performance.sample.period.ms",
            "group.consumer.assignor.offload.enable",
            "group.consumer.regex.refresh.interval.ms",
            "group.share.assignor.offload.enable",
            "group.share.dlq.manager.class.name",
            "group.share.initialize.retry.interval.ms",
            "group.share.persister.class.name",
            "group.streams.acceptable.recovery.lag",
            "group.streams.assignor.offload.enable",
            "group.streams.max.warmup.replicas",
            "group.streams.min.task.offset.interval.ms",
            "group.streams.num.warmup.replicas",
            "group.streams.task.offset.interval.ms",
            "internal.metadata.delete.delay.millis",
            "internal.metadata.log.segment.bytes",
            "internal.metadata.max.batch.size.in.bytes",
            "log.initial.task.delay.ms",
            "producer.id.expiration.check.interval.ms",
            "remote.log.index.file.cache.ttl.ms",
            "remote.log.manager.task.retry.backoff.max.ms",
            "remote.log.manager.task.retry.backoff.ms",
            "remote.log.manager.task.retry.jitter",
            "server.max.startup.time.ms",
            "share.coordinator.cold.partition.snapshot.interval.ms",
            "share.coordinator.state.topic.prune.interval.ms",
            "unclean.leader.election.interval.ms",
            "unstable.api.versions.enable",
            "unstable.feature.versions.enable");

    /** Keys that Kafka knows only once they were set while it runs. */
    private static final List<String> UNLISTED = List.of(
            "leader.replication.throttled.rate",
            "follower.replication.throttled.rate",
            "replica.alter.log.dirs.io.max.bytes.per.second");

    private BrokerKeys() {}

    private static Map<String, ConfigKey> collect() {
        List<List<ConfigKey>> parts = List.of(
                NodeKeys.keys(),
                QuorumKeys.keys(),
                NetworkKeys.keys(),
                StorageKeys.keys(),
                FetcherKeys.keys(),
                LogDefaultKeys.keys(),
                CleanerKeys.keys(),
                TopicDefaultKeys.keys(),
                RequestKeys.keys(),
                ControllerKeys.keys(),
                ReplicationKeys.keys(),
                MembershipKeys.keys(),
                GroupKeys.keys(),
                TransactionKeys.keys(),
                RemoteStorageKeys.keys(),
                SecurityKeys.keys(),
                UnusedKeys.keys());
        TreeMap<String, ConfigKey> all = new TreeMap<>();
        for (List<ConfigKey> part : parts) {
            for (ConfigKey key : part) {
                if (all.put(key.name(), key) != null) {
                    throw new IllegalStateException("two lines for " + key.name());
                }
            }
        }
        return Collections.unmodifiableMap(all);
    }

    /** Sorted by name. */
    public static Collection<ConfigKey> all() {
        return ALL.values();
    }

    /** null when unknown. */
    public static ConfigKey get(String name) {
        return ALL.get(name);
    }

    /** Whether Kafka leaves the key out of its descriptions while it is not set. */
    public static boolean isHiddenUnset(String name) {
        return INTERNAL.contains(name) || UNLISTED.contains(name) || UnusedKeys.RETIRED.contains(name);
    }

    /** What is wrong with a value, or why it cannot be given; null when nothing is. Unknown keys have no problem here. */
    public static String problem(String name, String value) {
        ConfigKey key = ALL.get(name);
        if (key == null) {
            return null;
        }
        String problem = key.problem(value);
        if (problem != null) {
            return problem;
        }
        if (key.standing() == ConfigKey.Standing.REFUSED && !key.isDefault(value)) {
            return new ConfigException(name, value, key.text()).getMessage();
        }
        return null;
    }

    /** The known key most like {@code name}, for "did you mean"; null when none is near. */
    public static String nearest(String name) {
        return nearest(name, ALL.keySet());
    }

    static String nearest(String name, Collection<String> known) {
        String best = null;
        int bound = Math.max(2, name.length() / 4) + 1;
        for (String candidate : known) {
            int distance = distance(name, candidate, bound);
            if (distance < bound) {
                bound = distance;
                best = candidate;
            }
        }
        return best;
    }

    /** Edits that turn one into the other; {@code bound} when at least that many. */
    private static int distance(String a, String b, int bound) {
        if (Math.abs(a.length() - b.length()) >= bound) {
            return bound;
        }
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(change, 1 + Math.min(previous[j], current[j - 1]));
            }
            int[] spare = previous;
            previous = current;
            current = spare;
        }
        return Math.min(bound, previous[b.length()]);
    }
}
