package protocol;

import common.Callback;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;

/** The cluster's id, brokers and controller. This door is a broker's: controllers are not listed here (KIP-919). */
final class DescribeClusterHandler implements ApiHandler {
    private static final byte BROKERS = 1;
    private static final byte CONTROLLERS = 2;

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLUSTER;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeClusterRequestData request = (DescribeClusterRequestData) message;
        if (request.endpointType() == CONTROLLERS) {
            respond.succeed(
                    refused(Errors.MISMATCHED_ENDPOINT_TYPE, "this is a listener for brokers, not controllers"));
            return;
        }
        if (request.endpointType() != BROKERS) {
            String known = "endpoint type " + request.endpointType() + " is neither 1 (brokers) nor 2 (controllers)";
            respond.succeed(refused(Errors.UNSUPPORTED_ENDPOINT_TYPE, known));
            return;
        }
        ClusterView view = new ClusterView(context.image(), context.connection());
        DescribeClusterResponseData response = new DescribeClusterResponseData()
                .setClusterId(view.image().clusterId())
                .setControllerId(view.controllerId());
        if (request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(AuthorizedOperations.onCluster());
        }
        for (ClusterView.Node node : view.nodes(request.includeFencedBrokers())) {
            response.brokers()
                    .add(new DescribeClusterBroker()
                            .setBrokerId(node.id())
                            .setHost(node.host())
                            .setPort(node.port())
                            .setRack(node.rack())
                            .setIsFenced(node.fenced()));
        }
        respond.succeed(response);
    }

    private static DescribeClusterResponseData refused(Errors error, String message) {
        return new DescribeClusterResponseData().setErrorCode(error.code()).setErrorMessage(message);
    }
}
