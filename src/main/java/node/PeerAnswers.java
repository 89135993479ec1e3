package node;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import raft.Endpoint;
import raft.OffsetAndEpoch;
import raft.RaftError;
import raft.RaftResponse;
import records.WireRecords;

/** What other nodes answer to Raft's requests, as Raft's values. Nothing in them is a view of the message: its bytes are copied. */
final class PeerAnswers {
    private final String listener;

    /** @param listener that controllers reach one another by: an answer gives the leader's address there, and does not say the listener's name */
    PeerAnswers(String listener) {
        this.listener = listener;
    }

    /** An answer that is malformed is one of an error that nobody knows. */
    RaftResponse fromKafka(ApiMessage message) {
        RaftResponse answer = null;
        if (message instanceof VoteResponseData vote) {
            answer = vote(vote);
        } else if (message instanceof BeginQuorumEpochResponseData begin) {
            answer = begin(begin);
        } else if (message instanceof EndQuorumEpochResponseData end) {
            answer = end(end);
        } else if (message instanceof FetchResponseData fetch) {
            answer = fetch(fetch);
        } else if (message instanceof FetchSnapshotResponseData piece) {
            answer = fetchSnapshot(piece);
        } else if (message instanceof UpdateRaftVoterResponseData update) {
            answer = update(update);
        } else if (message instanceof AddRaftVoterResponseData add) {
            answer = whole(add.errorCode());
        } else if (message instanceof RemoveRaftVoterResponseData remove) {
            answer = whole(remove.errorCode());
        }
        return answer == null ? whole(Errors.UNKNOWN_SERVER_ERROR.code()) : answer;
    }

    private RaftResponse vote(VoteResponseData response) {
        if (response.errorCode() != 0) {
            return whole(response.errorCode());
        }
        if (response.topics().size() != 1
                || response.topics().get(0).partitions().size() != 1) {
            return null;
        }
        VoteResponseData.PartitionData said =
                response.topics().get(0).partitions().get(0);
        VoteResponseData.NodeEndpoint leader = response.nodeEndpoints().find(said.leaderId());
        List<Endpoint> endpoints = leader == null ? List.of() : endpoint(leader.host(), leader.port());
        return new RaftResponse.Vote(
                head(said.errorCode(), said.leaderEpoch(), said.leaderId(), endpoints), said.voteGranted());
    }

    private RaftResponse begin(BeginQuorumEpochResponseData response) {
        if (response.errorCode() != 0) {
            return whole(response.errorCode());
        }
        if (response.topics().size() != 1
                || response.topics().get(0).partitions().size() != 1) {
            return null;
        }
        BeginQuorumEpochResponseData.PartitionData said =
                response.topics().get(0).partitions().get(0);
        BeginQuorumEpochResponseData.NodeEndpoint leader =
                response.nodeEndpoints().find(said.leaderId());
        List<Endpoint> endpoints = leader == null ? List.of() : endpoint(leader.host(), leader.port());
        return new RaftResponse.Plain(head(said.errorCode(), said.leaderEpoch(), said.leaderId(), endpoints));
    }

    private RaftResponse end(EndQuorumEpochResponseData response) {
        if (response.errorCode() != 0) {
            return whole(response.errorCode());
        }
        if (response.topics().size() != 1
                || response.topics().get(0).partitions().size() != 1) {
            return null;
        }
        EndQuorumEpochResponseData.PartitionData said =
                response.topics().get(0).partitions().get(0);
        EndQuorumEpochResponseData.NodeEndpoint leader =
                response.nodeEndpoints().find(said.leaderId());
        List<Endpoint> endpoints = leader == null ? List.of() : endpoint(leader.host(), leader.port());
        return new RaftResponse.Plain(head(said.errorCode(), said.leaderEpoch(), said.leaderId(), endpoints));
    }

    private RaftResponse fetch(FetchResponseData response) {
        if (response.errorCode() != 0) {
            return whole(response.errorCode());
        }
        if (response.responses().size() != 1
                || response.responses().get(0).partitions().size() != 1) {
            return null;
        }
        FetchResponseData.PartitionData said =
                response.responses().get(0).partitions().get(0);
        FetchResponseData.LeaderIdAndEpoch leads = said.currentLeader();
        FetchResponseData.NodeEndpoint leader = response.nodeEndpoints().find(leads.leaderId());
        List<Endpoint> endpoints = leader == null ? List.of() : endpoint(leader.host(), leader.port());
        OffsetAndEpoch diverging =
                end(said.divergingEpoch().endOffset(), said.divergingEpoch().epoch());
        OffsetAndEpoch snapshot =
                end(said.snapshotId().endOffset(), said.snapshotId().epoch());
        return new RaftResponse.Fetch(
                head(said.errorCode(), leads.leaderEpoch(), leads.leaderId(), endpoints),
                said.highWatermark(),
                diverging,
                snapshot,
                copy(WireRecords.of(said)));
    }

    private RaftResponse fetchSnapshot(FetchSnapshotResponseData response) {
        if (response.errorCode() != 0) {
            return whole(response.errorCode());
        }
        if (response.topics().size() != 1
                || response.topics().get(0).partitions().size() != 1) {
            return null;
        }
        FetchSnapshotResponseData.PartitionSnapshot said =
                response.topics().get(0).partitions().get(0);
        FetchSnapshotResponseData.LeaderIdAndEpoch leads = said.currentLeader();
        FetchSnapshotResponseData.NodeEndpoint leader = response.nodeEndpoints().find(leads.leaderId());
        List<Endpoint> endpoints = leader == null ? List.of() : endpoint(leader.host(), leader.port());
        return new RaftResponse.FetchSnapshot(
                head(said.errorCode(), leads.leaderEpoch(), leads.leaderId(), endpoints),
                new OffsetAndEpoch(
                        said.snapshotId().endOffset(), said.snapshotId().epoch()),
                said.size(),
                said.position(),
                copy(WireRecords.of(said)));
    }

    private RaftResponse update(UpdateRaftVoterResponseData response) {
        UpdateRaftVoterResponseData.CurrentLeader leader = response.currentLeader();
        List<Endpoint> endpoints = leader.leaderId() < 0 ? List.of() : endpoint(leader.host(), leader.port());
        return new RaftResponse.Plain(head(response.errorCode(), leader.leaderEpoch(), leader.leaderId(), endpoints));
    }

    private List<Endpoint> endpoint(String host, int port) {
        return host.isEmpty() ? List.of() : List.of(new Endpoint(listener, host, port));
    }

    /** Of the whole request: nothing is said of the quorum. */
    private static RaftResponse whole(short code) {
        return new RaftResponse.Plain(head(code, -1, -1, List.of()));
    }

    private static RaftResponse.Head head(short code, int epoch, int leaderId, List<Endpoint> endpoints) {
        return new RaftResponse.Head(error(code), epoch, leaderId, endpoints);
    }

    private static RaftError error(short code) {
        String name = Errors.forCode(code).name();
        for (RaftError each : RaftError.values()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return RaftError.UNKNOWN_SERVER_ERROR;
    }

    /** Null for the message's way to say that there is none. */
    private static OffsetAndEpoch end(long offset, int epoch) {
        return offset < 0 || epoch < 0 ? null : new OffsetAndEpoch(offset, epoch);
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer own = ByteBuffer.allocate(bytes.remaining());
        own.put(bytes).flip();
        return own;
    }
}
