package protocol;

import common.Callback;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ConfigService;

/** Changes single configs (KIP-339). */
final class IncrementalAlterConfigsHandler implements ApiHandler {
    private final ConfigService configs;

    IncrementalAlterConfigsHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        configs.alter((IncrementalAlterConfigsRequestData) request, respond::done);
    }
}
