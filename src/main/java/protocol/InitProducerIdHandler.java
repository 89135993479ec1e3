package protocol;

import common.Callback;
import common.Failure;
import java.util.function.BiConsumer;
import metadata.MetadataImage;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.ErrorMapping;
import services.TransactionService;
import transaction.Producer;

/** Gives producers their ids and epochs; those with a transactional id get them from its coordinator. */
public final class InitProducerIdHandler implements ApiHandler {
    /** First version whose clients know PRODUCER_FENCED. */
    private static final short FENCING = 4;

    private final BiConsumer<MetadataImage, Callback<Long>> producerIds;
    private final TransactionService transactions;

    /** @param producerIds gives a producer id that was never given before (rule C7), e.g. ProducerIdService::next */
    public InitProducerIdHandler(
            BiConsumer<MetadataImage, Callback<Long>> producerIds, TransactionService transactions) {
        this.producerIds = producerIds;
        this.transactions = transactions;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INIT_PRODUCER_ID;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        InitProducerIdRequestData request = (InitProducerIdRequestData) message;
        Errors refused = check(request);
        if (refused != Errors.NONE) {
            respond.succeed(error(refused));
        } else if (request.transactionalId() == null) {
            producerIds.accept(
                    context.image(),
                    (id, failure) ->
                            respond.succeed(failure != null ? error(retriable(failure)) : response(id, (short) 0)));
        } else {
            transactional(context, request, respond);
        }
    }

    private void transactional(
            RequestContext context, InitProducerIdRequestData request, Callback<ApiMessage> respond) {
        Producer producer = new Producer(request.transactionalId(), request.producerId(), request.producerEpoch());
        transactions.init(context.image(), producer, request.transactionTimeoutMs(), (answer, failure) -> {
            if (answer.error() == Errors.NONE) {
                respond.succeed(response(answer.producerId(), answer.epoch()));
            } else {
                respond.succeed(error(TransactionHandlers.fenced(answer.error(), context.apiVersion(), FENCING)));
            }
        });
    }

    /** Old clients retry this code only. */
    private static Errors retriable(Failure failure) {
        Errors error = ErrorMapping.of(failure);
        return error.exception() instanceof RetriableException ? Errors.COORDINATOR_LOAD_IN_PROGRESS : error;
    }

    private static Errors check(InitProducerIdRequestData request) {
        boolean id = request.producerId() != -1;
        boolean epoch = request.producerEpoch() != -1;
        if (id != epoch
                || (request.transactionalId() != null
                        && request.transactionalId().isEmpty())) {
            return Errors.INVALID_REQUEST;
        }
        if (request.transactionalId() == null) {
            return Errors.NONE;
        }
        // Two-phase commit (KIP-939): as Kafka answers where it is switched off, and where it is not finished.
        return request.enable2Pc()
                ? Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
                : request.keepPreparedTxn() ? Errors.UNSUPPORTED_VERSION : Errors.NONE;
    }

    private static InitProducerIdResponseData response(long producerId, short epoch) {
        return new InitProducerIdResponseData()
                .setProducerId(producerId)
                .setProducerEpoch(epoch)
                .setOngoingTxnProducerId(-1);
    }

    private static InitProducerIdResponseData error(Errors error) {
        return response(-1, (short) -1).setErrorCode(error.code());
    }
}
