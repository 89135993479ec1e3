package protocol;

import common.Callback;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData.ComponentData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData.EntityData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData.EntryData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData.ValueData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.QuotaService;
import services.QuotaService.Component;

/** Shows client quotas (KIP-546). */
final class DescribeClientQuotasHandler implements ApiHandler {
    private final QuotaService quotas;

    DescribeClientQuotasHandler(QuotaService quotas) {
        this.quotas = quotas;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLIENT_QUOTAS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeClientQuotasRequestData request = (DescribeClientQuotasRequestData) message;
        List<Component> filter = new ArrayList<>();
        for (ComponentData part : request.components()) {
            filter.add(new Component(part.entityType(), part.matchType(), part.match()));
        }
        QuotaService.Found found = quotas.describe(context.image(), filter, request.strict());
        DescribeClientQuotasResponseData response = new DescribeClientQuotasResponseData();
        if (found.error() != Errors.NONE) {
            respond.succeed(response.setErrorCode(found.error().code())
                    .setErrorMessage(found.message())
                    .setEntries(null));
            return;
        }
        List<EntryData> entries = new ArrayList<>();
        found.entries().forEach(entry -> entries.add(entry(entry)));
        respond.succeed(response.setEntries(entries));
    }

    private static EntryData entry(QuotaService.Entry entry) {
        EntryData data = new EntryData();
        entry.entity()
                .parts()
                .forEach((type, name) ->
                        data.entity().add(new EntityData().setEntityType(type).setEntityName(name)));
        entry.values()
                .forEach((key, value) ->
                        data.values().add(new ValueData().setKey(key).setValue(value)));
        return data;
    }
}
