package protocol;

import common.Callback;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.TopicService;

/** Makes topics; answers when their partitions take records. */
final class CreateTopicsHandler implements ApiHandler {
    private final TopicService topics;

    CreateTopicsHandler(TopicService topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_TOPICS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        topics.create((CreateTopicsRequestData) request, respond::done);
    }
}
