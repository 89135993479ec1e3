package protocol;

import common.Callback;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Takes a broker that is gone for good off the cluster; kafka-cluster asks for it. */
final class UnregisterBrokerHandler implements ApiHandler {
    private final ClusterService cluster;

    UnregisterBrokerHandler(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.UNREGISTER_BROKER;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        cluster.unregisterBroker((UnregisterBrokerRequestData) request, respond::done);
    }
}
