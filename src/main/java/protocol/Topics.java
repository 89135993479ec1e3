package protocol;

import common.PartitionId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;

/** Looks up what requests name in one metadata image. */
final class Topics {

    private Topics() {}

    /** The partition's id, null if the topic is null or has no such partition. */
    static PartitionId partition(TopicImage topic, int partition) {
        return topic == null || partition < 0 || partition >= topic.partitions().size()
                ? null
                : new PartitionId(topic.id(), partition);
    }

    /** null when unknown. */
    static PartitionImage find(TopicImage topic, int partition) {
        return topic == null || partition < 0 || partition >= topic.partitions().size()
                ? null
                : topic.partitions().get(partition);
    }

    /** Where clients of {@code listener} reach the brokers, for KIP-951's endpoints of current leaders. */
    static final class Leaders {
        private final MetadataImage image;
        private final ConnectionInfo connection;
        private final Map<Integer, Node> nodes = new TreeMap<>();

        record Node(int id, String host, int port, String rack) {}

        Leaders(MetadataImage image, ConnectionInfo connection) {
            this.image = image;
            this.connection = connection;
        }

        /** Notes that an answer names {@code leader}. */
        void add(int leader) {
            BrokerImage broker = leader < 0 || nodes.containsKey(leader) ? null : image.broker(leader);
            if (broker == null || broker.fenced()) {
                return;
            }
            for (Endpoint each : broker.endpoints()) {
                if (each.listener().equals(connection.listener())) {
                    boolean advertised = each.host() != null;
                    nodes.put(
                            leader,
                            new Node(
                                    leader,
                                    advertised ? each.host() : connection.localHost(),
                                    advertised ? each.port() : connection.localPort(),
                                    broker.rack()));
                }
            }
        }

        List<Node> nodes() {
            return List.copyOf(nodes.values());
        }
    }
}
