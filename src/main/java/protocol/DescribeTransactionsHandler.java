package protocol;

import common.Callback;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.TransactionService;

/** What is known of transactional ids, at their coordinator. */
final class DescribeTransactionsHandler implements ApiHandler {
    private final TransactionService service;

    DescribeTransactionsHandler(TransactionService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_TRANSACTIONS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeTransactionsRequestData request = (DescribeTransactionsRequestData) message;
        service.describe(
                context.image(),
                request.transactionalIds(),
                (states, failure) ->
                        respond.succeed(new DescribeTransactionsResponseData().setTransactionStates(states)));
    }
}
