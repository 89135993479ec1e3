package protocol;

import common.Callback;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.TopicService;

/** Deletes topics by name or id. */
final class DeleteTopicsHandler implements ApiHandler {
    private static final short FIRST_WITH_DISABLED_ERROR = 3;

    private final TopicService topics;

    DeleteTopicsHandler(TopicService topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_TOPICS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        if (!topics.deletable()) {
            short version = context.apiVersion();
            Errors error =
                    version < FIRST_WITH_DISABLED_ERROR ? Errors.INVALID_REQUEST : Errors.TOPIC_DELETION_DISABLED;
            respond.succeed(ErrorResponses.of(
                    key(), version, request, error, "topics cannot be deleted here (delete.topic.enable=false)"));
            return;
        }
        topics.delete((DeleteTopicsRequestData) request, respond::done);
    }
}
