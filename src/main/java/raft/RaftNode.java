package raft;

import common.Check;
import common.Mutations;
import common.RandomSource;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One replica of the metadata quorum, voter or observer: pull-based Raft as in KIP-595 with pre-votes (KIP-996), snapshots (KIP-630) and changes of voters
 * (KIP-853), under rules R1 to R16. Confined to the controller's owner.
 *
 * <p>Inputs are method calls, each with the monotonic time in milliseconds; each answers what the host has to do now. The host calls {@link #tick} at {@link
 * RaftOutput#wakeAt}. What is due by the clock is done before the input: a leader that was paused for too long resigns before it answers anything (rule R5).
 *
 * <p>A leader's host appends records of its own to the log, in {@link #epoch}, once the LeaderChange record is in it, and tells {@link #appended} whenever the
 * end of the log moves, in the same step; then {@link #durable}. What is in the log counts as there only when told.
 */
public final class RaftNode {
    private final Quorum quorum;
    private final Roles roles;
    private final QuorumRequests requests;
    private long lastNow = Long.MIN_VALUE;
    private boolean started;

    /**
     * What a replica is made with.
     *
     * @param endpoints where this node's controller listens
     * @param voters in force before any voters record in the log: from settings or formatting; empty on a node that shall learn it
     * @param bootstrap where others may be found (controller.quorum.bootstrap.servers)
     * @param clusterId null while it is not known
     */
    public record Setup(
            ReplicaKey self,
            List<Endpoint> endpoints,
            VoterSet voters,
            List<Endpoint> bootstrap,
            RaftTimeouts timeouts,
            String clusterId,
            RandomSource random,
            Mutations mutations) {}

    /**
     * @param vote as persisted, {@link VoteState#NONE} for a new node
     * @param found voters records in the log and in the snapshot it begins with, in their order
     */
    public RaftNode(Setup setup, VoteState vote, RaftLog log, List<VotersAt> found) {
        Check.argument(vote.epoch() >= log.end().epoch(), "the log has records of a later epoch than the vote file");
        this.quorum = new Quorum(setup, vote, log);
        found.forEach(quorum.voters::add);
        this.roles = new Roles(quorum);
        this.requests = new QuorumRequests(quorum, roles);
    }

    /**
     * Begins.
     *
     * @param damagedFrom -1; or the offset from which on records that this replica has promised to hold are lost to rot (rule R15): it fetches from there, and
     *     takes no part in elections before it has all that is committed. Below it the log is whole and ends there; what is behind must stay on the disk until the
     *     first vote state is persisted, so that a crash before finds the damage again.
     */
    public RaftOutput start(long now, long damagedFrom) {
        Check.invariant(!started, "started twice");
        started = true;
        lastNow = now;
        if (damagedFrom >= 0) {
            Check.argument(quorum.end().offset() <= damagedFrom, "the log goes on behind its damage");
            quorum.persist(quorum.vote().refetching(true));
        }
        roles.start(now);
        roles.tick(now);
        return drain();
    }

    public RaftOutput tick(long now) {
        return step(now, instant -> {});
    }

    /** The vote state of an output is durable, file and name. */
    public RaftOutput votePersisted(long now, VoteState state) {
        return step(now, instant -> quorum.out.persisted(state));
    }

    /**
     * The end of the log has moved up.
     *
     * @param end new end
     * @param found voters records in what was appended
     */
    public RaftOutput appended(long now, OffsetAndEpoch end, List<VotersAt> found) {
        return step(now, instant -> {
            long before = quorum.end().offset();
            quorum.appended(end, found);
            LeaderRole leader = roles.leader();
            if (leader != null && end.epoch() == quorum.epoch()) {
                leader.appended(before, found);
            }
        });
    }

    /**
     * What this machine asked to have appended was not, and the log is as it was. Without a LeaderChange record there is no leadership. A log that can no
     * longer be written is {@link #halt}'s.
     */
    public RaftOutput appendFailed(long now) {
        return step(now, instant -> {
            quorum.appendFailed();
            LeaderRole leader = roles.leader();
            if (leader != null && !leader.appendFailed()) {
                roles.resign(instant);
            }
        });
    }

    /** All of the log below {@code end} is fsynced. */
    public RaftOutput durable(long now, long end) {
        return step(now, instant -> quorum.durable(end));
    }

    public RaftOutput truncated(long now, OffsetAndEpoch end) {
        return step(now, instant -> quorum.truncated(end));
    }

    /** @param records whole batches from the asked offset on, below the bound; null: they cannot be read */
    public RaftOutput recordsRead(long now, long token, ByteBuffer records) {
        return step(now, instant -> {
            if (roles.leader() != null) {
                roles.leader().fetches().recordsRead(token, records);
            }
        });
    }

    /**
     * @param size of the whole snapshot, -1: it is not there or not readable
     * @param bytes from the asked position on, not empty if that is below {@code size}
     */
    public RaftOutput snapshotRead(long now, long token, long size, ByteBuffer bytes) {
        return step(now, instant -> {
            if (roles.leader() != null) {
                roles.leader().fetches().snapshotRead(token, size, bytes);
            }
        });
    }

    /** Pieces of a fetched snapshot are written up to {@code end}. */
    public RaftOutput snapshotWritten(long now, OffsetAndEpoch snapshot, long end) {
        return step(now, instant -> {
            if (roles.current() instanceof FollowerRole follower) {
                follower.download().written(snapshot, end);
            }
        });
    }

    /** @param voters that the snapshot holds; null: it says nothing of them */
    public RaftOutput snapshotInstalled(long now, OffsetAndEpoch snapshot, VotersAt voters) {
        return step(now, instant -> quorum.installed(snapshot, voters));
    }

    /** A fetched snapshot could not be written, or is not whole; the log is as it was. */
    public RaftOutput snapshotFailed(long now) {
        return step(now, instant -> {
            quorum.appendFailed();
            if (roles.current() instanceof FollowerRole follower) {
                follower.download().abandon();
            }
        });
    }

    /** A request from outside. {@code token} comes back with the one {@link RaftOutput.Reply} to it. */
    public RaftOutput request(long now, long token, RaftRequest request) {
        if (roles.halted()) {
            quorum.out.reply(token, new RaftResponse.Plain(quorum.head(RaftError.NOT_LEADER_OR_FOLLOWER)));
        }
        return step(now, instant -> requests.handle(instant, token, request));
    }

    /** The answer to a request of this machine. One that is no longer waited for is dropped (rule R14). */
    public RaftOutput response(long now, long correlation, RaftResponse response) {
        return step(now, instant -> answered(instant, correlation, response));
    }

    private void answered(long now, long correlation, RaftResponse response) {
        RoleState role = roles.current();
        Calls.Call call = role.calls.answered(correlation);
        if (call == null) {
            return;
        }
        RaftResponse.Head head = response.head();
        if (head.error() == RaftError.INCONSISTENT_CLUSTER_ID) {
            role.lost(now, call);
        } else if (roles.learn(now, head.epoch(), head.leaderId(), head.endpoints())) {
            role.answered(now, call, response);
        }
    }

    /** A request of this machine will have no answer: connection refused or lost, or no such peer. */
    public RaftOutput failed(long now, long correlation) {
        return step(now, instant -> {
            Calls.Call call = roles.current().calls.answered(correlation);
            if (call != null) {
                roles.current().lost(instant, call);
            }
        });
    }

    /** The connection to the node is closed and a reconnect was refused: its process is gone (rule R4). */
    public RaftOutput processGone(long now, int nodeId) {
        return step(now, instant -> {
            if (nodeId == quorum.leaderId() && nodeId != quorum.self().id()) {
                quorum.leaderIsGone(instant);
                roles.current().leaderGone(instant);
            }
        });
    }

    /** Gives up a leadership and says who should take over; the replica goes on as a voter. */
    public RaftOutput resign(long now) {
        return step(now, roles::resign);
    }

    /** Its log or vote can no longer be made durable, or the node stops: it leads, follows and votes no more, for good. */
    public RaftOutput halt(long now) {
        return step(now, roles::halt);
    }

    /** The input itself. */
    private interface Input {
        void at(long now);
    }

    private RaftOutput step(long clock, Input input) {
        Check.invariant(started, "not started");
        long now = Math.max(clock, lastNow);
        lastNow = now;
        if (!roles.halted()) {
            roles.tick(now);
            input.at(now);
            roles.tick(now);
        }
        return drain();
    }

    private RaftOutput drain() {
        RaftOutput.Standing standing =
                new RaftOutput.Standing(roles.current().role(), quorum.epoch(), quorum.leaderId(), quorum.isVoter());
        long wakeAt = roles.halted() ? Long.MAX_VALUE : roles.current().wakeAt();
        return quorum.out.drain(quorum.highWatermark(), standing, wakeAt);
    }

    public int epoch() {
        return quorum.epoch();
    }

    /** Of the current epoch, -1 when unknown. */
    public int leaderId() {
        return quorum.leaderId();
    }

    /** Where that leader listens, as far as known. */
    public List<Endpoint> leaderEndpoints() {
        return quorum.leaderEndpoints();
    }

    public boolean leads() {
        return roles.leader() != null;
    }

    /** The set of voters in force, committed or not. */
    public VoterSet voters() {
        return quorum.voters.latest();
    }

    /** What a snapshot of the log up to {@code end} must say of the voters; null: the log has no voters record before that. */
    public VotersAt votersBefore(long end) {
        return quorum.voters.before(end);
    }

    /** Replicas that have fetched from this leader; empty elsewhere. */
    public List<ReplicaProgress> replicas() {
        return roles.leader() == null ? List.of() : roles.leader().replicas().all();
    }

    /** The cluster's id is known now. */
    public void clusterId(String id) {
        quorum.clusterId(id);
    }
}
