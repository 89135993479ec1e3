package protocol;

import common.Callback;
import java.util.Objects;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;
import services.QuorumService;

/** DescribeCluster on a listener of controllers: the controllers, and the active one (KIP-919). Brokers are not listed there. */
final class DescribeControllersHandler implements ApiHandler {
    private static final byte CONTROLLERS = 2;

    private final QuorumService quorum;

    DescribeControllersHandler(QuorumService quorum) {
        this.quorum = quorum;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLUSTER;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeClusterRequestData request = (DescribeClusterRequestData) message;
        if (request.endpointType() != CONTROLLERS) {
            respond.succeed(new DescribeClusterResponseData()
                    .setErrorCode(Errors.MISMATCHED_ENDPOINT_TYPE.code())
                    .setErrorMessage("this is a listener for controllers, not brokers"));
            return;
        }
        quorum.describeControllers(context.connection().listener(), (answer, failure) -> {
            if (failure == null) {
                answer.setEndpointType(CONTROLLERS)
                        .setClusterId(Objects.requireNonNullElse(context.image().clusterId(), ""));
                if (request.includeClusterAuthorizedOperations()) {
                    answer.setClusterAuthorizedOperations(AuthorizedOperations.onCluster());
                }
            }
            respond.done(answer, failure);
        });
    }
}
