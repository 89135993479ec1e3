package node;

import common.Callback;
import common.FailureCode;
import java.util.List;
import raft.Endpoint;
import raft.RaftOutput;
import raft.RaftResponse;
import raft.RaftTimeouts;
import raft.ReplicaKey;
import raft.VoterSet;

/**
 * This node's place in the metadata quorum.
 *
 * @param endpoints where its controller listens; empty: nowhere
 * @param voters in force before any voters record in the log
 * @param bootstrap where others may be found
 * @param wire to the others
 */
record QuorumPlace(
        ReplicaKey self,
        List<Endpoint> endpoints,
        VoterSet voters,
        List<Endpoint> bootstrap,
        RaftTimeouts timeouts,
        MetadataReplica.Wire wire) {

    /** A quorum of one: it waits for nobody, so no timeout matters. */
    static QuorumPlace alone(ReplicaKey self, List<Endpoint> endpoints) {
        VoterSet voters = new VoterSet(List.of(new VoterSet.Voter(self, endpoints)));
        RaftTimeouts timeouts = new RaftTimeouts(1_000, 1_000, 1_000, 2_000, 20);
        return new QuorumPlace(self, endpoints, voters, List.of(), timeouts, new Nowhere());
    }

    private static final class Nowhere implements MetadataReplica.Wire {
        @Override
        public void send(RaftOutput.Send send, Callback<RaftResponse> done) {
            done.fail(FailureCode.PEER_UNREACHABLE, "this node knows no other controller");
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
