package verticles;

import config.BrokerConfig;
import config.Listener;
import config.NodeConfig;
import config.QuorumConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * This node's place in the group of Hazelcast members, derived from what the settings say of the quorum.
 *
 * @param group its name: members of other clusters are not let in
 * @param address the only one of this machine that is listened on
 * @param members host:port where members are looked for
 */
record HintPlace(int nodeId, String group, String address, int port, List<String> members) {
    private static final int LAST_PORT = 65_535;

    /** A setting does not allow hints; the message says which, and what to do. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        private Unusable(String message) {
            super(message);
        }
    }

    /** May block on the system's resolver. Null: no hints are wanted, as for a node alone. */
    static HintPlace of(BrokerConfig config, String clusterId) throws Unusable {
        QuorumConfig quorum = config.quorum();
        if (quorum.alone() || !quorum.hints().enabled()) {
            return null;
        }
        NodeConfig node = config.node();
        boolean brokerOnly = node.controllerListeners().isEmpty();
        Listener listener = brokerOnly
                ? named(node.listeners(), node.interBroker())
                : node.controllerListeners().get(0);
        Listener advertised = brokerOnly
                ? node.advertised().get(node.listeners().indexOf(listener))
                : node.advertisedControllers().get(0);
        return new HintPlace(
                node.nodeId(),
                "highwater-" + clusterId,
                address(ownHost(listener, advertised, node, quorum)),
                port(listener.port(), quorum),
                members(quorum));
    }

    private static Listener named(List<Listener> listeners, String name) {
        return listeners.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The first host that is one address: where it listens, what it advertises, what the voters say of it. */
    private static String ownHost(Listener listener, Listener advertised, NodeConfig node, QuorumConfig quorum)
            throws Unusable {
        List<String> known = new ArrayList<>();
        known.add(listener.host());
        known.add(advertised.host());
        quorum.voters().stream().filter(voter -> voter.id() == node.nodeId()).forEach(voter -> known.add(voter.host()));
        return known.stream()
                .filter(host -> host != null && !host.isEmpty() && !host.equals("0.0.0.0") && !host.equals("::"))
                .findFirst()
                .orElseThrow(() -> new Unusable("the listener " + listener.name()
                        + " names no single address; give it one, or advertise one (advertised.listeners)"));
    }

    private static String address(String host) throws Unusable {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            throw new Unusable("this machine cannot resolve " + host);
        }
    }

    private static int port(int listener, QuorumConfig quorum) throws Unusable {
        int port = listener + quorum.hints().portOffset();
        if (listener == 0 || port > LAST_PORT) {
            throw new Unusable("listener port " + listener + " plus cluster.hints.port.offset="
                    + quorum.hints().portOffset() + " is no port; choose another offset, the same on all nodes");
        }
        return port;
    }

    private static List<String> members(QuorumConfig quorum) {
        int offset = quorum.hints().portOffset();
        Set<String> members = new LinkedHashSet<>();
        quorum.voters().forEach(voter -> members.add(voter.host() + ":" + (voter.port() + offset)));
        quorum.bootstrap().forEach(server -> members.add(server.host() + ":" + (server.port() + offset)));
        return List.copyOf(members);
    }
}
