package protocol;

import common.Callback;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.GroupCoordinators;
import services.InternalTopics;
import services.TransactionService;
import transaction.Producer;

/** Takes the partition of __consumer_offsets that keeps a group into a producer's transaction. */
final class AddOffsetsToTxnHandler implements ApiHandler {
    /** First version whose clients know PRODUCER_FENCED. */
    private static final short FENCING = 2;

    private final TransactionService service;
    private final InternalTopics topics;

    AddOffsetsToTxnHandler(TransactionService service, InternalTopics topics) {
        this.service = service;
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ADD_OFFSETS_TO_TXN;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        AddOffsetsToTxnRequestData request = (AddOffsetsToTxnRequestData) message;
        if (request.transactionalId().isEmpty()) {
            respond.succeed(response(Errors.INVALID_REQUEST));
            return;
        }
        // The group may not have been used yet: producers ask for its coordinator later.
        topics.makeOffsets(context.image(), () -> add(context, request, respond));
    }

    private void add(RequestContext context, AddOffsetsToTxnRequestData request, Callback<ApiMessage> respond) {
        int partition = GroupCoordinators.partitionOf(request.groupId(), context.image());
        if (partition < 0) {
            respond.succeed(response(Errors.COORDINATOR_NOT_AVAILABLE));
            return;
        }
        service.add(
                context.image(),
                new Producer(request.transactionalId(), request.producerId(), request.producerEpoch()),
                List.of(new TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, partition)),
                0,
                (error, failure) ->
                        respond.succeed(response(TransactionHandlers.fenced(error, context.apiVersion(), FENCING))));
    }

    private static AddOffsetsToTxnResponseData response(Errors error) {
        return new AddOffsetsToTxnResponseData().setErrorCode(error.code());
    }
}
