package raft;

import java.util.List;

/** Stands in a new epoch. Its own vote counts once it is durable (rule R1). */
final class CandidateRole extends Election {
    private final long ownVote;

    /** The vote for itself is the state last given to the outbox. */
    CandidateRole(Quorum quorum, Roles roles, long now) {
        super(quorum, roles, now);
        this.ownVote = quorum.out.version();
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.CANDIDATE;
    }

    @Override
    boolean preVote() {
        return false;
    }

    @Override
    boolean selfGrants() {
        return quorum.out.durable(ownVote);
    }

    @Override
    void won(long now, List<Integer> granting) {
        roles.lead(now, granting);
    }

    @Override
    void notWon(long now) {
        roles.electionLost(now);
    }
}
