package raft;

import common.Check;
import java.util.List;

/**
 * A leader's changes of the set of voters, one at a time (rule R13): none while a voters record is uncommitted or before a record of its own epoch is
 * committed; a new voter only once it has caught up.
 */
final class VoterChanges {
    private final Quorum quorum;
    private final Replicas replicas;
    private boolean appending;
    private Pending pending;

    /**
     * The request that waits.
     *
     * @param adds waits for this voter to catch up; null: for the commit of the record
     * @param offset of its record; -1: not appended yet
     * @param atCommit false: answered when appended
     */
    private record Pending(long token, VoterSet.Voter adds, long offset, boolean atCommit, long deadline) {}

    VoterChanges(Quorum quorum, Replicas replicas) {
        this.quorum = quorum;
        this.replicas = replicas;
    }

    /** Whether the set of voters says something of this voter that is not, or no longer, true. */
    static boolean outdated(Quorum quorum) {
        VoterSet.Voter said = quorum.voters.latest().voter(quorum.self().id());
        return said != null
                && said.key().means(quorum.self())
                && !said.equals(new VoterSet.Voter(quorum.self(), quorum.setup.endpoints()));
    }

    void add(long now, long token, RaftRequest.AddVoter request) {
        RaftError refused = refusal();
        if (refused == RaftError.NONE
                && quorum.voters.latest().voter(request.voter().key().id()) != null) {
            refused = RaftError.DUPLICATE_VOTER;
        }
        boolean named = request.voter().key().id() >= 0 && request.voter().key().hasDirectory();
        if (refused == RaftError.NONE && !named) {
            refused = RaftError.INVALID_REQUEST;
        }
        if (refused == RaftError.NONE) {
            long deadline = now + Math.max(0, request.timeoutMillis());
            pending = new Pending(token, request.voter(), -1, request.ackWhenCommitted(), deadline);
        } else {
            answer(token, refused);
        }
    }

    void remove(long now, long token, RaftRequest.RemoveVoter request) {
        RaftError refused = refusal();
        VoterSet voters = quorum.voters.latest();
        VoterSet.Voter voter = voters.voter(request.voter().id());
        if (refused == RaftError.NONE && (voter == null || !voter.key().equals(request.voter()))) {
            refused = RaftError.VOTER_NOT_FOUND;
        }
        if (refused == RaftError.NONE && voters.size() == 1) {
            refused = RaftError.INVALID_REQUEST;
        }
        if (refused == RaftError.NONE) {
            pending = new Pending(token, null, -1, true, now + quorum.timeouts().request());
            append(voters.without(request.voter().id()));
        } else {
            answer(token, refused);
        }
    }

    /** Answered when it is appended: the voter that asks fetches again only then, and its Fetch may be what commits it. */
    void update(long now, long token, RaftRequest.UpdateVoter request) {
        RaftError refused = refusal();
        VoterSet voters = quorum.voters.latest();
        VoterSet.Voter voter = voters.voter(request.voter().key().id());
        if (refused == RaftError.NONE
                && (voter == null || !voter.key().means(request.voter().key()))) {
            refused = RaftError.VOTER_NOT_FOUND;
        }
        if (refused == RaftError.NONE && !request.voter().key().hasDirectory()) {
            refused = RaftError.INVALID_REQUEST;
        }
        if (refused != RaftError.NONE || request.voter().equals(voter)) {
            answer(token, refused);
        } else {
            pending =
                    new Pending(token, null, -1, false, now + quorum.timeouts().request());
            append(voters.with(request.voter()));
        }
    }

    /** Why no change can begin now; Kafka's code for all of it is the one of a change that may be tried again. */
    private RaftError refusal() {
        boolean busy = appending || pending != null || !committed();
        if (quorum.mutated("raft-two-voter-changes")) {
            busy = false;
        }
        return busy ? RaftError.REQUEST_TIMED_OUT : RaftError.NONE;
    }

    /** All voters records are, and one of the leader's own epoch (the single-server bug of 2015). */
    private boolean committed() {
        long before = quorum.endOfEpoch(quorum.epoch() - 1).offset();
        return quorum.end().epoch() == quorum.epoch()
                && quorum.highWatermark() > before
                && quorum.highWatermark() > quorum.voters.latestOffset();
    }

    private void append(VoterSet voters) {
        appending = true;
        quorum.out.task(new RaftOutput.AppendVoters(quorum.epoch(), voters));
    }

    /** The leader's log has grown, with these voters records in it. */
    void appended(List<VotersAt> found) {
        if (found.isEmpty()) {
            return;
        }
        Check.invariant(appending || quorum.mutated("raft-two-voter-changes"), "a voters record nobody asked for");
        appending = false;
        replicas.votersChanged();
        if (pending != null && pending.offset < 0 && pending.adds == null) {
            long offset = found.get(found.size() - 1).offset();
            pending = new Pending(pending.token, null, offset, pending.atCommit, pending.deadline);
            if (!pending.atCommit) {
                finish(RaftError.NONE);
            }
        }
    }

    void appendFailed() {
        appending = false;
        if (pending != null && pending.adds == null) {
            finish(RaftError.UNKNOWN_SERVER_ERROR);
        }
    }

    void tick(long now) {
        if (pending == null) {
            if (!appending && committed() && outdated(quorum)) {
                append(quorum.voters.latest().with(new VoterSet.Voter(quorum.self(), quorum.setup.endpoints())));
            }
        } else if (pending.offset >= 0 && quorum.highWatermark() > pending.offset) {
            finish(RaftError.NONE);
        } else if (pending.deadline <= now) {
            finish(RaftError.REQUEST_TIMED_OUT);
        } else if (pending.adds != null && caughtUp(now)) {
            VoterSet.Voter added = pending.adds;
            pending = new Pending(pending.token, null, -1, pending.atCommit, pending.deadline);
            append(quorum.voters.latest().with(added));
        }
    }

    private boolean caughtUp(long now) {
        return replicas.caughtUpWithin(
                now, pending.adds.key(), quorum.timeouts().fetch());
    }

    /** Rule R13: the record that took this leader out of the voters is committed. */
    boolean removed() {
        return !quorum.isVoter() && quorum.highWatermark() > quorum.voters.latestOffset();
    }

    long wakeAt() {
        return pending == null ? Long.MAX_VALUE : pending.deadline;
    }

    private void finish(RaftError error) {
        long token = pending.token;
        pending = null;
        answer(token, error);
    }

    private void answer(long token, RaftError error) {
        quorum.out.reply(token, new RaftResponse.Plain(quorum.head(error)));
    }

    void close() {
        if (pending != null) {
            finish(RaftError.NOT_LEADER_OR_FOLLOWER);
        }
    }
}
