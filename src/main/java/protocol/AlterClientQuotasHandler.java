package protocol;

import common.Callback;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.QuotaService;

/** Stores client quotas (KIP-546). */
final class AlterClientQuotasHandler implements ApiHandler {
    private final QuotaService quotas;

    AlterClientQuotasHandler(QuotaService quotas) {
        this.quotas = quotas;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CLIENT_QUOTAS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        quotas.alter((AlterClientQuotasRequestData) request, respond::done);
    }
}
