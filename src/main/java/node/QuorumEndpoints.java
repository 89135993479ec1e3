package node;

import common.Peers;
import config.BrokerConfig;
import config.Listener;
import config.NodeConfig;
import config.QuorumConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import raft.Endpoint;

/** Where controllers are reached. */
final class QuorumEndpoints {
    /** Where no listener of controllers is named, nobody else needs one. */
    private static final String UNNAMED = "CONTROLLER";

    private QuorumEndpoints() {}

    /** Name of the listener by which controllers are reached. */
    static String listener(NodeConfig node) {
        return node.controllerNames().isEmpty()
                ? UNNAMED
                : node.controllerNames().get(0);
    }

    /**
     * Where other nodes reach this controller; empty when nobody can.
     *
     * @param reachable where they reach a listener for which nothing is advertised
     */
    static List<Endpoint> of(BrokerConfig config, Function<Listener, Peers.Address> reachable) {
        NodeConfig node = config.node();
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < node.controllerListeners().size(); i++) {
            Listener listener = node.controllerListeners().get(i);
            Listener advertised = node.advertisedControllers().get(i);
            QuorumConfig.Voter self = self(config);
            if (advertised.host() != null) {
                endpoints.add(new Endpoint(listener.name(), advertised.host(), advertised.port()));
            } else if (self != null && listener.name().equals(listener(node))) {
                endpoints.add(new Endpoint(listener.name(), self.host(), self.port()));
            } else {
                Peers.Address address = reachable.apply(listener);
                endpoints.add(new Endpoint(listener.name(), address.host(), address.port()));
            }
        }
        return endpoints;
    }

    private static QuorumConfig.Voter self(BrokerConfig config) {
        for (QuorumConfig.Voter each : config.quorum().voters()) {
            if (each.id() == config.node().nodeId()) {
                return each;
            }
        }
        return null;
    }
}
