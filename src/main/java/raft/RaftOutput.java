package raft;

/**
 * What the host has to do after an input, in this order: make {@code persist} durable and tell {@link RaftNode#votePersisted}; append a leader-change record
 * of {@code leaderChangeEpoch} and tell {@link RaftNode#persisted} when it is durable; take {@code committed} as the new high watermark.
 *
 * @param persist null: nothing
 * @param leaderChangeEpoch -1: none
 * @param committed end of what is committed, -1 while nothing is
 */
public record RaftOutput(VoteState persist, int leaderChangeEpoch, long committed, Role role) {

    /** What a voter is in its epoch. */
    public enum Role {
        UNATTACHED,
        CANDIDATE,
        LEADER,
        RESIGNED
    }
}
