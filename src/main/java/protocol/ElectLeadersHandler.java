package protocol;

import common.Callback;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Gives partitions the leaders that they should have; kafka-leader-election asks for it. */
final class ElectLeadersHandler implements ApiHandler {
    private final ClusterService cluster;

    ElectLeadersHandler(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ELECT_LEADERS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        cluster.electLeaders((ElectLeadersRequestData) request, respond::done);
    }
}
