package config;

import java.util.List;

/**
 * Who this node is and where it is found.
 *
 * @param broker keeps partitions and serves clients
 * @param controller may vote in the quorum that keeps the metadata
 * @param listeners where clients connect: at least one on a broker, none on a node that is a controller only
 * @param advertised what Metadata tells, one per entry of listeners and in that order; host null: the local address of the client's connection,
 *     port 0: the one really bound
 * @param interBroker name of the listener by which brokers reach one another: one of {@code listeners} on a broker; null elsewhere
 * @param controllerNames controller.listener.names; by the first, nodes reach controllers
 * @param controllerListeners where this controller listens for other nodes; empty: a quorum of this node alone, found by nobody
 * @param advertisedControllers where other nodes find them, one per entry of controllerListeners and in that order; host null and port 0 as above
 * @param rack null when not given
 */
public record NodeConfig(
        int nodeId,
        boolean broker,
        boolean controller,
        List<Listener> listeners,
        List<Listener> advertised,
        String interBroker,
        List<String> controllerNames,
        List<Listener> controllerListeners,
        List<Listener> advertisedControllers,
        String rack) {}
