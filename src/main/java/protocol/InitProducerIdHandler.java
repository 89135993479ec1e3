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

/** Gives idempotent producers their ids. Transactional ids get a clear error until transactions exist. */
public final class InitProducerIdHandler implements ApiHandler {
    private final BiConsumer<MetadataImage, Callback<Long>> producerIds;

    /** @param producerIds gives a producer id that was never given before (rule C7), e.g. ProducerIdService::next */
    public InitProducerIdHandler(BiConsumer<MetadataImage, Callback<Long>> producerIds) {
        this.producerIds = producerIds;
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
            return;
        }
        producerIds.accept(
                context.image(),
                (id, failure) -> respond.succeed(
                        failure != null
                                ? error(retriable(failure))
                                : new InitProducerIdResponseData()
                                        .setProducerId(id)
                                        .setProducerEpoch((short) 0)
                                        .setOngoingTxnProducerId(-1)));
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
        return request.transactionalId() != null ? Errors.UNSUPPORTED_VERSION : Errors.NONE;
    }

    private static InitProducerIdResponseData error(Errors error) {
        return new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(-1)
                .setProducerEpoch((short) -1)
                .setOngoingTxnProducerId(-1);
    }
}
