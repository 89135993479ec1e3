package raft;

import common.Check;
import java.util.ArrayList;
import java.util.List;

/** What a replica knows whatever its role is: its vote, its log's ends, who votes, what is committed. Confined to the machine's owner. */
final class Quorum {
    private static final long NEVER = Long.MIN_VALUE / 2;

    final RaftNode.Setup setup;
    final RaftLog log;
    final VoterHistory voters;
    final Outbox out;
    private String clusterId;
    private VoteState vote;
    private OffsetAndEpoch end;
    private long durable;
    private long highWatermark = -1;
    private boolean working;
    private List<Endpoint> leaderEndpoints = List.of();
    private long goneUntil = NEVER;
    private long lastFetch = NEVER;
    private int lostElections;

    Quorum(RaftNode.Setup setup, VoteState vote, RaftLog log) {
        this.setup = setup;
        this.log = log;
        this.vote = vote;
        this.clusterId = setup.clusterId();
        this.voters = new VoterHistory(setup.voters());
        this.out = new Outbox(!mutated("raft-vote-not-persisted"));
        this.end = log.end();
        this.durable = log.durableEnd();
        if (log.snapshot() != null) {
            // Rot may have taken what a snapshot stands for (R15): what is not there is fetched first.
            highWatermark = Math.min(log.snapshot().offset(), end.offset());
        }
    }

    boolean mutated(String bug) {
        return setup.mutations().active(bug);
    }

    // Vote and leader.

    int epoch() {
        return vote.epoch();
    }

    /** -1 when unknown. */
    int leaderId() {
        return vote.leaderId();
    }

    VoteState vote() {
        return vote;
    }

    void persist(VoteState state) {
        Check.invariant(state.epoch() >= vote.epoch(), "the epoch fell", state.epoch(), vote.epoch());
        if (state.epoch() > vote.epoch()) {
            goneUntil = NEVER;
            lastFetch = NEVER;
            leaderEndpoints = List.of();
        }
        vote = state;
        out.persist(state);
    }

    /** The same vote given again is on its way to the disk, or there. */
    void voteFor(ReplicaKey candidate) {
        VoteState voted = vote.votedFor(candidate);
        if (!voted.equals(vote)) {
            persist(voted);
        }
    }

    /** Rule R15: a voter that lacks what it once promised to have neither votes nor stands. */
    boolean mayVote() {
        return !vote.refetching();
    }

    void leaderListensAt(List<Endpoint> endpoints) {
        if (!endpoints.isEmpty()) {
            leaderEndpoints = List.copyOf(endpoints);
        }
    }

    List<Endpoint> leaderEndpoints() {
        VoterSet.Voter leader = voters.latest().voter(leaderId());
        return leader == null || leader.endpoints().isEmpty() ? leaderEndpoints : leader.endpoints();
    }

    /** A Fetch from the leader of this epoch was answered well: it lives. */
    void fetched(long now) {
        lastFetch = now;
        goneUntil = NEVER;
        lostElections = 0;
    }

    /** The leader of this epoch resigned, or its process is gone: for so long as a silent one would be waited for, nobody is believed who says that it leads. */
    void leaderIsGone(long now) {
        goneUntil = now + timeouts().fetch();
    }

    /** The leader of this epoch said something. */
    void leaderIsThere() {
        goneUntil = NEVER;
    }

    boolean leaderGone(long now) {
        return now < goneUntil;
    }

    /** Rule R4: whether this replica follows a leader that it knows to be alive. */
    boolean hearsLeader(long now) {
        return leaderId() >= 0
                && !leaderGone(now)
                && now - lastFetch < timeouts().fetch();
    }

    /** This replica leads its epoch, or does so no longer. Not written down: after a restart it leads nothing, and has voted for itself. */
    void leads(boolean leads) {
        vote = vote.led(leads ? self().id() : -1);
    }

    int lostElections() {
        return lostElections;
    }

    void electionLost() {
        lostElections++;
    }

    void electionsOver() {
        lostElections = 0;
    }

    // Cluster and voters.

    String clusterId() {
        return clusterId;
    }

    void clusterId(String known) {
        clusterId = known;
    }

    RaftTimeouts timeouts() {
        return setup.timeouts();
    }

    /** In [1, bound] milliseconds. */
    long random(int bound) {
        return 1L + setup.random().below(Math.max(1, bound));
    }

