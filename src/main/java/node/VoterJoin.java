package node;

import common.Failure;
import common.Timers;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.Peer;
import raft.RaftError;
import raft.RaftNode;
import raft.RaftOutput;
import raft.RaftRequest;
import raft.RaftResponse;
import raft.VoterSet;

/**
 * Asks that a controller that follows as an observer becomes a voter: one that controller.quorum.auto.join.enable lets join (KIP-1186), or that is named in
 * controller.quorum.voters and was one with another disk. A voter that comes back with an empty disk is another one (rule R13), so its former self is removed first: it can neither vote nor
 * acknowledge any more. On the controller's owner.
 */
final class VoterJoin {
    private static final Logger LOG = LoggerFactory.getLogger(VoterJoin.class);

    private final Timers timers;
    private final MetadataReplica replica;
    private final QuorumPlace place;
    private Timers.Handle timer;
    private boolean asking;
    /** Its former self is removed or about to be. */
    private boolean replaces;

    private boolean told;
    private String lastRefusal = "";

    VoterJoin(Timers timers, MetadataReplica replica, QuorumPlace place) {
        this.timers = timers;
        this.replica = replica;
        this.place = place;
    }

    void start() {
        if (place.joins() != QuorumPlace.Joins.NEVER) {
            timer = timers.after(place.timeouts().fetch(), this::look);
        }
    }

    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void look() {
        start();
        RaftOutput.Standing standing = replica.standing();
        VoterSet voters = replica.raft().voters();
        boolean observes = standing.role() == RaftOutput.Role.FOLLOWER && !standing.voter();
        // With a high watermark it has fetched from its leader: it is of the same cluster, and on the way to catch up.
        if (observes && !asking && voters.size() > 0 && replica.highWatermark() >= 0) {
            VoterSet.Voter former = voters.voter(place.self().id());
            if (former == null && place.joins() == QuorumPlace.Joins.IN_PLACE_OF_ITSELF && !replaces) {
                staysOut();
            } else if (former == null) {
                VoterSet.Voter self = new VoterSet.Voter(place.self(), place.endpoints());
                ask(new RaftRequest.AddVoter(null, self, place.timeouts().request(), false), "added to");
            } else {
                LOG.warn(
                        "this node votes in the metadata quorum with a disk that it has no more ({}): that voter is to be removed, then"
                                + " this node with its present one is to be added",
                        former.key());
                replaces = true;
                ask(new RaftRequest.RemoveVoter(null, former.key()), "with its former disk removed from");
            }
        }
    }

    private void staysOut() {
        if (!told) {
            told = true;
            LOG.info(
                    "this controller was removed from the voters of the metadata quorum and only follows; kafka-metadata-quorum"
                            + " add-controller makes it a voter again, and controller.quorum.auto.join.enable=true lets it join by"
                            + " itself");
        }
    }

    private void ask(RaftRequest request, String what) {
        asking = true;
        RaftNode raft = replica.raft();
        Peer leader = new Peer(raft.leaderId(), raft.leaderEndpoints());
        place.wire().send(new RaftOutput.Send(leader, 0, request), (answer, failure) -> {
            asking = false;
            String refusal = refusal(answer, failure);
            if (refusal == null) {
                LOG.info("this node is {} the voters of the metadata quorum", what);
            } else if (!refusal.equals(lastRefusal)) {
                LOG.info("this node cannot be {} the voters yet ({}); it is tried again", what, refusal);
            }
            lastRefusal = refusal == null ? "" : refusal;
        });
    }

    /** Null: done. */
    private static String refusal(RaftResponse answer, Failure failure) {
        if (failure != null) {
            return failure.message();
        }
        RaftError error = answer.head().error();
        return List.of(RaftError.NONE, RaftError.DUPLICATE_VOTER).contains(error) ? null : error.name();
    }
}
