package raft;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Asks all voters for their votes, or pre-votes, and counts them: those of distinct voters of the latest set only (rule R3). */
abstract class Election extends RoleState {
    private final TreeSet<Integer> granted = new TreeSet<>();
    private final TreeSet<Integer> refused = new TreeSet<>();
    private final TreeSet<Integer> silent = new TreeSet<>();
    private final long deadline;

    Election(Quorum quorum, Roles roles, long now) {
        super(quorum, roles);
        // One who votes alone waits for its own disk only, however slow that is.
        boolean alone = quorum.otherVoters().isEmpty();
        this.deadline = alone ? Long.MAX_VALUE : now + roles.electionWait();
    }

    abstract boolean preVote();

    /** Whether this replica's own vote counts already. */
    abstract boolean selfGrants();

    abstract void won(long now, List<Integer> granting);

    /** No majority can come any more of those that can be reached, or none came in time. */
    abstract void notWon(long now);

    @Override
    void tick(long now) {
        if (quorum.isVoter() && selfGrants()) {
            granted.add(quorum.self().id());
        }
        VoterSet voters = quorum.voters.latest();
        if (granted.size() >= voters.majority()) {
            won(now, new ArrayList<>(granted));
        } else if (deadline <= now || hopeless(voters)) {
            notWon(now);
        } else {
            ask(now);
        }
    }

    private boolean hopeless(VoterSet voters) {
        boolean ownToCome = quorum.isVoter() && !granted.contains(quorum.self().id());
        int possible = granted.size() + (ownToCome ? 1 : 0);
        for (VoterSet.Voter each : quorum.otherVoters()) {
            int id = each.key().id();
            possible += granted.contains(id) || refused.contains(id) || silent.contains(id) ? 0 : 1;
        }
        return possible < voters.majority();
    }

    private void ask(long now) {
        for (VoterSet.Voter each : quorum.otherVoters()) {
            int id = each.key().id();
            if (!granted.contains(id) && calls.ready(id, now)) {
                calls.send(
                        now,
                        each.peer(),
                        new RaftRequest.Vote(
                                quorum.clusterId(),
                                quorum.self(),
                                quorum.epoch(),
                                quorum.claim(),
                                preVote(),
                                each.key()));
            }
        }
    }

    @Override
    void answered(long now, Calls.Call call, RaftResponse response) {
        int id = call.peer().id();
        silent.remove(id);
        if (response instanceof RaftResponse.Vote vote && vote.granted()) {
            granted.add(id);
            refused.remove(id);
        } else {
            refused.add(id);
            // A refusal of a vote is final in its epoch; one of a pre-vote passes with the leader that is still heard.
            calls.pause(id, preVote() ? now + quorum.timeouts().jitter() : Long.MAX_VALUE);
        }
    }

    @Override
    void lost(long now, Calls.Call call) {
        super.lost(now, call);
        silent.add(call.peer().id());
    }

    @Override
    long wakeAt() {
        long first = Math.min(deadline, calls.deadline());
        for (VoterSet.Voter each : quorum.otherVoters()) {
            int id = each.key().id();
            if (!granted.contains(id)) {
                first = Math.min(first, calls.readyAt(id));
            }
        }
        return first;
    }
}
