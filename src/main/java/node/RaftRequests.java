package node;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.EndQuorumEpochRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchSnapshotRequestData;
import org.apache.kafka.common.message.RemoveRaftVoterRequestData;
import org.apache.kafka.common.message.UpdateRaftVoterRequestData;
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import raft.Endpoint;
import raft.OffsetAndEpoch;
import raft.RaftRequest;
import raft.ReplicaKey;
import raft.VoterSet;

/**
 * Raft's requests as Kafka's messages of the same names, both ways. A message that is malformed, or not about the metadata log's one partition, gives null,
 * and is answered {@link RaftAnswers#MALFORMED}.
 */
final class RaftRequests {
    /** As Kafka's replicas ask for; how much comes is the leader's choice. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;

    private static final String TOPIC = Topic.CLUSTER_METADATA_TOPIC_NAME;
    /** Of kraft.version: static voters (0) and voters in the log (1). */
    private static final short LAST_KRAFT_VERSION = 1;

    private RaftRequests() {}

    static ApiMessage toKafka(RaftRequest request) {
        if (request instanceof RaftRequest.Vote vote) {
            return vote(vote);
        } else if (request instanceof RaftRequest.BeginEpoch begin) {
            return begin(begin);
        } else if (request instanceof RaftRequest.EndEpoch end) {
            return end(end);
        } else if (request instanceof RaftRequest.Fetch fetch) {
            return fetch(fetch);
        } else if (request instanceof RaftRequest.FetchSnapshot piece) {
            return fetchSnapshot(piece);
        } else if (request instanceof RaftRequest.UpdateVoter update) {
            return update(update);
        }
        return request instanceof RaftRequest.AddVoter add ? add(add) : remove((RaftRequest.RemoveVoter) request);
    }

    private static ApiMessage vote(RaftRequest.Vote vote) {
        VoteRequestData.PartitionData partition = new VoteRequestData.PartitionData()
                .setPartitionIndex(0)
                .setReplicaEpoch(vote.epoch())
                .setReplicaId(vote.candidate().id())
                .setReplicaDirectoryId(directory(vote.candidate()))
                .setLastOffsetEpoch(vote.end().epoch())
                .setLastOffset(vote.end().offset())
                .setPreVote(vote.preVote());
        VoteRequestData request = new VoteRequestData().setClusterId(vote.clusterId());
        if (vote.voter() != null) {
            request.setVoterId(vote.voter().id());
            partition.setVoterDirectoryId(directory(vote.voter()));
        }
        request.topics().add(new VoteRequestData.TopicData().setTopicName(TOPIC).setPartitions(List.of(partition)));
        return request;
    }

    private static ApiMessage begin(RaftRequest.BeginEpoch begin) {
        BeginQuorumEpochRequestData.PartitionData partition = new BeginQuorumEpochRequestData.PartitionData()
                .setPartitionIndex(0)
                .setLeaderId(begin.leaderId())
                .setLeaderEpoch(begin.epoch());
        BeginQuorumEpochRequestData request = new BeginQuorumEpochRequestData().setClusterId(begin.clusterId());
        if (begin.voter() != null) {
            request.setVoterId(begin.voter().id());
            partition.setVoterDirectoryId(directory(begin.voter()));
        }
        request.topics()
                .add(new BeginQuorumEpochRequestData.TopicData()
                        .setTopicName(TOPIC)
                        .setPartitions(List.of(partition)));
        for (Endpoint each : begin.endpoints()) {
            request.leaderEndpoints()
                    .add(new BeginQuorumEpochRequestData.LeaderEndpoint()
                            .setName(each.listener())
                            .setHost(each.host())
                            .setPort(each.port()));
        }
        return request;
    }

    private static ApiMessage end(RaftRequest.EndEpoch end) {
        EndQuorumEpochRequestData.PartitionData partition = new EndQuorumEpochRequestData.PartitionData()
                .setPartitionIndex(0)
                .setLeaderId(end.leaderId())
                .setLeaderEpoch(end.epoch());
        for (ReplicaKey each : end.successors()) {
            partition.preferredSuccessors().add(each.id());
            partition
                    .preferredCandidates()
                    .add(new EndQuorumEpochRequestData.ReplicaInfo()
                            .setCandidateId(each.id())
                            .setCandidateDirectoryId(directory(each)));
        }
        EndQuorumEpochRequestData request = new EndQuorumEpochRequestData().setClusterId(end.clusterId());
        request.topics()
                .add(new EndQuorumEpochRequestData.TopicData()
                        .setTopicName(TOPIC)
                        .setPartitions(List.of(partition)));
        return request;
    }

