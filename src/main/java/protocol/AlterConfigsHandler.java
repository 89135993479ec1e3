package protocol;

import common.Callback;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ConfigService;

/** Replaces all configs of resources: the old form, for old clients. */
final class AlterConfigsHandler implements ApiHandler {
    private final ConfigService configs;

    AlterConfigsHandler(ConfigService configs) {
        this.configs = configs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        configs.replace((AlterConfigsRequestData) request, respond::done);
    }
}
