package protocol;

import common.Callback;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.TransactionService;

/** Lists the transactional ids that this broker coordinates. */
final class ListTransactionsHandler implements ApiHandler {
    private final TransactionService service;

    ListTransactionsHandler(TransactionService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_TRANSACTIONS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        service.list((ListTransactionsRequestData) message, respond::done);
    }
}
