package raft;

import common.Check;

/**
 * One voter of the metadata quorum, which so far consists of it alone: it wins each election with its own vote. Confined to the controller's owner.
 *
 * <pre>
 *   start --(vote for itself persisted, R1)--> LEADER --(leader-change record durable, R6)--> commits what is durable (R7)
 * </pre>
 */
public final class RaftNode {
    private final Voter self;
    private VoteState state;
    private RaftOutput.Role role = RaftOutput.Role.UNATTACHED;
    private VoteState toPersist;
    private int leaderChange = -1;
    private long epochStart;
    private long committed = -1;

    /** A voter is its id and its directory id: with a wiped disk it is another one (rule R13). */
    public record Voter(int id, long directoryMost, long directoryLeast) {}

    /**
     * @param state as persisted, {@link VoteState#NONE} for a new node
     * @param lastEpoch of the last record in the log, -1 when it is empty
     */
    public RaftNode(Voter self, VoteState state, int lastEpoch) {
        Check.argument(state.epoch() >= lastEpoch, "the log has records of a later epoch than the vote file");
        this.self = self;
        this.state = state;
    }

    /** Stands for the next epoch; with a quorum of one no pre-vote can matter. */
    public RaftOutput start() {
        Check.invariant(role == RaftOutput.Role.UNATTACHED, "started twice");
        role = RaftOutput.Role.CANDIDATE;
        int epoch = Math.addExact(state.epoch(), 1);
        toPersist = new VoteState(epoch, self.id, self.directoryMost, self.directoryLeast, self.id);
        return drain();
    }

    /** The vote is durable: it is a majority, so this voter leads the epoch. */
    public RaftOutput votePersisted(VoteState persisted) {
        Check.invariant(
                role == RaftOutput.Role.CANDIDATE && persisted.epoch() > state.epoch(), "vote of another election");
        state = persisted;
        role = RaftOutput.Role.LEADER;
        leaderChange = state.epoch();
        return drain();
    }

    /** The leader-change record was given {@code offset}: nothing is committed before it is (rule R6). */
    public void leaderChangeAppended(long offset) {
        Check.invariant(role == RaftOutput.Role.LEADER, "leader change without leadership");
        epochStart = offset;
    }

    /** The log is durable up to {@code end}. */
    public RaftOutput persisted(long end) {
        if (role == RaftOutput.Role.LEADER && end > epochStart) {
            Check.invariant(end >= committed, "the committed end must not fall (R7)", end, committed);
            committed = end;
        }
        return drain();
    }

    /** Its log or vote can no longer be made durable: it stops leading for good. */
    public RaftOutput resign() {
        role = RaftOutput.Role.RESIGNED;
        return drain();
    }

    public int epoch() {
        return state.epoch();
    }

    public boolean leads() {
        return role == RaftOutput.Role.LEADER;
    }

    private RaftOutput drain() {
        RaftOutput output = new RaftOutput(toPersist, leaderChange, committed, role);
        toPersist = null;
        leaderChange = -1;
        return output;
    }
}