    private static ApiMessage fetch(RaftRequest.Fetch fetch) {
        FetchRequestData.FetchPartition partition = new FetchRequestData.FetchPartition()
                .setPartition(0)
                .setCurrentLeaderEpoch(fetch.epoch())
                .setFetchOffset(fetch.end().offset())
                .setLastFetchedEpoch(fetch.end().epoch())
                .setPartitionMaxBytes(MOST_BYTES)
                .setReplicaDirectoryId(directory(fetch.replica()))
                .setHighWatermark(fetch.highWatermark());
        FetchRequestData request = new FetchRequestData()
                .setClusterId(fetch.clusterId())
                .setReplicaState(new FetchRequestData.ReplicaState()
                        .setReplicaId(fetch.replica().id()))
                .setMaxWaitMs(fetch.maxWaitMillis())
                .setMaxBytes(MOST_BYTES);
        request.topics()
                .add(new FetchRequestData.FetchTopic()
                        .setTopic(TOPIC)
                        .setTopicId(Uuid.METADATA_TOPIC_ID)
                        .setPartitions(List.of(partition)));
        return request;
    }

    private static ApiMessage fetchSnapshot(RaftRequest.FetchSnapshot fetch) {
        FetchSnapshotRequestData.PartitionSnapshot partition = new FetchSnapshotRequestData.PartitionSnapshot()
                .setPartition(0)
                .setCurrentLeaderEpoch(fetch.epoch())
                .setSnapshotId(new FetchSnapshotRequestData.SnapshotId()
                        .setEndOffset(fetch.snapshot().offset())
                        .setEpoch(fetch.snapshot().epoch()))
                .setPosition(fetch.position())
                .setReplicaDirectoryId(directory(fetch.replica()));
        FetchSnapshotRequestData request = new FetchSnapshotRequestData()
                .setClusterId(fetch.clusterId())
                .setReplicaId(fetch.replica().id())
                .setMaxBytes(MOST_BYTES);
        request.topics()
                .add(new FetchSnapshotRequestData.TopicSnapshot().setName(TOPIC).setPartitions(List.of(partition)));
        return request;
    }

    private static ApiMessage update(RaftRequest.UpdateVoter update) {
        UpdateRaftVoterRequestData request = new UpdateRaftVoterRequestData()
                .setClusterId(update.clusterId())
                .setCurrentLeaderEpoch(update.epoch())
                .setVoterId(update.voter().key().id())
                .setVoterDirectoryId(directory(update.voter().key()))
                .setKRaftVersionFeature(new UpdateRaftVoterRequestData.KRaftVersionFeature()
                        .setMaxSupportedVersion(LAST_KRAFT_VERSION));
        for (Endpoint each : update.voter().endpoints()) {
            request.listeners()
                    .add(new UpdateRaftVoterRequestData.Listener()
                            .setName(each.listener())
                            .setHost(each.host())
                            .setPort(each.port()));
        }
        return request;
    }

    private static ApiMessage add(RaftRequest.AddVoter add) {
        AddRaftVoterRequestData request = new AddRaftVoterRequestData()
                .setClusterId(add.clusterId())
                .setTimeoutMs(add.timeoutMillis())
                .setVoterId(add.voter().key().id())
                .setVoterDirectoryId(directory(add.voter().key()))
                .setAckWhenCommitted(add.ackWhenCommitted());
        for (Endpoint each : add.voter().endpoints()) {
            request.listeners()
                    .add(new AddRaftVoterRequestData.Listener()
                            .setName(each.listener())
                            .setHost(each.host())
                            .setPort(each.port()));
        }
        return request;
    }

    private static ApiMessage remove(RaftRequest.RemoveVoter remove) {
        return new RemoveRaftVoterRequestData()
                .setClusterId(remove.clusterId())
                .setVoterId(remove.voter().id())
                .setVoterDirectoryId(directory(remove.voter()));
    }

    static RaftRequest.Vote fromKafka(VoteRequestData request) {
        if (request.topics().size() != 1
                || !request.topics().get(0).topicName().equals(TOPIC)
                || request.topics().get(0).partitions().size() != 1) {
            return null;
        }
        VoteRequestData.PartitionData asked =
                request.topics().get(0).partitions().get(0);
        OffsetAndEpoch end = end(asked.lastOffset(), asked.lastOffsetEpoch());
        // Rule R3 compares epochs of records; none is of a later epoch than the candidate's.
        if (asked.partitionIndex() != 0 || asked.replicaId() < 0 || end == null || end.epoch() > asked.replicaEpoch()) {
            return null;
        }
        ReplicaKey voter = request.voterId() < 0 ? null : key(request.voterId(), asked.voterDirectoryId());
        ReplicaKey candidate = key(asked.replicaId(), asked.replicaDirectoryId());
        return new RaftRequest.Vote(request.clusterId(), candidate, asked.replicaEpoch(), end, asked.preVote(), voter);
    }

    static RaftRequest.BeginEpoch fromKafka(BeginQuorumEpochRequestData request) {
        if (request.topics().size() != 1
                || !request.topics().get(0).topicName().equals(TOPIC)
                || request.topics().get(0).partitions().size() != 1) {
            return null;
        }
        BeginQuorumEpochRequestData.PartitionData asked =
                request.topics().get(0).partitions().get(0);
        if (asked.partitionIndex() != 0 || asked.leaderId() < 0 || asked.leaderEpoch() < 0) {
            return null;
        }
        List<Endpoint> endpoints = new ArrayList<>();
        request.leaderEndpoints().forEach(each -> endpoints.add(new Endpoint(each.name(), each.host(), each.port())));
        ReplicaKey voter = request.voterId() < 0 ? null : key(request.voterId(), asked.voterDirectoryId());
        return new RaftRequest.BeginEpoch(request.clusterId(), asked.leaderEpoch(), asked.leaderId(), endpoints, voter);
    }

