package controller;

import common.Callback;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.EndQuorumEpochRequestData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotRequestData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterRequestData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.message.VoteResponseData;

/**
 * The mailbox of this node's replica of the metadata log, voter or observer: what the listeners of controllers ask of it, as {@code mailboxes.call(new
 * OwnerId<>(MetadataQuorum.class, 0), (q, done) -> q.vote(r, done), ...)}. Never forwarded: it answers for itself (rule R14).
 *
 * <p>Requests and answers are Kafka's generated messages, of its newest versions; a request is handed over and not used by the caller afterwards. Who
 * leads, its epoch and where it listens stand in each answer that has room for it, in errors too, so that the asker finds the leader.
 *
 * <p>Failures: OVERLOADED, SHUTTING_DOWN, STORAGE_ERROR / SYNC_FAILED (the metadata log is offline: the node is about to end). With any but OVERLOADED the
 * outcome is unknown.
 */
public interface MetadataQuorum {

    /** Votes and pre-votes (rules R3, R4). Answered when the vote is durable (rule R1). */
    void vote(VoteRequestData request, Callback<VoteResponseData> done);

    /** A leader says that it leads. */
    void beginQuorumEpoch(BeginQuorumEpochRequestData request, Callback<BeginQuorumEpochResponseData> done);

    /** A leader resigns. */
    void endQuorumEpoch(EndQuorumEpochRequestData request, Callback<EndQuorumEpochResponseData> done);

    /** Of the metadata log's partition by a replica of it; waits for news as long as the request says, at most (rules R8, R9). */
    void fetch(FetchRequestData request, Callback<FetchResponseData> done);

    /** A piece of a snapshot (KIP-630). */
    void fetchSnapshot(FetchSnapshotRequestData request, Callback<FetchSnapshotResponseData> done);

    /** A voter says where it listens now (KIP-853). */
    void updateRaftVoter(UpdateRaftVoterRequestData request, Callback<UpdateRaftVoterResponseData> done);

    /** Answered as the request says: at commit or when the record is appended (KIP-853, KIP-1186). NOT_LEADER_OR_FOLLOWER elsewhere than at the leader. */
    void addRaftVoter(AddRaftVoterRequestData request, Callback<AddRaftVoterResponseData> done);

    /** Answered at commit (KIP-853). */
    void removeRaftVoter(RemoveRaftVoterRequestData request, Callback<RemoveRaftVoterResponseData> done);

    /** Leader, voters and observers (KIP-836); NOT_LEADER_OR_FOLLOWER at the partition elsewhere than at the leader. */
    void describeQuorum(DescribeQuorumRequestData request, Callback<DescribeQuorumResponseData> done);

    /**
     * The voters, where they listen, and which of them leads as far as this node knows, in the form of DescribeCluster (KIP-919). Without the cluster's id.
     *
     * @param listener of the addresses that are told
     */
    void describeControllers(String listener, Callback<DescribeClusterResponseData> done);
}
