package node;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.Errors;
import raft.Endpoint;
import raft.RaftError;
import raft.RaftResponse;
import records.WireRecords;

/**
 * Raft's answers as Kafka's messages. That a request is of another cluster is said of the whole answer, as Kafka does; any other error of the metadata
 * log's partition, beside who leads.
 */
final class RaftAnswers {
    /** To what {@link RaftRequests} could not read. */
    static final RaftResponse MALFORMED =
            new RaftResponse.Plain(new RaftResponse.Head(RaftError.INVALID_REQUEST, -1, -1, List.of()));

    private static final String TOPIC = Topic.CLUSTER_METADATA_TOPIC_NAME;

    private final String listener;

    /** @param listener by which the askers reach controllers: an answer has room for one address of the leader */
    RaftAnswers(String listener) {
        this.listener = listener;
    }

    VoteResponseData vote(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        VoteResponseData response = new VoteResponseData();
        if (ofAll(head)) {
            return response.setErrorCode(code(head));
        }
        response.topics()
                .add(new VoteResponseData.TopicData()
                        .setTopicName(TOPIC)
                        .setPartitions(List.of(new VoteResponseData.PartitionData()
                                .setErrorCode(code(head))
                                .setLeaderId(head.leaderId())
                                .setLeaderEpoch(head.epoch())
                                .setVoteGranted(answer instanceof RaftResponse.Vote vote && vote.granted()))));
        Endpoint leader = leader(head);
        if (leader != null) {
            response.nodeEndpoints()
                    .add(new VoteResponseData.NodeEndpoint()
                            .setNodeId(head.leaderId())
                            .setHost(leader.host())
                            .setPort(leader.port()));
        }
        return response;
    }

    BeginQuorumEpochResponseData begin(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        BeginQuorumEpochResponseData response = new BeginQuorumEpochResponseData();
        if (ofAll(head)) {
            return response.setErrorCode(code(head));
        }
        response.topics()
                .add(new BeginQuorumEpochResponseData.TopicData()
                        .setTopicName(TOPIC)
                        .setPartitions(List.of(new BeginQuorumEpochResponseData.PartitionData()
                                .setErrorCode(code(head))
                                .setLeaderId(head.leaderId())
                                .setLeaderEpoch(head.epoch()))));
        Endpoint leader = leader(head);
        if (leader != null) {
            response.nodeEndpoints()
                    .add(new BeginQuorumEpochResponseData.NodeEndpoint()
                            .setNodeId(head.leaderId())
                            .setHost(leader.host())
                            .setPort(leader.port()));
        }
        return response;
    }

    EndQuorumEpochResponseData end(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        EndQuorumEpochResponseData response = new EndQuorumEpochResponseData();
        if (ofAll(head)) {
            return response.setErrorCode(code(head));
        }
        response.topics()
                .add(new EndQuorumEpochResponseData.TopicData()
                        .setTopicName(TOPIC)
                        .setPartitions(List.of(new EndQuorumEpochResponseData.PartitionData()
                                .setErrorCode(code(head))
                                .setLeaderId(head.leaderId())
                                .setLeaderEpoch(head.epoch()))));
        Endpoint leader = leader(head);
        if (leader != null) {
            response.nodeEndpoints()
                    .add(new EndQuorumEpochResponseData.NodeEndpoint()
                            .setNodeId(head.leaderId())
                            .setHost(leader.host())
                            .setPort(leader.port()));
        }
        return response;
    }

    FetchResponseData fetch(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        FetchResponseData response = new FetchResponseData();
        if (ofAll(head)) {
            return response.setErrorCode(code(head));
        }
        FetchResponseData.PartitionData partition = new FetchResponseData.PartitionData()
                .setErrorCode(code(head))
                .setHighWatermark(-1)
                .setCurrentLeader(new FetchResponseData.LeaderIdAndEpoch()
                        .setLeaderId(head.leaderId())
                        .setLeaderEpoch(head.epoch()));
        WireRecords.put(ByteBuffer.allocate(0), partition);
        if (answer instanceof RaftResponse.Fetch fetched) {
            partition.setHighWatermark(fetched.highWatermark());
            WireRecords.put(fetched.records(), partition);
            if (fetched.diverging() != null) {
                partition.setDivergingEpoch(new FetchResponseData.EpochEndOffset()
                        .setEpoch(fetched.diverging().epoch())
                        .setEndOffset(fetched.diverging().offset()));
            }
            if (fetched.snapshot() != null) {
                partition.setSnapshotId(new FetchResponseData.SnapshotId()
                        .setEpoch(fetched.snapshot().epoch())
                        .setEndOffset(fetched.snapshot().offset()));
            }
        }
        response.responses()
                .add(new FetchResponseData.FetchableTopicResponse()
                        .setTopic(TOPIC)
                        .setTopicId(Uuid.METADATA_TOPIC_ID)
                        .setPartitions(List.of(partition)));
        Endpoint leader = leader(head);
        if (leader != null) {
            response.nodeEndpoints()
                    .add(new FetchResponseData.NodeEndpoint()
                            .setNodeId(head.leaderId())
                            .setHost(leader.host())
                            .setPort(leader.port()));
        }
        return response;
    }

