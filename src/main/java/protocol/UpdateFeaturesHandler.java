package protocol;

import common.Callback;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Finalizes levels of the cluster's features. */
final class UpdateFeaturesHandler implements ApiHandler {
    private final ClusterService cluster;

    UpdateFeaturesHandler(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.UPDATE_FEATURES;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        cluster.updateFeatures((UpdateFeaturesRequestData) request, respond::done);
    }
}
