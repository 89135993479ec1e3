package raft;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What the host has to do after an input. The machine holds back what depends on a vote file that is not written yet (rule R1) or on records that are not
 * fsynced (rule R8), so all of this may be done at once and in any order, except that log tasks keep theirs.
 *
 * @param persist to be made durable, then told to {@link RaftNode#votePersisted}; null: nothing. Never a second one before the first was told.
 * @param sends requests to be sent; answers go to {@link RaftNode#response}, failures to {@link RaftNode#failed}
 * @param replies to requests that were handed in
 * @param tasks work on the log and its snapshots, in this order
 * @param highWatermark end of what is committed, -1 while that is unknown; never falls
 * @param wakeAt instant of the monotonic clock in ms for {@link RaftNode#tick}; Long.MAX_VALUE: none
 */
public record RaftOutput(
        VoteState persist,
        List<Send> sends,
        List<Reply> replies,
        List<LogTask> tasks,
        long highWatermark,
        Standing standing,
        long wakeAt) {

    /** What a replica is in its epoch. */
    public enum Role {
        UNATTACHED,
        FOLLOWER,
        PROSPECTIVE,
        CANDIDATE,
        LEADER,
        RESIGNED
    }

    /**
     * Where the replica stands.
     *
     * @param leaderId -1: unknown
     * @param voter false: an observer by the latest set of voters in its log
     */
    public record Standing(Role role, int epoch, int leaderId, boolean voter) {}

    /** A request to a peer. {@code correlation} names it in the answer. */
    public record Send(Peer to, long correlation, RaftRequest request) {}

    /** The answer to the request that came with {@code token}. */
    public record Reply(long token, RaftResponse response) {}

    /** Work on the log. */
    public sealed interface LogTask {}

    /** Begin {@code epoch} and append its LeaderChange record, before any other of it (rule R6); then {@link RaftNode#appended}. */
    public record AppendLeaderChange(int epoch, int leaderId, VoterSet voters, List<Integer> granting)
            implements LogTask {}

    /** Append a voters record; then {@link RaftNode#appended}. */
    public record AppendVoters(int epoch, VoterSet voters) implements LogTask {}

    /** Verify and append what the leader sent at the log's end; then {@link RaftNode#appended} and {@link RaftNode#durable}, or {@link RaftNode#appendFailed}. */
    public record AppendFetched(ByteBuffer records) implements LogTask {}

    /** Cut the log to {@code end}, durably; then {@link RaftNode#truncated}. */
    public record Truncate(long end) implements LogTask {}

    /** Read records of [from, bound) for an answer; then {@link RaftNode#recordsRead}. */
    public record Read(long token, long from, long bound) implements LogTask {}

    /** Read a piece of a snapshot for an answer; then {@link RaftNode#snapshotRead}. */
    public record ReadSnapshot(long token, OffsetAndEpoch snapshot, long position) implements LogTask {}

    /** Write a fetched piece into the temporary file of the snapshot, a new one at position 0; then {@link RaftNode#snapshotWritten}. */
    public record WriteSnapshot(OffsetAndEpoch snapshot, long position, ByteBuffer bytes) implements LogTask {}

    /**
     * Verify the wholly received snapshot, make it durable, let the log begin and end at it (rule R12); then {@link RaftNode#snapshotInstalled} or {@link
     * RaftNode#snapshotFailed}.
     */
    public record InstallSnapshot(OffsetAndEpoch snapshot) implements LogTask {}
}
