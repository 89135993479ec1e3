package node;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Node;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.message.DescribeQuorumResponseData.TopicData;
import org.apache.kafka.common.protocol.Errors;
import raft.Endpoint;
import raft.RaftNode;
import raft.ReplicaKey;
import raft.ReplicaProgress;
import raft.VoterSet;

/** Answers DescribeQuorum (KIP-836, KIP-853): by the leader only, who hears of all replicas; and what any replica knows of the controllers. */
final class QuorumDescription {
    private final ReplicaKey self;
    private final List<Endpoint> endpoints;

    /** The moment that is described; {@code millis} of the clock that consensus has. */
    record Now(RaftNode raft, long logEnd, long highWatermark, long millis, long wallMillis) {}

    /** @param endpoints where this node's controller listens */
    QuorumDescription(ReplicaKey self, List<Endpoint> endpoints) {
        this.self = self;
        this.endpoints = endpoints;
    }

    DescribeQuorumResponseData answer(DescribeQuorumRequestData request, Now now) {
        DescribeQuorumResponseData answer = new DescribeQuorumResponseData();
        boolean described = false;
        for (DescribeQuorumRequestData.TopicData topic : request.topics()) {
            TopicData data = new TopicData().setTopicName(topic.topicName());
            for (DescribeQuorumRequestData.PartitionData partition : topic.partitions()) {
                boolean metadata =
                        topic.topicName().equals(Topic.CLUSTER_METADATA_TOPIC_NAME) && partition.partitionIndex() == 0;
                described |= metadata && now.raft.leads();
                data.partitions().add(metadata ? describe(now) : unknown(partition.partitionIndex()));
            }
            answer.topics().add(data);
        }
        if (described) {
            nodes(now.raft).forEach(answer.nodes()::add);
        }
        return answer;
    }

    private static PartitionData unknown(int partition) {
        return new PartitionData().setPartitionIndex(partition).setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    private PartitionData describe(Now now) {
        PartitionData data = new PartitionData()
                .setPartitionIndex(0)
                .setLeaderId(now.raft.leaderId())
                .setLeaderEpoch(now.raft.epoch())
                .setHighWatermark(now.highWatermark);
        if (!now.raft.leads()) {
            return data.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
        }
        List<ReplicaProgress> known = new ArrayList<>(now.raft.replicas());
        known.add(new ReplicaProgress(self, now.logEnd, now.millis, now.millis));
        List<ReplicaState> voters = new ArrayList<>();
        for (VoterSet.Voter voter : now.raft.voters().voters()) {
            ReplicaProgress found = new ReplicaProgress(voter.key(), -1, Long.MIN_VALUE, Long.MIN_VALUE);
            for (ReplicaProgress each : known) {
                found = voter.key().means(each.key()) ? each : found;
            }
            voters.add(state(found, now));
        }
        List<ReplicaState> observers = known.stream()
                .filter(each -> !now.raft.voters().contains(each.key()))
                .map(each -> state(each, now))
                .toList();
        return data.setCurrentVoters(voters).setObservers(observers);
    }

    private static ReplicaState state(ReplicaProgress replica, Now now) {
        return new ReplicaState()
                .setReplicaId(replica.key().id())
                .setReplicaDirectoryId(
                        new Uuid(replica.key().directoryMost(), replica.key().directoryLeast()))
                .setLogEndOffset(replica.offset())
                .setLastFetchTimestamp(wall(replica.lastFetch(), now))
                .setLastCaughtUpTimestamp(wall(replica.caughtUp(), now));
    }

    private static long wall(long millis, Now now) {
        return millis == Long.MIN_VALUE ? -1 : now.wallMillis - (now.millis - millis);
    }

    /** Those that tell an address of {@code listener}, for DescribeCluster (KIP-919); any node knows them. */
    DescribeClusterResponseData controllers(RaftNode raft, String listener) {
        DescribeClusterResponseData answer = new DescribeClusterResponseData().setControllerId(raft.leaderId());
        for (Node node : nodes(raft)) {
            DescribeQuorumResponseData.Listener at = node.listeners().find(listener);
            if (at != null) {
                answer.brokers()
                        .add(new DescribeClusterResponseData.DescribeClusterBroker()
                                .setBrokerId(node.nodeId())
                                .setHost(at.host())
                                .setPort(at.port()));
            }
        }
        return answer;
    }

    private List<Node> nodes(RaftNode raft) {
        List<Node> nodes = new ArrayList<>();
        for (VoterSet.Voter voter : raft.voters().voters()) {
            boolean own = voter.key().means(self);
            nodes.add(node(voter.key().id(), own ? endpoints : voter.endpoints()));
        }
        return nodes;
    }

    private static Node node(int id, List<Endpoint> endpoints) {
        Node node = new Node().setNodeId(id);
        for (Endpoint each : endpoints) {
            node.listeners()
                    .add(new DescribeQuorumResponseData.Listener()
                            .setName(each.listener())
                            .setHost(each.host() == null ? "localhost" : each.host())
                            .setPort(each.port()));
        }
        return node;
    }
}
