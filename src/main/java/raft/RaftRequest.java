package raft;

import java.util.List;

/** What replicas and operators ask of one another; {@code node/} translates to Kafka's messages of the same names. */
public sealed interface RaftRequest {

    /** Null when the sender does not know it yet. */
    String clusterId();

    /**
     * Vote (KIP-595), with the pre-vote of KIP-996.
     *
     * @param epoch the candidacy's; of a pre-vote the sender's current one
     * @param end of the candidate's log: offset and epoch of the last record
     * @param voter whom the candidate means; null: not said
     */
    record Vote(
            String clusterId, ReplicaKey candidate, int epoch, OffsetAndEpoch end, boolean preVote, ReplicaKey voter)
            implements RaftRequest {}

    /** BeginQuorumEpoch: the leader tells a voter that it leads. */
    record BeginEpoch(String clusterId, int epoch, int leaderId, List<Endpoint> endpoints, ReplicaKey voter)
            implements RaftRequest {}

    /**
     * EndQuorumEpoch: the leader resigns.
     *
     * @param successors voters in the order in which they should stand
     */
    record EndEpoch(String clusterId, int epoch, int leaderId, List<ReplicaKey> successors) implements RaftRequest {}

    /**
     * Fetch of the metadata log by a replica. It promises that all below {@code end} is fsynced (rule R8).
     *
     * @param end of the sender's log: the offset to read from and the epoch of the record before it
     * @param highWatermark that the sender knows (KIP-1166): a leader that knows a higher one answers at once; -1 for none
     * @param maxWaitMillis how long the leader may wait for news
     */
    record Fetch(
            String clusterId, ReplicaKey replica, int epoch, OffsetAndEpoch end, long highWatermark, int maxWaitMillis)
            implements RaftRequest {}

    /** FetchSnapshot (KIP-630): a piece of the snapshot that ends at {@code snapshot}, from byte {@code position} on. */
    record FetchSnapshot(String clusterId, ReplicaKey replica, int epoch, OffsetAndEpoch snapshot, long position)
            implements RaftRequest {}

    /**
     * AddRaftVoter (KIP-853).
     *
     * @param timeoutMillis how long the answer may wait for the new voter to catch up and the record to commit
     * @param ackWhenCommitted false: answered when the record is appended (KIP-1186)
     */
    record AddVoter(String clusterId, VoterSet.Voter voter, int timeoutMillis, boolean ackWhenCommitted)
            implements RaftRequest {}

    /** RemoveRaftVoter (KIP-853). */
    record RemoveVoter(String clusterId, ReplicaKey voter) implements RaftRequest {}

    /** UpdateRaftVoter (KIP-853): a voter says where it listens now, and which directory it has when the set did not know one. */
    record UpdateVoter(String clusterId, int epoch, VoterSet.Voter voter) implements RaftRequest {}
}
