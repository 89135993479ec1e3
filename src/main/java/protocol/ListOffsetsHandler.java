package protocol;

import common.Callback;
import common.Failure;
import common.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import services.ErrorMapping;
import services.OffsetService;
import storage.TimestampOffset;

/** Offsets by time, with all of Kafka's special times. */
public final class ListOffsetsHandler implements ApiHandler {
    /** The first version that knows the special time -1 - index. */
    private static final short[] SPECIAL_SINCE = {0, 0, 7, 8, 9, 11};

    private final OffsetService service;

    public ListOffsetsHandler(OffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_OFFSETS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ListOffsetsRequestData request = (ListOffsetsRequestData) message;
        ApiMessage refusal = Isolation.refusal(key(), context.apiVersion(), request, request.isolationLevel());
        if (refusal != null) {
            respond.succeed(refusal);
            return;
        }
        MetadataImage image = context.image();
        boolean readCommitted = Isolation.isCommitted(request.isolationLevel());
        Set<TopicPartition> doubled = doubled(request);
        Set<TopicPartition> refused = new LinkedHashSet<>();
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        List<OffsetQuery> queries = new ArrayList<>();
        List<ListOffsetsPartitionResponse> awaited = new ArrayList<>();
        for (ListOffsetsTopic topic : request.topics()) {
            ListOffsetsTopicResponse answers = new ListOffsetsTopicResponse().setName(topic.name());
            TopicImage known = image.topic(topic.name());
            for (ListOffsetsPartition each : topic.partitions()) {
                TopicPartition partition = new TopicPartition(topic.name(), each.partitionIndex());
                if (doubled.contains(partition) && !refused.add(partition)) {
                    continue;
                }
                ListOffsetsPartitionResponse answer =
                        new ListOffsetsPartitionResponse().setPartitionIndex(each.partitionIndex());
                answers.partitions().add(answer);
                PartitionId id = Topics.partition(known, each.partitionIndex());
                if (doubled.contains(partition)) {
                    answer.setErrorCode(Errors.INVALID_REQUEST.code());
                } else if (!isKnown(each.timestamp(), context.apiVersion())) {
                    answer.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
                } else if (id == null) {
                    answer.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else {
                    queries.add(new OffsetQuery(id, each.currentLeaderEpoch(), each.timestamp(), readCommitted));
                    awaited.add(answer);
                }
            }
            if (!answers.partitions().isEmpty()) {
                response.topics().add(answers);
            }
        }
        service.listOffsets(queries, (outcomes, failure) -> {
            for (int i = 0; i < awaited.size(); i++) {
                fill(awaited.get(i), failure == null ? outcomes.get(i) : new Outcome<>(null, failure), context);
            }
            respond.succeed(response);
        });
    }

    private static void fill(
            ListOffsetsPartitionResponse answer, Outcome<TimestampOffset> outcome, RequestContext context) {
        Failure failure = outcome.failure();
        if (failure != null) {
            answer.setErrorCode(ErrorMapping.ofNamed(failure).code());
            return;
        }
        TimestampOffset found = outcome.value();
        answer.setTimestamp(found.timestampMillis()).setOffset(found.offset());
        if (context.apiVersion() >= 4) {
            answer.setLeaderEpoch(found.leaderEpoch());
        }
    }

    private static boolean isKnown(long timestamp, short version) {
        if (timestamp >= 0) {
            return true;
        }
        long special = -1 - timestamp;
        return special < SPECIAL_SINCE.length && version >= SPECIAL_SINCE[(int) special];
    }

    /** Partitions that are asked for more than once; used for lookup only. */
    private static Set<TopicPartition> doubled(ListOffsetsRequestData request) {
        Set<TopicPartition> seen = new LinkedHashSet<>();
        Set<TopicPartition> doubled = new LinkedHashSet<>();
        for (ListOffsetsTopic topic : request.topics()) {
            for (ListOffsetsPartition each : topic.partitions()) {
                TopicPartition partition = new TopicPartition(topic.name(), each.partitionIndex());
                if (!seen.add(partition)) {
                    doubled.add(partition);
                }
            }
        }
        return doubled;
    }
}