    static RaftRequest.EndEpoch fromKafka(EndQuorumEpochRequestData request) {
        if (request.topics().size() != 1
                || !request.topics().get(0).topicName().equals(TOPIC)
                || request.topics().get(0).partitions().size() != 1) {
            return null;
        }
        EndQuorumEpochRequestData.PartitionData asked =
                request.topics().get(0).partitions().get(0);
        if (asked.partitionIndex() != 0 || asked.leaderId() < 0 || asked.leaderEpoch() < 0) {
            return null;
        }
        List<ReplicaKey> successors = new ArrayList<>();
        asked.preferredCandidates()
                .forEach(each -> successors.add(key(each.candidateId(), each.candidateDirectoryId())));
        if (successors.isEmpty()) {
            asked.preferredSuccessors().forEach(each -> successors.add(ReplicaKey.of(each)));
        }
        return new RaftRequest.EndEpoch(request.clusterId(), asked.leaderEpoch(), asked.leaderId(), successors);
    }

    static RaftRequest.Fetch fromKafka(FetchRequestData request) {
        if (request.topics().size() != 1 || request.topics().get(0).partitions().size() != 1) {
            return null;
        }
        FetchRequestData.FetchTopic topic = request.topics().get(0);
        FetchRequestData.FetchPartition asked = topic.partitions().get(0);
        boolean metadata = topic.topicId().equals(Uuid.METADATA_TOPIC_ID)
                || (topic.topicId().equals(Uuid.ZERO_UUID) && topic.topic().equals(TOPIC));
        int replica =
                request.replicaState().replicaId() >= 0 ? request.replicaState().replicaId() : request.replicaId();
        OffsetAndEpoch end = end(asked.fetchOffset(), asked.lastFetchedEpoch());
        if (!metadata || asked.partition() != 0 || replica < 0 || end == null) {
            return null;
        }
        return new RaftRequest.Fetch(
                request.clusterId(),
                key(replica, asked.replicaDirectoryId()),
                asked.currentLeaderEpoch(),
                end,
                asked.highWatermark(),
                request.maxWaitMs());
    }

    static RaftRequest.FetchSnapshot fromKafka(FetchSnapshotRequestData request) {
        if (request.topics().size() != 1
                || !request.topics().get(0).name().equals(TOPIC)
                || request.topics().get(0).partitions().size() != 1) {
            return null;
        }
        FetchSnapshotRequestData.PartitionSnapshot asked =
                request.topics().get(0).partitions().get(0);
        OffsetAndEpoch snapshot =
                end(asked.snapshotId().endOffset(), asked.snapshotId().epoch());
        if (asked.partition() != 0 || request.replicaId() < 0 || snapshot == null) {
            return null;
        }
        return new RaftRequest.FetchSnapshot(
                request.clusterId(),
                key(request.replicaId(), asked.replicaDirectoryId()),
                asked.currentLeaderEpoch(),
                snapshot,
                asked.position());
    }

    static RaftRequest.AddVoter fromKafka(AddRaftVoterRequestData request) {
        List<Endpoint> endpoints = new ArrayList<>();
        request.listeners().forEach(each -> endpoints.add(new Endpoint(each.name(), each.host(), each.port())));
        if (request.voterId() < 0 || endpoints.isEmpty()) {
            return null;
        }
        return new RaftRequest.AddVoter(
                request.clusterId(),
                new VoterSet.Voter(key(request.voterId(), request.voterDirectoryId()), endpoints),
                request.timeoutMs(),
                request.ackWhenCommitted());
    }

    static RaftRequest.RemoveVoter fromKafka(RemoveRaftVoterRequestData request) {
        return request.voterId() < 0
                ? null
                : new RaftRequest.RemoveVoter(request.clusterId(), key(request.voterId(), request.voterDirectoryId()));
    }

    static RaftRequest.UpdateVoter fromKafka(UpdateRaftVoterRequestData request) {
        List<Endpoint> endpoints = new ArrayList<>();
        request.listeners().forEach(each -> endpoints.add(new Endpoint(each.name(), each.host(), each.port())));
        if (request.voterId() < 0 || endpoints.isEmpty()) {
            return null;
        }
        return new RaftRequest.UpdateVoter(
                request.clusterId(),
                request.currentLeaderEpoch(),
                new VoterSet.Voter(key(request.voterId(), request.voterDirectoryId()), endpoints));
    }

    /** Null for an end that no log has. */
    private static OffsetAndEpoch end(long offset, int epoch) {
        return offset < 0 || epoch < 0 ? null : new OffsetAndEpoch(offset, epoch);
    }

    private static ReplicaKey key(int id, Uuid directory) {
        return new ReplicaKey(id, directory.getMostSignificantBits(), directory.getLeastSignificantBits());
    }

    private static Uuid directory(ReplicaKey key) {
        return new Uuid(key.directoryMost(), key.directoryLeast());
    }
}
