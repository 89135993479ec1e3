package protocol;

import common.Callback;
import java.util.List;
import metadata.ConfigTarget;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData.ConfigResource;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.ConfigService;

/** Names the resources that have configs (KIP-1142); version 0 knows client metrics only (ListClientMetricsResources, KIP-1000). */
final class ListConfigResourcesHandler implements ApiHandler {
    private final ConfigService configs;

    ListConfigResourcesHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_CONFIG_RESOURCES;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ListConfigResourcesRequestData request = (ListConfigResourcesRequestData) message;
        List<Byte> types = context.apiVersion() == 0 ? List.of(ConfigTarget.CLIENT_METRICS) : request.resourceTypes();
        ConfigService.Listed listed = configs.list(context.image(), types);
        ListConfigResourcesResponseData response = new ListConfigResourcesResponseData()
                .setErrorCode(listed.error().code());
        if (listed.error() == Errors.NONE) {
            for (ConfigTarget target : listed.resources()) {
                response.configResources()
                        .add(new ConfigResource().setResourceType(target.type()).setResourceName(target.name()));
            }
        }
        respond.succeed(response);
    }
}
