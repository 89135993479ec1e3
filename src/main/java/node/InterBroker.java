package node;

import common.Peers;
import config.Listener;
import config.NodeConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.Endpoint;

/** Where brokers listen for one another. */
record InterBroker(String listener) {

    /** @param node a broker */
    static InterBroker of(NodeConfig node) {
        return new InterBroker(node.interBroker());
    }

    /**
     * What a broker tells of where it listens. Where other nodes may come they must find it: only a node that none can come to leaves it to the client's connection.
     *
     * @param reachable where others reach a listener for which nothing is advertised
     */
    static List<Listener> advertised(NodeConfig node, Function<Listener, Peers.Address> reachable) {
        boolean othersCome = !node.controller() || !node.controllerListeners().isEmpty();
        List<Listener> advertised = new ArrayList<>();
        for (int i = 0; i < node.advertised().size(); i++) {
            Listener each = node.advertised().get(i);
            if (each.host() != null || !othersCome) {
                advertised.add(each);
            } else {
                Peers.Address found = reachable.apply(node.listeners().get(i));
                advertised.add(new Listener(each.name(), found.host(), found.port(), each.securityProtocol()));
            }
        }
        return advertised;
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
