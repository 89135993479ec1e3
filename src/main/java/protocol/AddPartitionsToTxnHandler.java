package protocol;

import common.Callback;
import common.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import metadata.MetadataImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResultCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.TransactionService;
import transaction.Producer;

/** Takes partitions into transactions, or verifies that they are in them: one producer's (up to version 3), or several brokers' worth at once. */
final class AddPartitionsToTxnHandler implements ApiHandler {
    /** First version whose clients know PRODUCER_FENCED. */
    private static final short FENCING = 2;
    /** First version with several transactions. */
    private static final short BATCHED = 4;
    /** First version of the second protocol (KIP-890). */
    private static final short BUMPING = 5;

    private final TransactionService service;

    AddPartitionsToTxnHandler(TransactionService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ADD_PARTITIONS_TO_TXN;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        AddPartitionsToTxnRequestData request = (AddPartitionsToTxnRequestData) message;
        AddPartitionsToTxnResponseData response = new AddPartitionsToTxnResponseData();
        if (context.apiVersion() < BATCHED) {
            Part part = new Part(
                    new Producer(
                            request.v3AndBelowTransactionalId(),
                            request.v3AndBelowProducerId(),
                            request.v3AndBelowProducerEpoch()),
                    request.v3AndBelowTopics(),
                    partitions(request.v3AndBelowTopics()),
                    false);
            answer(
                    context,
                    part,
                    errors -> respond.succeed(response.setResultsByTopicV3AndBelow(results(part, errors))));
            return;
        }
        Gathering all = new Gathering(response, respond);
        request.transactions().forEach(each -> all.add(context, each));
        all.answered();
    }

    /** @param partitions of the topics, in their order */
    private record Part(
            Producer producer,
            AddPartitionsToTxnTopicCollection topics,
            List<TopicPartition> partitions,
            boolean verifyOnly) {}

    /** Transactions of one request: none waits for another. */
    private final class Gathering {
        private final AddPartitionsToTxnResponseData response;
        private final Callback<ApiMessage> respond;
        /** One is that not all have been asked about. */
        private int pending = 1;

        Gathering(AddPartitionsToTxnResponseData response, Callback<ApiMessage> respond) {
            this.response = response;
            this.respond = respond;
        }

        void add(RequestContext context, AddPartitionsToTxnTransaction transaction) {
            AddPartitionsToTxnResult result =
                    new AddPartitionsToTxnResult().setTransactionalId(transaction.transactionalId());
            response.resultsByTransaction().add(result);
            pending++;
            Part part = new Part(
                    new Producer(transaction.transactionalId(), transaction.producerId(), transaction.producerEpoch()),
                    transaction.topics(),
                    partitions(transaction.topics()),
                    transaction.verifyOnly());
            answer(context, part, errors -> {
                result.setTopicResults(results(part, errors));
                answered();
            });
        }

        void answered() {
            if (--pending == 0) {
                respond.succeed(response);
            }
        }
    }

    private void answer(RequestContext context, Part part, Consumer<List<Errors>> done) {
        short version = context.apiVersion();
        MetadataImage image = context.image();
        List<Errors> refused = check(image, part, version);
        if (refused != null) {
            done.accept(refused);
        } else if (part.verifyOnly) {
            service.verify(image, part.producer, part.partitions, (errors, failure) -> done.accept(errors));
        } else {
            service.add(
                    image,
                    part.producer,
                    part.partitions,
                    version >= BUMPING ? 2 : 0,
                    (error, failure) -> done.accept(all(part, TransactionHandlers.fenced(error, version, FENCING))));
        }
    }

    /** null when all may be added: it is all or none. */
    private static List<Errors> check(MetadataImage image, Part part, short version) {
        if (part.producer.transactionalId().isEmpty()) {
            return all(part, Errors.INVALID_REQUEST);
        }
        List<Errors> errors = new ArrayList<>();
        boolean sound = true;
        for (TopicPartition each : part.partitions) {
            Errors error = Errors.OPERATION_NOT_ATTEMPTED;
            if (version < BATCHED && TopicNames.isInternal(each.topic())) {
                error = Errors.TOPIC_AUTHORIZATION_FAILED;
            } else if (Topics.partition(image.topic(each.topic()), each.partition()) == null) {
                error = Errors.UNKNOWN_TOPIC_OR_PARTITION;
            }
            sound &= error == Errors.OPERATION_NOT_ATTEMPTED;
            errors.add(error);
        }
        return sound ? null : errors;
    }

    private static List<Errors> all(Part part, Errors error) {
        return part.partitions.stream().map(each -> error).toList();
    }

    private static List<TopicPartition> partitions(AddPartitionsToTxnTopicCollection topics) {
        List<TopicPartition> all = new ArrayList<>();
        topics.forEach(topic ->
                topic.partitions().forEach(partition -> all.add(new TopicPartition(topic.name(), partition))));
        return all;
    }

    private static AddPartitionsToTxnTopicResultCollection results(Part part, List<Errors> errors) {
        AddPartitionsToTxnTopicResultCollection all = new AddPartitionsToTxnTopicResultCollection();
        int next = 0;
        for (AddPartitionsToTxnTopic topic : part.topics) {
            AddPartitionsToTxnTopicResult answers = new AddPartitionsToTxnTopicResult().setName(topic.name());
            all.add(answers);
            for (int partition : topic.partitions()) {
                answers.resultsByPartition()
                        .add(new AddPartitionsToTxnPartitionResult()
                                .setPartitionIndex(partition)
                                .setPartitionErrorCode(errors.get(next++).code()));
            }
        }
        return all;
    }
}
