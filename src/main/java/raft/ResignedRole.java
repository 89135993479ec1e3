package raft;

import java.util.List;
import java.util.TreeSet;

/** Led the epoch and does so no longer: tells the voters (EndQuorumEpoch) until they know or an election timeout has passed. */
final class ResignedRole extends RoleState {
    private final List<ReplicaKey> successors;
    private final TreeSet<Integer> told = new TreeSet<>();
    private final long deadline;

    /** @param successors voters, the one that should stand first; null: it did not lead, and has nothing to tell */
    ResignedRole(Quorum quorum, Roles roles, long now, List<ReplicaKey> successors) {
        super(quorum, roles);
        this.successors = successors;
        this.deadline = now + roles.electionWait();
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.RESIGNED;
    }

    @Override
    void tick(long now) {
        if (deadline <= now) {
            // Its log may be the best: it may stand again, in a later epoch.
            roles.waitUntil(now);
            return;
        }
        for (VoterSet.Voter each : toTell()) {
            int id = each.key().id();
            if (!told.contains(id) && calls.ready(id, now)) {
                calls.send(
                        now,
                        each.peer(),
                        new RaftRequest.EndEpoch(
                                quorum.clusterId(),
                                quorum.epoch(),
                                quorum.self().id(),
                                successors));
            }
        }
    }

    private List<VoterSet.Voter> toTell() {
        return successors == null ? List.of() : quorum.otherVoters();
    }

    @Override
    void answered(long now, Calls.Call call, RaftResponse response) {
        told.add(call.peer().id());
    }

    @Override
    long wakeAt() {
        long first = Math.min(deadline, calls.deadline());
        for (VoterSet.Voter each : toTell()) {
            int id = each.key().id();
            if (!told.contains(id)) {
                first = Math.min(first, calls.readyAt(id));
            }
        }
        return first;
    }
}
