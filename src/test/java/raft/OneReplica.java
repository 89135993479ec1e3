package raft;

import common.Mutations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import sim.SimRandom;

/** The replica 1 of three voters, by hand: a test plays its disk, its clock and the others. */
final class OneReplica {
    static final ReplicaKey SELF = key(1);
    static final VoterSet VOTERS = new VoterSet(List.of(voter(1), voter(2), voter(3)));

    final ReplicaDisk disk = new ReplicaDisk(SELF);
    final RaftNode node;
    final List<RaftOutput.Send> sent = new ArrayList<>();
    final List<RaftOutput.Reply> replies = new ArrayList<>();
    final List<RaftOutput.LogTask> tasks = new ArrayList<>();
    RaftOutput last;
    long now = 1_000;
    private VoteState persist;
    private long token;

    /** @param epochs of the records in its log */
    OneReplica(VoteState vote, int... epochs) {
        this(vote, -1, epochs);
    }

    OneReplica(VoteState vote, long damagedFrom, int... epochs) {
        this(VOTERS, vote, damagedFrom, epochs);
    }

    private OneReplica(VoterSet voters, VoteState vote, long damagedFrom, int... epochs) {
        for (int epoch : epochs) {
            disk.append(Entry.leaderChange(epoch));
        }
        disk.sync(epochs.length);
        RaftNode.Setup setup = new RaftNode.Setup(
                SELF,
                Entry.endpoints(1),
                voters,
                List.of(),
                RaftSim.TIMEOUTS,
                "cluster",
                new SimRandom(1),
                Mutations.NONE);
        node = new RaftNode(setup, vote, disk, List.of());
        took(node.start(now, damagedFrom));
    }

    static ReplicaKey key(int id) {
        return new ReplicaKey(id, 100 + id, 1);
    }

    static VoterSet.Voter voter(int id) {
        return new VoterSet.Voter(key(id), Entry.endpoints(id));
    }

    static VoteState inEpoch(int epoch) {
        return new VoteState(epoch, -1, 0, 0, -1, false);
    }

    /** In epoch 5, of which 2 is the leader, and has fetched from it once. */
    static OneReplica follower(int... epochs) {
        OneReplica made = new OneReplica(new VoteState(5, -1, 0, 0, 2, false), epochs);
        made.fetched(2, 5, 0, ByteBuffer.allocate(0));
        return made;
    }

    /** Of epoch 6, its LeaderChange record at the end of its log, fsynced. */
    static OneReplica leader(int... epochs) {
        return leader(VOTERS, epochs);
    }

    static OneReplica leader(VoterSet voters, int... epochs) {
        OneReplica made = new OneReplica(voters, inEpoch(5), -1, epochs);
        made.candidate();
        made.persist();
        made.grant(2, false);
        made.append();
        return made;
    }

    void took(RaftOutput output) {
        last = output;
        persist = output.persist() == null ? persist : output.persist();
        sent.addAll(output.sends());
        replies.addAll(output.replies());
        tasks.addAll(output.tasks());
    }

    /** Until it stands in epoch 6; its vote is not persisted yet. */
    void candidate() {
        for (int i = 0; i < 100 && last.standing().role() != RaftOutput.Role.CANDIDATE; i++) {
            time(100);
            for (RaftOutput.Send each : List.copyOf(sent)) {
                boolean asksForAVote = each.request() instanceof RaftRequest.Vote;
                if (asksForAVote && each.to().id() == 2) {
                    sent.remove(each);
                    answer(each, new RaftResponse.Vote(head(RaftError.NONE, 5, -1), true));
                }
            }
        }
    }

    void time(long millis) {
        now += millis;
        took(node.tick(now));
    }

    /** The vote file is written. */
    void persist() {
        while (persist != null) {
            VoteState written = persist;
            persist = null;
            disk.vote(written);
            took(node.votePersisted(now, written));
        }
    }

    VoteState toPersist() {
        return persist;
    }

    /** A record of its epoch, fsynced. */
    void append() {
        appendOnly();
        sync();
    }

    void appendOnly() {
        disk.append(Entry.leaderChange(node.epoch()));
        took(node.appended(now, disk.end(), List.of()));
    }

    void appendVoters() {
        for (RaftOutput.LogTask each : List.copyOf(tasks)) {
            if (each instanceof RaftOutput.AppendVoters change) {
                tasks.remove(each);
                VoterSet set = change.voters();
                VotersAt at = new VotersAt(disk.end().offset(), set);
                disk.append(new Entry(node.epoch(), 0, set));
                took(node.appended(now, disk.end(), List.of(at)));
                sync();
            }
        }
    }

    void sync() {
        disk.sync(disk.end().offset());
        took(node.durable(now, disk.durableEnd()));
    }

    /** Gives the answer if it came. */
    RaftResponse request(RaftRequest request) {
        return reply(ask(request));
    }

    long ask(RaftRequest request) {
        took(node.request(now, ++token, request));
        return token;
    }

    /** Null while there is none. */
    RaftResponse reply(long asked) {
        return replies.stream()
                .filter(each -> each.token() == asked)
                .map(RaftOutput.Reply::response)
                .findFirst()
                .orElse(null);
    }

    RaftError error(RaftRequest request) {
        return request(request).head().error();
    }

    void answer(RaftOutput.Send call, RaftResponse response) {
        took(node.response(now, call.correlation(), response));
    }

    /** The newest request to a peer; it stays in the list. */
    RaftOutput.Send call(int to) {
        for (int i = sent.size() - 1; i >= 0; i--) {
            if (sent.get(i).to().id() == to) {
                return sent.get(i);
            }
        }
        return null;
    }

    void grant(int from, boolean preVote) {
        answer(call(from), new RaftResponse.Vote(head(RaftError.NONE, preVote ? 5 : 6, -1), true));
    }

    /** The leader answers the Fetch. */
    void fetched(int leader, int epoch, long highWatermark, ByteBuffer records) {
        answer(
                call(leader),
                new RaftResponse.Fetch(head(RaftError.NONE, epoch, leader), highWatermark, null, null, records));
    }

    static RaftResponse.Head head(RaftError error, int epoch, int leader) {
        return new RaftResponse.Head(error, epoch, leader, List.of());
    }

    static RaftRequest.Vote vote(int candidate, int epoch, OffsetAndEpoch end, boolean preVote) {
        return new RaftRequest.Vote("cluster", key(candidate), epoch, end, preVote, SELF);
    }

    static RaftRequest.Fetch fetch(int replica, int epoch, long offset, int lastEpoch) {
        return new RaftRequest.Fetch("cluster", key(replica), epoch, new OffsetAndEpoch(offset, lastEpoch), -1, 300);
    }

    static boolean granted(RaftResponse response) {
        return ((RaftResponse.Vote) response).granted();
    }
}