    FetchSnapshotResponseData fetchSnapshot(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        FetchSnapshotResponseData response = new FetchSnapshotResponseData();
        if (ofAll(head)) {
            return response.setErrorCode(code(head));
        }
        FetchSnapshotResponseData.PartitionSnapshot partition = new FetchSnapshotResponseData.PartitionSnapshot()
                .setErrorCode(code(head))
                .setCurrentLeader(new FetchSnapshotResponseData.LeaderIdAndEpoch()
                        .setLeaderId(head.leaderId())
                        .setLeaderEpoch(head.epoch()));
        WireRecords.put(ByteBuffer.allocate(0), partition);
        if (answer instanceof RaftResponse.FetchSnapshot piece) {
            partition
                    .setSnapshotId(new FetchSnapshotResponseData.SnapshotId()
                            .setEndOffset(piece.snapshot().offset())
                            .setEpoch(piece.snapshot().epoch()))
                    .setSize(piece.size())
                    .setPosition(piece.position());
            WireRecords.put(piece.bytes(), partition);
        }
        response.topics()
                .add(new FetchSnapshotResponseData.TopicSnapshot()
                        .setName(TOPIC)
                        .setPartitions(List.of(partition)));
        Endpoint leader = leader(head);
        if (leader != null) {
            response.nodeEndpoints()
                    .add(new FetchSnapshotResponseData.NodeEndpoint()
                            .setNodeId(head.leaderId())
                            .setHost(leader.host())
                            .setPort(leader.port()));
        }
        return response;
    }

    UpdateRaftVoterResponseData update(RaftResponse answer) {
        RaftResponse.Head head = answer.head();
        UpdateRaftVoterResponseData.CurrentLeader current = new UpdateRaftVoterResponseData.CurrentLeader()
                .setLeaderId(head.leaderId())
                .setLeaderEpoch(head.epoch());
        Endpoint leader = leader(head);
        if (leader != null) {
            current.setHost(leader.host()).setPort(leader.port());
        }
        return new UpdateRaftVoterResponseData().setErrorCode(code(head)).setCurrentLeader(current);
    }

    AddRaftVoterResponseData add(RaftResponse answer) {
        RaftError error = answer.head().error();
        return new AddRaftVoterResponseData().setErrorCode(code(answer.head())).setErrorMessage(explanation(error));
    }

    RemoveRaftVoterResponseData remove(RaftResponse answer) {
        RaftError error = answer.head().error();
        return new RemoveRaftVoterResponseData()
                .setErrorCode(code(answer.head()))
                .setErrorMessage(explanation(error));
    }

    /** For the operator who asked for a change of voters. */
    private static String explanation(RaftError error) {
        return switch (error) {
            case NONE -> null;
            case DUPLICATE_VOTER ->
                "The node is a voter already; a replaced disk makes another voter of it: remove the"
                        + " old one first.";
            case VOTER_NOT_FOUND ->
                "No voter has this node id and directory id; 'kafka-metadata-quorum describe"
                        + " --status' shows those there are.";
            case REQUEST_TIMED_OUT ->
                "Not done in time: another change of the voters is under way, or the new voter did"
                        + " not catch up. It may still happen; look at the quorum, then try again.";
            case INVALID_REQUEST ->
                "The voter needs a directory id and an address, and the last voter cannot be" + " removed.";
            default -> Errors.valueOf(error.name()).message();
        };
    }

    private static boolean ofAll(RaftResponse.Head head) {
        return head.error() == RaftError.INCONSISTENT_CLUSTER_ID;
    }

    private static short code(RaftResponse.Head head) {
        return Errors.valueOf(head.error().name()).code();
    }

    /** Where the leader listens for the asker; null: not known. */
    private Endpoint leader(RaftResponse.Head head) {
        Endpoint found = null;
        for (Endpoint each : head.endpoints()) {
            if (found == null || each.listener().equals(listener)) {
                found = each;
            }
        }
        return found;
    }
}
