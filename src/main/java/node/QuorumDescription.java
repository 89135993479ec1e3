package node;

import config.BrokerConfig;
import config.Listener;
import java.util.List;
import metadata.MetadataImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Node;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.message.DescribeQuorumResponseData.TopicData;
import org.apache.kafka.common.protocol.Errors;
import raft.RaftNode;
import storage.PartitionLog;

/** Answers DescribeQuorum (KIP-836, KIP-853) for a quorum of this node alone. */
final class QuorumDescription {
    private final BrokerConfig config;
    private final Uuid directoryId;

    /** The moment that is described. */
    record Now(RaftNode raft, PartitionLog log, MetadataImage image, long wallMillis) {}

    QuorumDescription(BrokerConfig config, Uuid directoryId) {
        this.config = config;
        this.directoryId = directoryId;
    }

    DescribeQuorumResponseData answer(DescribeQuorumRequestData request, Now now) {
        DescribeQuorumResponseData answer = new DescribeQuorumResponseData();
        boolean known = false;
        for (DescribeQuorumRequestData.TopicData topic : request.topics()) {
            TopicData described = new TopicData().setTopicName(topic.topicName());
            for (DescribeQuorumRequestData.PartitionData partition : topic.partitions()) {
                boolean metadata =
                        topic.topicName().equals(Topic.CLUSTER_METADATA_TOPIC_NAME) && partition.partitionIndex() == 0;
                known |= metadata;
                described.partitions().add(metadata ? describe(now) : unknown(partition.partitionIndex()));
            }
            answer.topics().add(described);
        }
        if (known) {
            answer.nodes().add(node());
        }
        return answer;
    }

    private static PartitionData unknown(int partition) {
        return new PartitionData().setPartitionIndex(partition).setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    private PartitionData describe(Now now) {
        ReplicaState self = new ReplicaState()
                .setReplicaId(config.node().nodeId())
                .setReplicaDirectoryId(directoryId)
                .setLogEndOffset(now.log.logEndOffset())
                .setLastFetchTimestamp(now.wallMillis)
                .setLastCaughtUpTimestamp(now.wallMillis);
        return new PartitionData()
                .setPartitionIndex(0)
                .setLeaderId(config.node().nodeId())
                .setLeaderEpoch(now.raft.epoch())
                .setHighWatermark(now.image.version())
                .setCurrentVoters(List.of(self));
    }

    private Node node() {
        Node node = new Node().setNodeId(config.node().nodeId());
        for (Listener each : config.node().controllerListeners()) {
            node.listeners()
                    .add(new DescribeQuorumResponseData.Listener()
                            .setName(each.name())
                            .setHost(each.host() == null ? "localhost" : each.host())
                            .setPort(each.port()));
        }
        return node;
    }
}
