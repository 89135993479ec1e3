package raft;

import java.util.List;

/** What is answered to whom: fencing (rule R14), the vote rule (R3), pre-votes (R4), then the role's own answer. */
final class QuorumRequests {
    private final Quorum quorum;
    private final Roles roles;

    QuorumRequests(Quorum quorum, Roles roles) {
        this.quorum = quorum;
        this.roles = roles;
    }

    void handle(long now, long token, RaftRequest request) {
        String cluster = quorum.clusterId();
        if (request.clusterId() != null
                && cluster != null
                && !request.clusterId().equals(cluster)) {
            refuse(token, RaftError.INCONSISTENT_CLUSTER_ID);
        } else if (request instanceof RaftRequest.Vote vote) {
            vote(now, token, vote);
        } else if (request instanceof RaftRequest.BeginEpoch begin) {
            begin(now, token, begin);
        } else if (request instanceof RaftRequest.EndEpoch end) {
            end(now, token, end);
        } else if (request instanceof RaftRequest.Fetch fetch) {
            fetch(now, token, fetch);
        } else if (request instanceof RaftRequest.FetchSnapshot piece) {
            fetchSnapshot(now, token, piece);
        } else {
            change(now, token, request);
        }
    }

    private void refuse(long token, RaftError error) {
        quorum.out.reply(token, new RaftResponse.Plain(quorum.head(error)));
    }

    /** Who leads or stands is named, and is not this replica: else a message without sense could end a leadership. */
    private boolean isNobodyElse(int nodeId) {
        return nodeId < 0 || nodeId == quorum.self().id();
    }

    private boolean isSelf(ReplicaKey asked) {
        return asked == null || asked.means(quorum.self());
    }

    private void vote(long now, long token, RaftRequest.Vote vote) {
        if (isNobodyElse(vote.candidate().id()) || vote.epoch() < 0) {
            refuse(token, RaftError.INVALID_REQUEST);
            return;
        }
        if (!isSelf(vote.voter())) {
            refuse(token, RaftError.INVALID_VOTER_KEY);
            return;
        }
        if (vote.epoch() < quorum.epoch()) {
            quorum.out.reply(token, new RaftResponse.Vote(quorum.head(RaftError.FENCED_LEADER_EPOCH), false));
            return;
        }
        boolean granted = vote.preVote() ? grantsPreVote(now, vote) : grants(now, vote);
        quorum.out.reply(token, new RaftResponse.Vote(quorum.head(RaftError.NONE), granted));
    }

    /** Rule R4. A pre-vote changes nothing here, whatever its epoch is. */
    private boolean grantsPreVote(long now, RaftRequest.Vote vote) {
        return roles.leader() == null
                && !quorum.hearsLeader(now)
                && quorum.mayVote()
                && vote.end().notBehind(quorum.claim());
    }

    /** Rule R3. */
    private boolean grants(long now, RaftRequest.Vote vote) {
        if (vote.epoch() > quorum.epoch()) {
            roles.newEpoch(now, vote.epoch());
        }
        boolean grant = quorum.leaderId() < 0
                && quorum.mayVote()
                && quorum.vote().freeFor(vote.candidate())
                && vote.end().notBehind(quorum.claim());
        if (grant) {
            quorum.voteFor(vote.candidate());
            roles.waitUntil(now + roles.electionWait());
        }
        return grant;
    }

    private void begin(long now, long token, RaftRequest.BeginEpoch begin) {
        if (isNobodyElse(begin.leaderId())) {
            refuse(token, RaftError.INVALID_REQUEST);
        } else if (!isSelf(begin.voter())) {
            refuse(token, RaftError.INVALID_VOTER_KEY);
        } else if (begin.epoch() < quorum.epoch()) {
            refuse(token, RaftError.FENCED_LEADER_EPOCH);
        } else {
            quorum.leaderIsThere();
            roles.learn(now, begin.epoch(), begin.leaderId(), begin.endpoints());
            if (!(roles.current() instanceof FollowerRole)) {
                roles.followAgain(now);
            }
            ((FollowerRole) roles.current()).reminded(now);
            refuse(token, RaftError.NONE);
        }
    }

    private void end(long now, long token, RaftRequest.EndEpoch end) {
        if (isNobodyElse(end.leaderId())) {
            refuse(token, RaftError.INVALID_REQUEST);
        } else if (end.epoch() < quorum.epoch()) {
            refuse(token, RaftError.FENCED_LEADER_EPOCH);
        } else {
            roles.learn(now, end.epoch(), end.leaderId(), List.of());
            quorum.leaderIsGone(now);
            int turn = turn(end);
            if (roles.current() instanceof FollowerRole follower) {
                // The first stands at once, each other one only when those before it have had their chance.
                long wait =
                        turn == 0 ? 0 : quorum.random(turn * quorum.timeouts().jitter());
                follower.standAt(now + wait);
            }
            refuse(token, RaftError.NONE);
        }
    }

    private int turn(RaftRequest.EndEpoch end) {
        for (int i = 0; i < end.successors().size(); i++) {
            if (end.successors().get(i).means(quorum.self())) {
                return i;
            }
        }
        return end.successors().size() + 1;
    }

    /** The leader of the request's epoch if it is this replica, else null and the request is answered. */
    private LeaderRole leader(long now, long token, int epoch, ReplicaKey sender) {
        if (sender.id() == quorum.self().id() || epoch < 0) {
            refuse(token, RaftError.INVALID_REQUEST);
            return null;
        }
        if (epoch > quorum.epoch()) {
            roles.newEpoch(now, epoch);
        }
        LeaderRole leader = roles.leader();
        if (epoch < quorum.epoch()) {
            refuse(token, RaftError.FENCED_LEADER_EPOCH);
            return null;
        }
        if (leader == null) {
            refuse(token, RaftError.NOT_LEADER_OR_FOLLOWER);
        }
        return leader;
    }

    private void fetch(long now, long token, RaftRequest.Fetch fetch) {
        LeaderRole leader = leader(now, token, fetch.epoch(), fetch.replica());
        if (leader == null) {
            return;
        }
        if (fetch.end().offset() < 0 || fetch.end().epoch() < 0 || fetch.end().epoch() > fetch.epoch()) {
            refuse(token, RaftError.INVALID_REQUEST);
        } else {
            leader.fetch(now, token, fetch);
        }
    }

    private void fetchSnapshot(long now, long token, RaftRequest.FetchSnapshot fetch) {
        LeaderRole leader = leader(now, token, fetch.epoch(), fetch.replica());
        if (leader == null) {
            return;
        }
        if (fetch.position() < 0) {
            refuse(token, RaftError.POSITION_OUT_OF_RANGE);
        } else {
            leader.fetchSnapshot(now, token, fetch);
        }
    }

    private void change(long now, long token, RaftRequest request) {
        if (request instanceof RaftRequest.UpdateVoter update) {
            LeaderRole leader =
                    leader(now, token, update.epoch(), update.voter().key());
            if (leader != null) {
                leader.changes().update(now, token, update);
            }
            return;
        }
        LeaderRole leader = roles.leader();
        if (leader == null) {
            refuse(token, RaftError.NOT_LEADER_OR_FOLLOWER);
        } else if (request instanceof RaftRequest.AddVoter add) {
            leader.changes().add(now, token, add);
        } else {
            leader.changes().remove(now, token, (RaftRequest.RemoveVoter) request);
        }
    }
}
