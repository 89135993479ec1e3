package node;

import common.Peers;
import config.NodeConfig;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;

/** Where brokers listen for one another. */
record InterBroker(String listener) {

    /** @param node a broker */
    static InterBroker of(NodeConfig node) {
        return new InterBroker(node.interBroker());
    }

    /** Null: it tells no address that others could reach. */
    Peers.Address addressOf(BrokerImage broker) {
        for (Endpoint each : broker.endpoints()) {
            if (each.listener().equals(listener) && each.host() != null) {
                return new Peers.Address(each.host(), each.port());
            }
        }
        return null;
    }
}
