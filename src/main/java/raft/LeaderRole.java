package raft;

import common.Check;
import java.nio.ByteBuffer;
import java.util.List;

/** Leads its epoch: answers Fetches, moves the high watermark (rules R6, R7), watches that a majority hears it (rule R5). */
final class LeaderRole extends RoleState {
    private final Replicas replicas;
    private final ParkedFetches fetches;
    private final VoterChanges changes;
    private long epochStart = -1;

    /** @param granting node ids of those that voted for it */
    LeaderRole(Quorum quorum, Roles roles, long now, List<Integer> granting) {
        super(quorum, roles);
        Check.invariant(!quorum.busy() && quorum.end().epoch() < quorum.epoch(), "leads with an unsettled log");
        this.replicas = new Replicas(quorum, now);
        this.fetches = new ParkedFetches(quorum);
        this.changes = new VoterChanges(quorum, replicas);
        quorum.out.task(new RaftOutput.AppendLeaderChange(
                quorum.epoch(), quorum.self().id(), quorum.voters.latest(), granting));
    }

    @Override
    RaftOutput.Role role() {
        return RaftOutput.Role.LEADER;
    }

    Replicas replicas() {
        return replicas;
    }

    ParkedFetches fetches() {
        return fetches;
    }

    VoterChanges changes() {
        return changes;
    }

    List<ReplicaKey> successors() {
        return replicas.successors();
    }

    /** The first record of its epoch is its LeaderChange. */
    void appended(long endBefore, List<VotersAt> found) {
        if (epochStart < 0) {
            epochStart = endBefore;
        }
        changes.appended(found);
    }

    /** Whether it can go on: it has its LeaderChange record. */
    boolean appendFailed() {
        changes.appendFailed();
        return epochStart >= 0;
    }

    @Override
    void tick(long now) {
        if (quorumLostAt() <= now) {
            roles.resign(now);
            return;
        }
        commit();
        changes.tick(now);
        fetches.tick(now);
        if (changes.removed()) {
            roles.resign(now);
            return;
        }
        remind(now);
    }

    private long quorumLostAt() {
        long heard = replicas.majorityHeardAt();
        return heard == Long.MAX_VALUE ? heard : heard + quorum.timeouts().checkQuorum();
    }

    private void commit() {
        long held = replicas.heldByMajority();
        boolean own = epochStart >= 0 && held > epochStart;
        if (own || quorum.mutated("raft-commit-old-epoch")) {
            quorum.advance(held);
        }
    }

    /** Voters that do not fetch may not know who leads. */
    private void remind(long now) {
        for (VoterSet.Voter each : quorum.otherVoters()) {
            if (remindAt(each) <= now && calls.ready(each.key().id(), now)) {
                calls.send(
                        now,
                        each.peer(),
                        new RaftRequest.BeginEpoch(
                                quorum.clusterId(),
                                quorum.epoch(),
                                quorum.self().id(),
                                quorum.setup.endpoints(),
                                each.key()));
            }
        }
    }

    private long remindAt(VoterSet.Voter voter) {
        return replicas.neverHeard(voter.key())
                ? Long.MIN_VALUE
                : replicas.heardAt(voter.key()) + quorum.timeouts().reminder();
    }

    @Override
    void answered(long now, Calls.Call call, RaftResponse response) {
        calls.pause(call.peer().id(), now + quorum.timeouts().reminder());
    }

    @Override
    void lost(long now, Calls.Call call) {
        calls.pause(call.peer().id(), now + quorum.timeouts().reminder());
    }

    /** Rule R9. */
    void fetch(long now, long token, RaftRequest.Fetch fetch) {
        replicas.heard(now, fetch.replica());
        OffsetAndEpoch from = fetch.end();
        OffsetAndEpoch start = quorum.log.start();
        boolean beforeStart = from.offset() < start.offset()
                || from.epoch() < start.epoch()
                || (from.offset() == start.offset() && from.epoch() != start.epoch());
        if (start.offset() > 0 && beforeStart) {
            answer(token, null, quorum.log.snapshot());
            return;
        }
        OffsetAndEpoch known = quorum.endOfEpoch(from.epoch());
        boolean agrees = known.epoch() == from.epoch() && known.offset() >= from.offset();
        boolean blind = quorum.mutated("raft-no-truncation")
                && from.offset() <= quorum.end().offset();
        if (agrees || blind) {
            replicas.fetched(now, fetch.replica(), from.offset());
            commit();
            fetches.answer(now, token, fetch);
        } else {
            answer(token, known, null);
        }
    }

    private void answer(long token, OffsetAndEpoch diverging, OffsetAndEpoch snapshot) {
        quorum.out.reply(
                token,
                new RaftResponse.Fetch(
                        quorum.head(RaftError.NONE),
                        quorum.highWatermark(),
                        diverging,
                        snapshot,
                        ByteBuffer.allocate(0)));
    }

    void fetchSnapshot(long now, long token, RaftRequest.FetchSnapshot fetch) {
        replicas.heard(now, fetch.replica());
        fetches.snapshot(token, fetch);
    }

    @Override
    void left() {
        fetches.close();
        changes.close();
    }

    @Override
    long wakeAt() {
        long first = Math.min(quorumLostAt(), Math.min(fetches.wakeAt(), changes.wakeAt()));
        first = Math.min(first, calls.deadline());
        for (VoterSet.Voter each : quorum.otherVoters()) {
            first = Math.min(
                    first, Math.max(remindAt(each), calls.readyAt(each.key().id())));
        }
        return first;
    }
}
