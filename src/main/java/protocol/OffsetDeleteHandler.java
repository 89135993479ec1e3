package protocol;

import common.Callback;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.GroupOffsetService;

/** Removes committed offsets of topics that no member of the group reads. */
final class OffsetDeleteHandler implements ApiHandler {
    private final GroupOffsetService service;

    OffsetDeleteHandler(GroupOffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_DELETE;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        service.delete(context.image(), (OffsetDeleteRequestData) message, respond::done);
    }
}
