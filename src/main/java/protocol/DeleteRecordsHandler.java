package protocol;

import common.Callback;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.DeleteQuery;
import replication.ReplicaShard.Outcome;
import services.ErrorMapping;
import services.OffsetService;

/** Raises the start of partitions (rule I12). */
public final class DeleteRecordsHandler implements ApiHandler {
    private static final long NO_LOW_WATERMARK = -1;

    private final OffsetService service;

    public DeleteRecordsHandler(OffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_RECORDS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DeleteRecordsRequestData request = (DeleteRecordsRequestData) message;
        MetadataImage image = context.image();
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        List<DeleteQuery> queries = new ArrayList<>();
        List<DeleteRecordsPartitionResult> awaited = new ArrayList<>();
        for (DeleteRecordsTopic topic : request.topics()) {
            DeleteRecordsTopicResult answers = response.topics().find(topic.name());
            if (answers == null) {
                answers = new DeleteRecordsTopicResult().setName(topic.name());
                response.topics().add(answers);
            }
            TopicImage known = image.topic(topic.name());
            for (DeleteRecordsPartition each : topic.partitions()) {
                DeleteRecordsPartitionResult answer = new DeleteRecordsPartitionResult()
                        .setPartitionIndex(each.partitionIndex())
                        .setLowWatermark(NO_LOW_WATERMARK);
                if (!answers.partitions().add(answer)) {
                    // Asked for twice: the first wish counts.
                    continue;
                }
                PartitionId id = Topics.partition(known, each.partitionIndex());
                if (id == null) {
                    answer.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else if (known.internal()) {
                    answer.setErrorCode(Errors.INVALID_TOPIC_EXCEPTION.code());
                } else {
                    queries.add(new DeleteQuery(id, each.offset()));
                    awaited.add(answer);
                }
            }
        }
        service.deleteRecords(queries, request.timeoutMs(), (outcomes, failure) -> {
            for (int i = 0; i < awaited.size(); i++) {
                Outcome<Long> outcome = failure == null ? outcomes.get(i) : new Outcome<>(null, failure);
                if (outcome.failure() != null) {
                    awaited.get(i)
                            .setErrorCode(
                                    ErrorMapping.ofNamed(outcome.failure()).code());
                } else {
                    awaited.get(i).setLowWatermark(outcome.value());
                }
            }
            respond.succeed(response);
        });
    }
}
