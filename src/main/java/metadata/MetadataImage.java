package metadata;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * SKELETON of accessors to code against; the metadata owner makes it a class with deltas. What is true of the cluster at one offset of the metadata log:
 * immutable, shared by reference, replaced whole.
 */
public interface MetadataImage {

    /** Offset after the last record applied; rises with every change. */
    long version();

    String clusterId();

    /** Node id of the active controller, -1 when unknown. */
    int controllerId();

    /** null when there is none. */
    TopicImage topic(String name);

    /** null when there is none. */
    TopicImage topic(Uuid id);

    /** By name. */
    Collection<TopicImage> topics();

    /** By id. */
    Collection<BrokerImage> brokers();

    /** Dynamic broker configs by key: of {@code nodeId} or, with -1, of all brokers (Kafka's cluster-wide default). */
    Map<String, String> brokerConfigs(int nodeId);

    /** @param configs the topic's own settings, by key */
    record TopicImage(String name, Uuid id, boolean internal, List<PartitionImage> partitions, Map<String, String> configs) {}

    record PartitionImage(
            int partition, int leader, int leaderEpoch, int partitionEpoch, List<Integer> replicas, List<Integer> isr) {}

    record BrokerImage(int id, long epoch, List<Endpoint> endpoints, String rack, boolean fenced) {}

    /** host is null when not advertised: then the local address of the client's connection is given (single node, no advertised.listeners). */
    record Endpoint(String listener, String host, int port, String securityProtocol) {}
}
