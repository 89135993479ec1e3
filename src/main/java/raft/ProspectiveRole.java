package raft;

import java.util.List;

/** Asks, in its present epoch, whether it would be voted for (rule R4, KIP-996). Changes nothing that persists, here or at those it asks. */
final class ProspectiveRole extends Election {

    ProspectiveRole(Quorum quorum, Roles roles, long now) {
        super(quorum, roles, now);
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.PROSPECTIVE;
    }

    @Override
    boolean preVote() {
        return true;
    }

    @Override
    boolean selfGrants() {
        return true;
    }

    @Override
    void won(long now, List<Integer> granting) {
        roles.candidate(now);
    }

    @Override
    void notWon(long now) {
        int leader = quorum.leaderId();
        if (leader >= 0 && leader != quorum.self().id() && !quorum.leaderGone(now)) {
            roles.followAgain(now);
        } else {
            roles.electionLost(now);
        }
    }
}
