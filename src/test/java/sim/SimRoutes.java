package sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Which node leads which partition, as far as one client knows: from Metadata, and by leader epochs, so that a node that is behind does not mislead it. */
final class SimRoutes {
    private final Map<String, Topic> topics = new TreeMap<>();
    private final Map<Uuid, String> names = new LinkedHashMap<>();
    private final Set<Integer> nodes = new TreeSet<>();

    private record Leader(int node, int epoch) {}

    private record Topic(Uuid id, Map<Integer, Leader> leaders) {}

    void learn(MetadataResponseData answer) {
        nodes.clear();
        answer.brokers().forEach(each -> nodes.add(SimMachine.ofNode(each.nodeId())));
        for (MetadataResponseTopic each : answer.topics()) {
            if (each.errorCode() == Errors.NONE.code()) {
                Topic known = topics.get(each.name());
                if (known == null || !known.id.equals(each.topicId())) {
                    known = new Topic(each.topicId(), new TreeMap<>());
                    topics.put(each.name(), known);
                    names.put(each.topicId(), each.name());
                }
                for (MetadataResponsePartition partition : each.partitions()) {
                    learn(known.leaders, partition);
                }
            }
        }
    }

    private static void learn(Map<Integer, Leader> leaders, MetadataResponsePartition partition) {
        Leader before = leaders.get(partition.partitionIndex());
        if (before == null || before.epoch <= partition.leaderEpoch()) {
            int node = partition.leaderId() < 0 ? -1 : SimMachine.ofNode(partition.leaderId());
            leaders.put(partition.partitionIndex(), new Leader(node, partition.leaderEpoch()));
        }
    }

    /** Those that are said to live; empty before the first answer. */
    Set<Integer> nodes() {
        return nodes;
    }

    /**
     * -1 when it is not known.
     *
     * @param name empty or null: {@code id} says which
     */
    int leader(String name, Uuid id, int partition) {
        String topic = name == null || name.isEmpty() ? names.get(id) : name;
        Topic known = topic == null ? null : topics.get(topic);
        Leader leader = known == null ? null : known.leaders.get(partition);
        return leader == null ? -1 : leader.node;
    }

    /** The node whose coordinator has {@code key}: the leader of its partition of an internal topic. -1 when it is not known. */
    int coordinator(String internalTopic, String key) {
        Topic known = topics.get(internalTopic);
        return known == null
                ? -1
                : leader(internalTopic, null, (key.hashCode() & Integer.MAX_VALUE) % known.leaders.size());
    }
}
