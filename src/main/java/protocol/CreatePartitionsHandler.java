package protocol;

import common.Callback;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.TopicService;

/** Adds partitions to topics; answers when they take records. */
final class CreatePartitionsHandler implements ApiHandler {
    private final TopicService topics;

    CreatePartitionsHandler(TopicService topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_PARTITIONS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        topics.createPartitions((CreatePartitionsRequestData) request, respond::done);
    }
}
