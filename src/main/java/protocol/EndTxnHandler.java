package protocol;

import common.Callback;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.TransactionService;
import transaction.Producer;

/** Commits or aborts a producer's transaction. */
final class EndTxnHandler implements ApiHandler {
    /** First version whose clients know PRODUCER_FENCED. */
    private static final short FENCING = 2;
    /** First version of the second protocol (KIP-890). */
    private static final short BUMPING = 5;

    private final TransactionService service;

    EndTxnHandler(TransactionService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.END_TXN;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        EndTxnRequestData request = (EndTxnRequestData) message;
        short version = context.apiVersion();
        if (request.transactionalId().isEmpty()) {
            respond.succeed(new EndTxnResponseData().setErrorCode(Errors.INVALID_REQUEST.code()));
            return;
        }
        Producer producer = new Producer(request.transactionalId(), request.producerId(), request.producerEpoch());
        int clientVersion = version >= BUMPING ? 2 : 0;
        service.end(context.image(), producer, request.committed(), clientVersion, (answer, failure) -> {
            EndTxnResponseData response = new EndTxnResponseData()
                    .setErrorCode(TransactionHandlers.fenced(answer.error(), version, FENCING)
                            .code());
            if (version >= BUMPING) {
                response.setProducerId(answer.producerId()).setProducerEpoch(answer.epoch());
            }
            respond.succeed(response);
        });
    }
}
