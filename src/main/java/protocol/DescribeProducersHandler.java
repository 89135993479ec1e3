package protocol;

import common.Callback;
import common.Failure;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.Outcome;
import services.ErrorMapping;
import services.OffsetService;
import storage.ActiveProducer;

/** The producers that partitions know. */
public final class DescribeProducersHandler implements ApiHandler {
    private final OffsetService service;

    public DescribeProducersHandler(OffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_PRODUCERS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeProducersRequestData request = (DescribeProducersRequestData) message;
        MetadataImage image = context.image();
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        List<PartitionId> queries = new ArrayList<>();
        List<PartitionResponse> awaited = new ArrayList<>();
        for (TopicRequest topic : request.topics()) {
            TopicResponse answers = new TopicResponse().setName(topic.name());
            response.topics().add(answers);
            TopicImage known = image.topic(topic.name());
            for (int partition : topic.partitionIndexes()) {
                PartitionResponse answer = new PartitionResponse().setPartitionIndex(partition);
                answers.partitions().add(answer);
                PartitionId id = Topics.partition(known, partition);
                if (id == null) {
                    answer.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else {
                    queries.add(id);
                    awaited.add(answer);
                }
            }
        }
        service.describeProducers(queries, (outcomes, failure) -> {
            for (int i = 0; i < awaited.size(); i++) {
                fill(awaited.get(i), failure == null ? outcomes.get(i) : new Outcome<>(null, failure));
            }
            respond.succeed(response);
        });
    }

    private static void fill(PartitionResponse answer, Outcome<List<ActiveProducer>> outcome) {
        Failure failure = outcome.failure();
        if (failure != null) {
            answer.setErrorCode(ErrorMapping.ofNamed(failure).code()).setErrorMessage(failure.message());
            return;
        }
        for (ActiveProducer each : outcome.value()) {
            answer.activeProducers()
                    .add(new ProducerState()
                            .setProducerId(each.producerId())
                            .setProducerEpoch(each.producerEpoch())
                            .setLastSequence(each.lastSequence())
                            .setLastTimestamp(each.lastTimestampMillis())
                            .setCoordinatorEpoch(each.coordinatorEpoch())
                            .setCurrentTxnStartOffset(each.currentTransactionStartOffset()));
        }
    }
}
