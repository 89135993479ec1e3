package cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Kafka's four settings that slow down moving replicas: a rate on each broker, for what it sends and for what it fetches, and on each topic which replicas it
 * is for. Replicas that are in sync and stay are never slowed down.
 */
final class ReplicationThrottle {
    private static final List<String> RATES =
            List.of("leader.replication.throttled.rate", "follower.replication.throttled.rate");
    private static final String SENDERS = "leader.replication.throttled.replicas";
    private static final String FETCHERS = "follower.replication.throttled.replicas";

    private ReplicationThrottle() {}

    /** The same rate for all brokers given: so many bytes a second. */
    static void rate(Admin admin, Collection<Integer> brokers, long bytes)
            throws InterruptedException, ExecutionException {
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        for (int broker : brokers) {
            changes.put(
                    new ConfigResource(ConfigResource.Type.BROKER, String.valueOf(broker)),
                    RATES.stream()
                            .map(key -> change(key, String.valueOf(bytes), AlterConfigOp.OpType.SET))
                            .toList());
        }
        admin.incrementalAlterConfigs(changes).all().get();
    }

    /** Whoever has a replica now may send it, and who gets one fetches it, at the brokers' rates. */
    static void replicas(
            Admin admin, Map<TopicPartition, List<Integer>> before, Map<TopicPartition, List<Integer>> after)
            throws InterruptedException, ExecutionException {
        Map<String, List<String>> senders = new TreeMap<>();
        Map<String, List<String>> fetchers = new TreeMap<>();
        after.forEach((id, replicas) -> {
            add(senders, id, before.get(id));
            add(fetchers, id, ReplicaPlan.added(before.get(id), replicas));
        });
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        fetchers.forEach((topic, list) -> {
            if (!list.isEmpty()) {
                changes.put(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(
                                change(SENDERS, String.join(",", senders.get(topic)), AlterConfigOp.OpType.APPEND),
                                change(FETCHERS, String.join(",", list), AlterConfigOp.OpType.APPEND)));
            }
        });
        admin.incrementalAlterConfigs(changes).all().get();
    }

    private static void add(Map<String, List<String>> lists, TopicPartition id, Collection<Integer> nodes) {
        List<String> list = lists.computeIfAbsent(id.topic(), topic -> new ArrayList<>());
        nodes.forEach(node -> list.add(id.partition() + ":" + node));
    }

    /** Takes all of it away, on these brokers and on all topics; whether there was any. */
    static boolean clear(Admin admin, Collection<Integer> brokers) throws InterruptedException, ExecutionException {
        List<ConfigResource> asked = new ArrayList<>();
        brokers.forEach(id -> asked.add(new ConfigResource(ConfigResource.Type.BROKER, String.valueOf(id))));
        new TreeSet<>(admin.listTopics(new ListTopicsOptions().listInternal(true))
                        .names()
                        .get())
                .forEach(topic -> asked.add(new ConfigResource(ConfigResource.Type.TOPIC, topic)));
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        for (Map.Entry<ConfigResource, Config> each :
                admin.describeConfigs(asked).all().get().entrySet()) {
            List<AlterConfigOp> own = new ArrayList<>();
            for (ConfigEntry entry : each.getValue().entries()) {
                if (isOwn(each.getKey(), entry)) {
                    own.add(change(entry.name(), "", AlterConfigOp.OpType.DELETE));
                }
            }
            if (!own.isEmpty()) {
                changes.put(each.getKey(), own);
            }
        }
        admin.incrementalAlterConfigs(changes).all().get();
        return !changes.isEmpty();
    }

    private static boolean isOwn(ConfigResource resource, ConfigEntry entry) {
        return resource.type() == ConfigResource.Type.BROKER
                ? RATES.contains(entry.name()) && entry.source() == ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG
                : (entry.name().equals(SENDERS) || entry.name().equals(FETCHERS))
                        && entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG;
    }

    private static AlterConfigOp change(String key, String value, AlterConfigOp.OpType what) {
        return new AlterConfigOp(new ConfigEntry(key, value), what);
    }
}
