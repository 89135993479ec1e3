package protocol;

import common.Callback;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.NodeCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Leader, voters and observers of the metadata log. */
final class DescribeQuorumHandler implements ApiHandler {
    private static final short FIRST_WITH_DIRECTORIES = 2;

    private final ClusterService cluster;

    DescribeQuorumHandler(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_QUORUM;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        short version = context.apiVersion();
        cluster.describeQuorum((DescribeQuorumRequestData) request, (answer, failure) -> {
            if (failure == null && version < FIRST_WITH_DIRECTORIES) {
                withoutDirectories(answer);
            }
            respond.done(answer, failure);
        });
    }

    /** What KIP-853 added cannot be put into older answers. */
    private static void withoutDirectories(DescribeQuorumResponseData answer) {
        answer.setNodes(new NodeCollection());
        answer.topics()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    partition.currentVoters().forEach(voter -> voter.setReplicaDirectoryId(Uuid.ZERO_UUID));
                    partition.observers().forEach(observer -> observer.setReplicaDirectoryId(Uuid.ZERO_UUID));
                }));
    }
}
