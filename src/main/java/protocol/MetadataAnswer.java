package protocol;

import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;

/** Puts together one Metadata response in the form of the request's version. */
final class MetadataAnswer {
    private static final short FIRST_WITH_LISTENER_ERROR = 6;
    private static final short FIRST_WITH_OPERATIONS = 8;
    private static final short LAST_WITH_CLUSTER_OPERATIONS = 10;

    private final ClusterView view;
    private final short version;
    private final boolean topicOperations;
    private final MetadataResponseData response;

    MetadataAnswer(ClusterView view, short version, MetadataRequestData request) {
        this.view = view;
        this.version = version;
        this.topicOperations = version >= FIRST_WITH_OPERATIONS && request.includeTopicAuthorizedOperations();
        this.response = new MetadataResponseData()
                .setClusterId(view.image().clusterId())
                .setControllerId(view.controllerId());
        for (ClusterView.Node node : view.nodes(false)) {
            response.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node.id())
                            .setHost(node.host())
                            .setPort(node.port())
                            .setRack(node.rack()));
        }
        if (version >= FIRST_WITH_OPERATIONS
                && version <= LAST_WITH_CLUSTER_OPERATIONS
                && request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(AuthorizedOperations.onCluster());
        }
    }

    void add(TopicImage topic) {
        List<MetadataResponsePartition> partitions =
                new ArrayList<>(topic.partitions().size());
        topic.partitions().forEach(partition -> partitions.add(partition(partition)));
        add(new MetadataResponseTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(topic.internal())
                .setPartitions(partitions));
    }

    void add(MetadataResponseTopic topic) {
        // An unknown id has no name that rights could hang on.
        if (topicOperations && topic.name() != null) {
            topic.setTopicAuthorizedOperations(AuthorizedOperations.onTopic());
        }
        response.topics().add(topic);
    }

    MetadataResponseData build() {
        return response;
    }

    private MetadataResponsePartition partition(PartitionImage partition) {
        ClusterView.PartitionView seen = view.partition(partition);
        MetadataResponsePartition answer = new MetadataResponsePartition()
                .setErrorCode(errorOf(seen).code())
                .setPartitionIndex(partition.partition())
                .setLeaderId(seen.leader())
                .setLeaderEpoch(partition.leaderEpoch())
                .setReplicaNodes(seen.replicas())
                .setIsrNodes(seen.isr())
                .setOfflineReplicas(seen.offline());
        if (version == 0) {
            reachableOnly(answer, seen);
        }
        return answer;
    }

    private Errors errorOf(ClusterView.PartitionView seen) {
        boolean unknownToClient = version < FIRST_WITH_LISTENER_ERROR && seen.error() == Errors.LISTENER_NOT_FOUND;
        return unknownToClient ? Errors.LEADER_NOT_AVAILABLE : seen.error();
    }

    /** Version 0 names only replicas that serve, and says so with an error when one does not. */
    private void reachableOnly(MetadataResponsePartition answer, ClusterView.PartitionView seen) {
        answer.setReplicaNodes(reachable(seen.replicas())).setIsrNodes(reachable(seen.isr()));
        boolean all = answer.replicaNodes().size() == seen.replicas().size()
                && answer.isrNodes().size() == seen.isr().size();
        if (!all && seen.error() == Errors.NONE) {
            answer.setErrorCode(Errors.REPLICA_NOT_AVAILABLE.code());
        }
    }

    private List<Integer> reachable(List<Integer> brokers) {
        return brokers.stream().filter(view::isReachable).toList();
    }
}