    ReplicaKey self() {
        return setup.self();
    }

    boolean isVoter() {
        return voters.latest().contains(self());
    }

    /**
     * Whether this replica takes part in elections as one who may win. One that the latest set leaves out does while the record that says so may be lost: it may
     * be the only one with a log that can win (Raft dissertation, 4.2.2); its own vote does not count.
     */
    boolean eligible() {
        boolean removalOpen =
                voters.latestOffset() >= highWatermark && voters.previous().contains(self());
        return mayVote() && (isVoter() || removalOpen);
    }

    /** Whether it may stand now: its log is settled. */
    boolean mayStand() {
        return eligible() && !busy();
    }

    /** All voters but this replica. */
    List<VoterSet.Voter> otherVoters() {
        List<VoterSet.Voter> others = new ArrayList<>();
        for (VoterSet.Voter each : voters.latest().voters()) {
            if (each.key().id() != self().id()) {
                others.add(each);
            }
        }
        return others;
    }

    /** Head of an answer. */
    RaftResponse.Head head(RaftError error) {
        return new RaftResponse.Head(error, epoch(), leaderId(), leaderId() < 0 ? List.of() : answeredEndpoints());
    }

    private List<Endpoint> answeredEndpoints() {
        return leaderId() == self().id() ? setup.endpoints() : leaderEndpoints();
    }

    // Log.

    OffsetAndEpoch end() {
        return end;
    }

    /** What R3 compares: the epoch of the last record, never the current one. */
    OffsetAndEpoch claim() {
        return mutated("raft-vote-by-current-epoch") ? new OffsetAndEpoch(end.offset(), epoch()) : end;
    }

    void appended(OffsetAndEpoch newEnd, List<VotersAt> found) {
        Check.invariant(newEnd.offset() >= end.offset(), "an append shortened the log", newEnd.offset(), end.offset());
        Check.invariant(newEnd.epoch() >= end.epoch(), "epochs in the log fell", newEnd.epoch(), end.epoch());
        Check.invariant(newEnd.epoch() <= epoch(), "a record of an epoch not persisted", newEnd.epoch(), epoch());
        end = newEnd;
        found.forEach(voters::add);
        voters.forgetBefore(log.start().offset());
        working = false;
    }

    void appendFailed() {
        working = false;
    }

    void truncated(OffsetAndEpoch newEnd) {
        Check.invariant(newEnd.offset() >= highWatermark, "cut below the high watermark (R9)");
        end = newEnd;
        durable = Math.min(durable, end.offset());
        voters.truncate(end.offset());
        working = false;
    }

    void installed(OffsetAndEpoch snapshot, VotersAt found) {
        end = snapshot;
        durable = snapshot.offset();
        voters.restart(found);
        working = false;
        advance(snapshot.offset());
    }

    void durable(long upTo) {
        Check.invariant(upTo <= end.offset(), "durable beyond the log's end", upTo, end.offset());
        durable = Math.max(durable, upTo);
    }

    /** Up to where this replica may count itself (rule R7). */
    long durable() {
        return mutated("raft-leader-counts-undurable") ? end.offset() : durable;
    }

    /** Rule R8: it fetches from where all before is fsynced. Observers too: one may have become a voter by a record that it has not fetched yet. */
    boolean mayFetch() {
        boolean promised = durable >= end.offset() || mutated("raft-fetch-before-fsync");
        return !busy() && promised;
    }

    /** Something is being done to the log. */
    boolean busy() {
        return working || log.writing();
    }

    void work(RaftOutput.LogTask task) {
        Check.invariant(!busy(), "two pieces of work on the log at once");
        working = true;
        out.task(task);
    }

    long highWatermark() {
        return highWatermark;
    }

    /** Rule R7: it never goes back. */
    void advance(long to) {
        highWatermark = Math.max(highWatermark, to);
    }

    /** Largest epoch <= the given one within what this machine was told of the log. */
    OffsetAndEpoch endOfEpoch(int epoch) {
        OffsetAndEpoch found = log.endOfEpoch(Math.min(epoch, end.epoch()));
        return found.offset() > end.offset() ? new OffsetAndEpoch(end.offset(), found.epoch()) : found;
    }

    RaftRequest.Fetch fetch(int maxWaitMillis) {
        return new RaftRequest.Fetch(clusterId, self(), epoch(), end, highWatermark, maxWaitMillis);
    }
}
