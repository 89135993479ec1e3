package protocol;

import common.Callback;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.GroupOffsetService;

/** Tells committed offsets: of one group before version 8, then of several. */
final class OffsetFetchHandler implements ApiHandler {
    /** From this version on the answer has an error of its own. */
    private static final short TOP_ERROR = 2;

    private static final short SEVERAL_GROUPS = 8;
    private static final short IDS = 10;
    private static final long NO_OFFSET = -1;

    private final GroupOffsetService service;

    OffsetFetchHandler(GroupOffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FETCH;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        OffsetFetchRequestData request = (OffsetFetchRequestData) message;
        short version = context.apiVersion();
        List<OffsetFetchRequestGroup> groups =
                version < SEVERAL_GROUPS ? List.of(onlyGroup(request)) : request.groups();
        service.fetch(context.image(), groups, version >= IDS, request.requireStable(), (answers, failure) -> {
            if (version >= SEVERAL_GROUPS) {
                respond.succeed(new OffsetFetchResponseData().setGroups(answers));
            } else {
                respond.succeed(old(request, answers.get(0), version));
            }
        });
    }

    private static OffsetFetchRequestGroup onlyGroup(OffsetFetchRequestData request) {
        OffsetFetchRequestGroup group = new OffsetFetchRequestGroup().setGroupId(request.groupId());
        if (request.topics() == null) {
            return group.setTopics(null);
        }
        List<OffsetFetchRequestTopics> topics = new ArrayList<>(request.topics().size());
        for (OffsetFetchRequestTopic topic : request.topics()) {
            topics.add(
                    new OffsetFetchRequestTopics().setName(topic.name()).setPartitionIndexes(topic.partitionIndexes()));
        }
        return group.setTopics(topics);
    }

    private static OffsetFetchResponseData old(
            OffsetFetchRequestData request, OffsetFetchResponseGroup answer, short version) {
        OffsetFetchResponseData response = new OffsetFetchResponseData().setErrorCode(answer.errorCode());
        if (answer.errorCode() != Errors.NONE.code()) {
            if (version < TOP_ERROR && request.topics() != null) {
                request.topics().forEach(topic -> response.topics().add(refused(topic, answer.errorCode())));
            }
            return response;
        }
        for (OffsetFetchResponseTopics topic : answer.topics()) {
            OffsetFetchResponseTopic answers = new OffsetFetchResponseTopic().setName(topic.name());
            response.topics().add(answers);
            for (OffsetFetchResponsePartitions each : topic.partitions()) {
                answers.partitions()
                        .add(new OffsetFetchResponsePartition()
                                .setPartitionIndex(each.partitionIndex())
                                .setErrorCode(each.errorCode())
                                .setCommittedOffset(each.committedOffset())
                                .setCommittedLeaderEpoch(each.committedLeaderEpoch())
                                .setMetadata(each.metadata()));
            }
        }
        return response;
    }

    private static OffsetFetchResponseTopic refused(OffsetFetchRequestTopic topic, short error) {
        OffsetFetchResponseTopic answers = new OffsetFetchResponseTopic().setName(topic.name());
        for (int partition : topic.partitionIndexes()) {
            answers.partitions()
                    .add(new OffsetFetchResponsePartition()
                            .setPartitionIndex(partition)
                            .setErrorCode(error)
                            .setCommittedOffset(NO_OFFSET)
                            .setMetadata(""));
        }
        return answers;
    }
}
