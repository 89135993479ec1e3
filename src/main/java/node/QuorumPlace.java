package node;

import config.BrokerConfig;
import config.QuorumConfig;
import java.util.ArrayList;
import java.util.List;
import raft.Endpoint;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoterSet;

/**
 * This node's place in the metadata quorum.
 *
 * @param listener by which controllers are reached
 * @param endpoints where its controller listens; empty: nowhere
 * @param voters in force before any voters record in the log
 * @param bootstrap where others may be found
 * @param wire to the others
 * @param joins when it asks to be a voter, while it follows as an observer
 */
record QuorumPlace(
        ReplicaKey self,
        String listener,
        List<Endpoint> endpoints,
        VoterSet voters,
        List<Endpoint> bootstrap,
        RaftTimeouts timeouts,
        MetadataReplica.Wire wire,
        Joins joins) {

    /** When an observer asks to be a voter. */
    enum Joins {
        /** An operator has to. */
        NEVER,
        /** When it was one with a disk that it has no more. Whoever was removed stays out. */
        IN_PLACE_OF_ITSELF,
        /** KIP-1186. */
        ALWAYS
    }

    /** As the settings say. */
    static QuorumPlace of(BrokerConfig config, ReplicaKey self, List<Endpoint> endpoints, MetadataReplica.Wire wire) {
        QuorumConfig quorum = config.quorum();
        String listener = QuorumEndpoints.listener(config.node());
        List<VoterSet.Voter> voters = new ArrayList<>();
        for (QuorumConfig.Voter each : quorum.voters()) {
            Endpoint endpoint = new Endpoint(listener, each.host(), each.port());
            voters.add(new VoterSet.Voter(ReplicaKey.of(each.id()), List.of(endpoint)));
        }
        List<Endpoint> bootstrap = quorum.bootstrap().stream()
                .map(each -> new Endpoint(listener, each.host(), each.port()))
                .toList();
        QuorumConfig.Timeouts wait = quorum.timeouts();
        QuorumPlace place = new QuorumPlace(
                self,
                listener,
                endpoints,
                new VoterSet(voters),
                bootstrap,
                new RaftTimeouts(wait.election(), wait.fetch(), wait.backoffMax(), wait.request(), wait.retryBackoff()),
                wire,
                endpoints.isEmpty() ? Joins.NEVER : joins(config));
        return voters.isEmpty() && quorum.alone() ? place.alone() : place;
    }

    private static Joins joins(BrokerConfig config) {
        int self = config.node().nodeId();
        if (!config.node().controller() || config.quorum().alone()) {
            return Joins.NEVER;
        } else if (config.quorum().autoJoin()) {
            return Joins.ALWAYS;
        }
        boolean named = config.quorum().voters().stream().anyMatch(each -> each.id() == self);
        return named ? Joins.IN_PLACE_OF_ITSELF : Joins.NEVER;
    }

    /** The same, as the one voter of a quorum that has no record of its voters yet; where it listens is written down when it leads. */
    QuorumPlace alone() {
        VoterSet voters = new VoterSet(List.of(new VoterSet.Voter(self, List.of())));
        return new QuorumPlace(self, listener, endpoints, voters, bootstrap, timeouts, wire, joins);
    }
}
