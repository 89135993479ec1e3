package protocol;

import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataImage.PartitionImage;
import org.apache.kafka.common.protocol.Errors;

/** The cluster as one client sees it: through the listener that it came by. For the time of one request. */
final class ClusterView {
    static final int NO_LEADER = -1;

    private final MetadataImage image;
    private final ConnectionInfo connection;

    ClusterView(MetadataImage image, ConnectionInfo connection) {
        this.image = image;
        this.connection = connection;
    }

    MetadataImage image() {
        return image;
    }

    /** Where the client reaches a broker. */
    record Node(int id, String host, int port, String rack, boolean fenced) {}

    /** @param leader NO_LEADER when it has none that the client could reach; error then says why */
    record PartitionView(Errors error, int leader, List<Integer> replicas, List<Integer> isr, List<Integer> offline) {}

    /** By id: those that serve, and with {@code fencedToo} those that the controller has shut out. */
    List<Node> nodes(boolean fencedToo) {
        List<Node> nodes = new ArrayList<>();
        for (BrokerImage broker : image.brokers()) {
            Endpoint endpoint = fencedToo || !broker.fenced() ? endpoint(broker) : null;
            if (endpoint != null) {
                // Without advertised.listeners the node is found where the client found it (loopback, LAN and container
                // set-ups alike).
                String host = endpoint.host() == null ? connection.localHost() : endpoint.host();
                int port = endpoint.port() == 0 ? connection.localPort() : endpoint.port();
                nodes.add(new Node(broker.id(), host, port, broker.rack(), broker.fenced()));
            }
        }
        return nodes;
    }

    /** Whom clients send what is the controller's: the active controller if it is a broker, else any broker that serves, as all of them pass it on. -1: nobody serves. */
    int controllerId() {
        if (isReachable(image.controllerId())) {
            return image.controllerId();
        }
        List<Node> serving = nodes(false);
        return serving.isEmpty() ? -1 : serving.get(0).id();
    }

    PartitionView partition(PartitionImage partition) {
        List<Integer> offline = new ArrayList<>();
        for (int replica : partition.replicas()) {
            if (!isReachable(replica) || !image.isDirectoryOnline(partition, replica)) {
                offline.add(replica);
            }
        }
        if (isReachable(partition.leader())) {
            return new PartitionView(Errors.NONE, partition.leader(), partition.replicas(), partition.isr(), offline);
        }
        BrokerImage leader = image.broker(partition.leader());
        Errors error = leader == null || leader.fenced() ? Errors.LEADER_NOT_AVAILABLE : Errors.LISTENER_NOT_FOUND;
        return new PartitionView(error, NO_LEADER, partition.replicas(), partition.isr(), offline);
    }

    boolean isReachable(int brokerId) {
        BrokerImage broker = image.broker(brokerId);
        return broker != null && !broker.fenced() && endpoint(broker) != null;
    }

    private Endpoint endpoint(BrokerImage broker) {
        for (Endpoint endpoint : broker.endpoints()) {
            if (endpoint.listener().equals(connection.listener())) {
                return endpoint;
            }
        }
        return null;
    }
}
