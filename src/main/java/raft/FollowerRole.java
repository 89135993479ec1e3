package raft;

import common.Check;

/**
 * Follows the leader of its epoch: Fetch, append or truncate, fsync, Fetch again (rules R8, R9). Voter or observer; a voter stands when its leader is silent
 * for the fetch timeout or known to be gone.
 */
final class FollowerRole extends RoleState {
    private final int leader;
    private final SnapshotDownload download;
    private long fetchDeadline;
    private long standAt = Long.MAX_VALUE;
    private long updateAt;
    private long leaderHighWatermark = -1;

    FollowerRole(Quorum quorum, Roles roles, long now) {
        super(quorum, roles);
        this.leader = quorum.leaderId();
        this.download = new SnapshotDownload(quorum);
        this.fetchDeadline = now + quorum.timeouts().fetch();
        this.updateAt = now + quorum.timeouts().reminder();
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.FOLLOWER;
    }

    SnapshotDownload download() {
        return download;
    }

    @Override
    void tick(long now) {
        commit();
        if (Math.min(fetchDeadline, standAt) <= now && canGiveUp()) {
            giveUp(now);
        } else if (calls.ready(leader, now)) {
            ask(now);
        }
    }

    /** Not while work on the log is under way: one who stands says what is in it. */
    private boolean canGiveUp() {
        return quorum.mayStand() || !quorum.eligible();
    }

    private void giveUp(long now) {
        if (quorum.mayStand()) {
            roles.prospective(now);
        } else {
            // It finds the next leader by asking the others.
            roles.waitUntil(now + roles.electionWait());
        }
    }

    private void ask(long now) {
        Peer peer = new Peer(leader, quorum.leaderEndpoints());
        if (updateAt <= now && outdatedInVoters()) {
            updateAt = now + quorum.timeouts().reminder();
            VoterSet.Voter self = new VoterSet.Voter(quorum.self(), quorum.setup.endpoints());
            calls.send(now, peer, new RaftRequest.UpdateVoter(quorum.clusterId(), quorum.epoch(), self));
        } else if (download.active()) {
            if (download.wantsPiece()) {
                calls.send(now, peer, download.request());
            }
        } else if (quorum.mayFetch()) {
            calls.send(now, peer, quorum.fetch(quorum.timeouts().fetchWait()));
        }
    }

    /** The set of voters says something else of this voter than is true. */
    private boolean outdatedInVoters() {
        return VoterChanges.outdated(quorum);
    }

    @Override
    void answered(long now, Calls.Call call, RaftResponse response) {
        boolean good = response.head().error() == RaftError.NONE;
        if (call.request() instanceof RaftRequest.UpdateVoter) {
            return;
        }
        if (good) {
            quorum.fetched(now);
            fetchDeadline = now + quorum.timeouts().fetch();
            standAt = Long.MAX_VALUE;
        }
        if (good
                && response instanceof RaftResponse.Fetch answer
                && call.request() instanceof RaftRequest.Fetch asked) {
            if (asked.end().equals(quorum.end()) && !quorum.busy()) {
                fetched(answer);
            }
        } else if (!good || !(response instanceof RaftResponse.FetchSnapshot piece) || !download.received(piece)) {
            download.abandon();
            calls.pause(leader, now + quorum.timeouts().retryBackoff());
        }
    }

    private void fetched(RaftResponse.Fetch answer) {
        if (answer.snapshot() != null) {
            Check.invariant(
                    answer.snapshot().offset() >= quorum.highWatermark(),
                    "the leader's snapshot ends below what is committed (R12)",
                    answer.snapshot().offset(),
                    quorum.highWatermark());
            download.begin(answer.snapshot());
        } else if (answer.diverging() != null) {
            truncate(answer.diverging());
        } else {
            leaderHighWatermark = Math.max(leaderHighWatermark, answer.highWatermark());
            if (answer.records().hasRemaining()) {
                quorum.work(new RaftOutput.AppendFetched(answer.records()));
            }
        }
    }

    /** Rule R9: to the end of the largest epoch that both logs have, as far as both have it. */
    private void truncate(OffsetAndEpoch diverging) {
        OffsetAndEpoch own = quorum.endOfEpoch(diverging.epoch());
        long to = own.epoch() == diverging.epoch() ? Math.min(own.offset(), diverging.offset()) : own.offset();
        Check.invariant(
                to >= quorum.highWatermark(),
                "the leader asks to cut committed records (R9)",
                to,
                quorum.highWatermark());
        Check.invariant(
                to < quorum.end().offset(),
                "the leader's log has nothing in common with this one (R9)",
                to,
                quorum.end().offset());
        quorum.work(new RaftOutput.Truncate(to));
    }

    /** What is in the log is the leader's, so the leader's high watermark holds for it. */
    private void commit() {
        if (quorum.busy()) {
            return;
        }
        long end = quorum.end().offset();
        quorum.advance(Math.min(leaderHighWatermark, end));
        if (!quorum.mayVote() && refetched(end)) {
            quorum.persist(quorum.vote().refetching(false));
        }
    }

    /** Rule R15. The high watermark of a new leader tells of all that is committed once it has passed a record of the leader's epoch. */
    private boolean refetched(long end) {
        boolean established =
                leaderHighWatermark > quorum.endOfEpoch(quorum.epoch() - 1).offset();
        return established && end >= leaderHighWatermark && quorum.durable() >= end;
    }

    @Override
    void leaderGone(long now) {
        long at = now + quorum.random(quorum.timeouts().jitter());
        standAt = Math.min(standAt, at);
    }

    /** The leader resigned and named this replica's turn. */
    void standAt(long instant) {
        standAt = instant;
    }

    /** The leader spoke, so it lives: a fetch that waited for its turn need not. */
    void reminded(long now) {
        standAt = Long.MAX_VALUE;
        calls.pause(leader, now);
    }

    @Override
    long wakeAt() {
        long giveUp = Math.min(fetchDeadline, standAt);
        long first = Math.min(canGiveUp() ? giveUp : Long.MAX_VALUE, calls.deadline());
        boolean canAsk = download.active() ? download.wantsPiece() : quorum.mayFetch();
        if (canAsk) {
            first = Math.min(first, calls.readyAt(leader));
        }
        return outdatedInVoters() ? Math.min(first, Math.max(updateAt, calls.readyAt(leader))) : first;
    }
}
