package protocol;

import java.util.List;
import java.util.function.IntConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AddRaftVoterRequestData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochRequestData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
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
import org.apache.kafka.common.message.VoteRequestData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import services.ClusterService;
import services.QuorumService;

/**
 * The handlers of the metadata quorum: of the listeners of controllers, where each node answers for its own replica, and the few that brokers have too and pass
 * to the active controller (KIP-595, KIP-630, KIP-853). Where the leader listens has room in later versions only.
 */
public final class QuorumHandlers {
    private static final short FETCH_WITH_EPOCHS = 12;
    private static final short FETCH_WITH_ENDPOINTS = 16;
    private static final short DESCRIBE_WITH_DIRECTORIES = 2;

    private QuorumHandlers() {}

    /**
     * For listeners of controllers.
     *
     * @param ended told of each node whose connection ended while it waited for news
     */
    public static List<ApiHandler> ofController(QuorumService quorum, IntConsumer ended) {
        return List.of(
                new QuorumHandler<>(ApiKeys.VOTE, VoteRequestData.class, quorum::vote, QuorumHandlers::fit),
                new QuorumHandler<>(
                        ApiKeys.BEGIN_QUORUM_EPOCH,
                        BeginQuorumEpochRequestData.class,
                        quorum::beginQuorumEpoch,
                        QuorumHandlers::fit),
                new QuorumHandler<>(
                        ApiKeys.END_QUORUM_EPOCH,
                        EndQuorumEpochRequestData.class,
                        quorum::endQuorumEpoch,
                        QuorumHandlers::fit),
                new MetadataFetchHandler(
                        new QuorumHandler<>(ApiKeys.FETCH, FetchRequestData.class, quorum::fetch, QuorumHandlers::fit),
                        ended),
                new QuorumHandler<>(
                        ApiKeys.FETCH_SNAPSHOT,
                        FetchSnapshotRequestData.class,
                        quorum::fetchSnapshot,
                        QuorumHandlers::fit),
                new QuorumHandler<>(
                        ApiKeys.UPDATE_RAFT_VOTER,
                        UpdateRaftVoterRequestData.class,
                        quorum::updateRaftVoter,
                        (answer, version) -> {}),
                add(quorum::addRaftVoter),
                remove(quorum::removeRaftVoter),
                describe(quorum::describeQuorum),
                new DescribeControllersHandler(quorum));
    }

    /** For listeners of brokers. */
    static List<ApiHandler> ofBroker(ClusterService cluster) {
        return List.of(add(cluster::addRaftVoter), remove(cluster::removeRaftVoter), describe(cluster::describeQuorum));
    }

    private static ApiHandler add(QuorumHandler.UseCase<AddRaftVoterRequestData, AddRaftVoterResponseData> useCase) {
        return new QuorumHandler<>(
                ApiKeys.ADD_RAFT_VOTER, AddRaftVoterRequestData.class, useCase, (answer, version) -> {});
    }

    private static ApiHandler remove(
            QuorumHandler.UseCase<RemoveRaftVoterRequestData, RemoveRaftVoterResponseData> useCase) {
        return new QuorumHandler<>(
                ApiKeys.REMOVE_RAFT_VOTER, RemoveRaftVoterRequestData.class, useCase, (answer, version) -> {});
    }

    private static ApiHandler describe(
            QuorumHandler.UseCase<DescribeQuorumRequestData, DescribeQuorumResponseData> useCase) {
        return new QuorumHandler<>(
                ApiKeys.DESCRIBE_QUORUM, DescribeQuorumRequestData.class, useCase, QuorumHandlers::fit);
    }

    private static void fit(VoteResponseData answer, short version) {
        if (version < 1) {
            answer.setNodeEndpoints(new VoteResponseData.NodeEndpointCollection());
        }
    }

    private static void fit(BeginQuorumEpochResponseData answer, short version) {
        if (version < 1) {
            answer.setNodeEndpoints(new BeginQuorumEpochResponseData.NodeEndpointCollection());
        }
    }

    private static void fit(EndQuorumEpochResponseData answer, short version) {
        if (version < 1) {
            answer.setNodeEndpoints(new EndQuorumEpochResponseData.NodeEndpointCollection());
        }
    }

    private static void fit(FetchResponseData answer, short version) {
        if (version < FETCH_WITH_ENDPOINTS) {
            answer.setNodeEndpoints(new FetchResponseData.NodeEndpointCollection());
        }
        if (version < FETCH_WITH_EPOCHS) {
            answer.responses()
                    .forEach(topic -> topic.partitions()
                            .forEach(partition -> partition
                                    .setCurrentLeader(new FetchResponseData.LeaderIdAndEpoch())
                                    .setDivergingEpoch(new FetchResponseData.EpochEndOffset())
                                    .setSnapshotId(new FetchResponseData.SnapshotId())));
        }
    }

    private static void fit(FetchSnapshotResponseData answer, short version) {
        if (version < 1) {
            answer.setNodeEndpoints(new FetchSnapshotResponseData.NodeEndpointCollection());
        }
    }

    /** What KIP-853 added. */
    private static void fit(DescribeQuorumResponseData answer, short version) {
        if (version >= DESCRIBE_WITH_DIRECTORIES) {
            return;
        }
        answer.setNodes(new DescribeQuorumResponseData.NodeCollection());
        answer.topics()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    partition.currentVoters().forEach(voter -> voter.setReplicaDirectoryId(Uuid.ZERO_UUID));
                    partition.observers().forEach(observer -> observer.setReplicaDirectoryId(Uuid.ZERO_UUID));
                }));
    }
}
