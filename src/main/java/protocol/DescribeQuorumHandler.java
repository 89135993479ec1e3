package protocol;

import common.Callback;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Leader, voters and observers of the metadata log. */
final class DescribeQuorumHandler implements ApiHandler {
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
        cluster.describeQuorum((DescribeQuorumRequestData) request, respond::done);
    }
}
