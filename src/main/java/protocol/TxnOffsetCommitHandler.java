package protocol;

import common.Callback;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.TransactionOffsetService;

/** Commits offsets of a group inside of a transaction. */
final class TxnOffsetCommitHandler implements ApiHandler {
    private final TransactionOffsetService service;

    TxnOffsetCommitHandler(TransactionOffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.TXN_OFFSET_COMMIT;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        service.commit(context.image(), (TxnOffsetCommitRequestData) message, context.apiVersion(), respond::done);
    }
}
