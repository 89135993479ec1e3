package protocol;

import common.Callback;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.GroupOffsetService;

/** Commits offsets of a group. */
final class OffsetCommitHandler implements ApiHandler {
    /** From this version on topics are named by id. */
    private static final short IDS = 10;

    private final GroupOffsetService service;

    OffsetCommitHandler(GroupOffsetService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_COMMIT;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        short version = context.apiVersion();
        service.commit(context.image(), (OffsetCommitRequestData) message, version, version >= IDS, respond::done);
    }
}
