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
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The brokers of a cluster and its partitions, internal ones too, as one look at it showed them.
 *
 * @param nodes by id, the fenced ones too
 * @param partitions by topic and number
 */
record ClusterView(String clusterId, TreeMap<Integer, Node> nodes, List<Partition> partitions) {

    /**
     * @param leader -1: none
     * @param eligible replicas that are not in sync, but have all committed records (KIP-966)
     * @param minInSync 0: not asked
     */
    record Partition(
            TopicPartition id,
            int leader,
            List<Integer> replicas,
            List<Integer> inSync,
            List<Integer> eligible,
            int minInSync) {

        boolean offline() {
            return leader < 0;
        }

        boolean underMinInSync() {
            return inSync.size() < minInSync;
        }

        boolean underReplicated() {
            return inSync.size() < replicas.size();
        }

        /** Whether its preferred leader, the first replica, is not the one. */
        boolean strayed() {
            return !replicas.isEmpty() && leader != replicas.get(0);
        }
    }

    static ClusterView of(Admin admin) throws InterruptedException, ExecutionException {
        return look(admin, false);
    }

    /** Asks for each topic's {@code min.insync.replicas} too. */
    static ClusterView withMinInSync(Admin admin) throws InterruptedException, ExecutionException {
        return look(admin, true);
    }

    private static ClusterView look(Admin admin, boolean limits) throws InterruptedException, ExecutionException {
        DescribeClusterResult cluster = admin.describeCluster(new DescribeClusterOptions().includeFencedBrokers(true));
        TreeMap<Integer, Node> nodes = new TreeMap<>();
        cluster.nodes().get().forEach(node -> nodes.put(node.id(), node));
        Collection<TopicDescription> topics = topics(admin);
        Map<String, Integer> minInSync = limits ? minInSync(admin, topics) : Map.of();
        TreeMap<TopicPartition, Partition> partitions = new TreeMap<>(GroupLag.ORDER);
        for (TopicDescription topic : topics) {
            for (TopicPartitionInfo info : topic.partitions()) {
                TopicPartition id = new TopicPartition(topic.name(), info.partition());
                partitions.put(id, partition(id, info, minInSync.getOrDefault(topic.name(), 0)));
            }
        }
        return new ClusterView(cluster.clusterId().get(), nodes, List.copyOf(partitions.values()));
    }

    /** All topics; one that was deleted between the two questions is left out. */
    private static Collection<TopicDescription> topics(Admin admin) throws InterruptedException, ExecutionException {
        TreeSet<String> names = new TreeSet<>(admin.listTopics(new ListTopicsOptions().listInternal(true))
                .names()
                .get());
        List<TopicDescription> topics = new ArrayList<>();
        for (KafkaFuture<TopicDescription> topic :
                admin.describeTopics(names).topicNameValues().values()) {
            try {
                topics.add(topic.get());
            } catch (ExecutionException problem) {
                if (!(problem.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw problem;
                }
            }
        }
        return topics;
    }

    private static Map<String, Integer> minInSync(Admin admin, Collection<TopicDescription> topics)
            throws InterruptedException, ExecutionException {
        List<ConfigResource> asked = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                .toList();
        Map<String, Integer> found = new LinkedHashMap<>();
        for (Map.Entry<ConfigResource, KafkaFuture<Config>> each :
                admin.describeConfigs(asked).values().entrySet()) {
            try {
                ConfigEntry limit = each.getValue().get().get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
                found.put(each.getKey().name(), limit == null ? 0 : Integer.parseInt(limit.value()));
            } catch (ExecutionException problem) {
                if (!(problem.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw problem;
                }
            }
        }
        return found;
    }

    private static Partition partition(TopicPartition id, TopicPartitionInfo info, int minInSync) {
        boolean led = info.leader() != null && !info.leader().isEmpty();
        return new Partition(
                id,
                led ? info.leader().id() : -1,
                ids(info.replicas()),
                ids(info.isr()),
                info.elr() == null ? List.of() : ids(info.elr()),
                minInSync);
    }

    private static List<Integer> ids(List<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

    /** Fails if there is no such broker. */
    Node node(int id) {
        Node found = nodes.get(id);
        if (found == null) {
            throw new CliFailure(
                    "there is no node " + id + " that is a broker",
                    "The brokers are " + text(List.copyOf(nodes.keySet())) + ": highwater cluster describe.");
        }
        return found;
    }

    /** By id, of the nodes that are not fenced: their racks; {@code ""} where none is set. */
    TreeMap<Integer, String> activeRacks() {
        TreeMap<Integer, String> racks = new TreeMap<>();
        nodes.values().stream()
                .filter(node -> !node.isFenced())
                .forEach(node -> racks.put(node.id(), node.hasRack() ? node.rack() : ""));
        return racks;
    }

    /** Node ids with commas between them. */
    static String text(List<Integer> ids) {
        return ids.isEmpty()
                ? "-"
                : String.join(",", ids.stream().map(String::valueOf).toList());
    }
}
