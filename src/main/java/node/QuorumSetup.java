package node;

import common.Peers;
import common.Ports;
import config.BrokerConfig;
import config.Listener;
import config.NodeConfig;
import config.QuorumConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import raft.Endpoint;
import raft.RaftNode;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoteState;
import raft.VoterSet;

/** What this node's replica of the metadata log begins with, as settings and the vote file say. What the log says of the voters overrules it. */
final class QuorumSetup {
    /** Where no listener of controllers is named, nobody else needs one. */
    private static final String UNNAMED = "CONTROLLER";

    private QuorumSetup() {}

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
    static List<Endpoint> endpoints(BrokerConfig config, Function<Listener, Peers.Address> reachable) {
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

    /**
     * @param self with the id of the directory that holds the metadata log
     * @param endpoints of {@link #endpoints}
     * @param clusterId null while it is not known
     * @param vote as the vote file says
     * @param empty there is no record in the metadata log, and no snapshot
     */
    static RaftNode.Setup of(
            BrokerConfig config,
            ReplicaKey self,
            List<Endpoint> endpoints,
            String clusterId,
            VoteState vote,
            boolean empty,
            Ports ports) {
        QuorumConfig quorum = config.quorum();
        String listener = listener(config.node());
        List<Endpoint> bootstrap = quorum.bootstrap().stream()
                .map(each -> new Endpoint(listener, each.host(), each.port()))
                .toList();
        QuorumConfig.Timeouts wait = quorum.timeouts();
        return new RaftNode.Setup(
                self,
                endpoints,
                voters(config, self, vote, empty),
                bootstrap,
                new RaftTimeouts(wait.election(), wait.fetch(), wait.backoffMax(), wait.request(), wait.retryBackoff()),
                clusterId,
                ports.random(),
                ports.mutations());
    }

    private static VoterSet voters(BrokerConfig config, ReplicaKey self, VoteState vote, boolean empty) {
        QuorumConfig quorum = config.quorum();
        List<VoterSet.Voter> voters = new ArrayList<>();
        for (QuorumConfig.Voter each : quorum.voters()) {
            Endpoint endpoint = new Endpoint(listener(config.node()), each.host(), each.port());
            voters.add(new VoterSet.Voter(ReplicaKey.of(each.id()), List.of(endpoint)));
        }
        if (voters.isEmpty() && (quorum.alone() || (!empty && votedForItself(vote, self)))) {
            // The second: it was alone, and is not yet in its log as a voter. Only voters vote for themselves, and
            // any quorum but of one says in its first records who they are.
            voters.add(new VoterSet.Voter(self, List.of()));
        }
        return new VoterSet(voters);
    }

    private static boolean votedForItself(VoteState vote, ReplicaKey self) {
        return vote.votedId() == self.id()
                && vote.votedDirectoryMost() == self.directoryMost()
                && vote.votedDirectoryLeast() == self.directoryLeast();
    }
}
