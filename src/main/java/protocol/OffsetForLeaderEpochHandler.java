package protocol;

import common.Callback;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.EpochQuery;
import replication.ReplicaShard.Outcome;
import services.ErrorMapping;
import services.OffsetService;
import storage.EpochEnd;

/** Where a leader epoch ended: by this followers and consumers find out about truncation (rule I3). */
public final class OffsetForLeaderEpochHandler implements ApiHandler {
    private final OffsetService service;

    public OffsetForLeaderEpochHandler(OffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FOR_LEADER_EPOCH;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        OffsetForLeaderEpochRequestData request = (OffsetForLeaderEpochRequestData) message;
        MetadataImage image = context.image();
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        List<EpochQuery> queries = new ArrayList<>();
        List<EpochEndOffset> awaited = new ArrayList<>();
        for (OffsetForLeaderTopic topic : request.topics()) {
            OffsetForLeaderTopicResult answers = new OffsetForLeaderTopicResult().setTopic(topic.topic());
            response.topics().add(answers);
            TopicImage known = image.topic(topic.topic());
            for (OffsetForLeaderPartition each : topic.partitions()) {
                EpochEndOffset answer = new EpochEndOffset().setPartition(each.partition());
                answers.partitions().add(answer);
                PartitionId id = Topics.partition(known, each.partition());
                if (id == null) {
                    answer.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else {
                    queries.add(new EpochQuery(id, each.currentLeaderEpoch(), each.leaderEpoch()));
                    awaited.add(answer);
                }
            }
        }
        service.endOffsets(queries, (outcomes, failure) -> {
            for (int i = 0; i < awaited.size(); i++) {
                Outcome<EpochEnd> outcome = failure == null ? outcomes.get(i) : new Outcome<>(null, failure);
                if (outcome.failure() != null) {
                    awaited.get(i)
                            .setErrorCode(
                                    ErrorMapping.ofNamed(outcome.failure()).code());
                } else {
                    awaited.get(i)
                            .setLeaderEpoch(outcome.value().epoch())
                            .setEndOffset(outcome.value().endOffset());
                }
            }
            respond.succeed(response);
        });
    }
}
