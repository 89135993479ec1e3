package protocol;

import common.Callback;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.ClassicGroupService;

/** Takes the leader's assignment of a classic group and gives each member its own. */
public final class SyncGroupHandler implements ApiHandler {
    private static final short FIRST_WITH_PROTOCOL = 5;

    private final ClassicGroupService groups;

    public SyncGroupHandler(ClassicGroupService groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SYNC_GROUP;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        SyncGroupRequestData request = (SyncGroupRequestData) message;
        boolean named = request.protocolType() != null && request.protocolName() != null;
        if (context.apiVersion() >= FIRST_WITH_PROTOCOL && !named) {
            respond.succeed(new SyncGroupResponseData().setErrorCode(Errors.INCONSISTENT_GROUP_PROTOCOL.code()));
            return;
        }
        groups.sync(context.image(), request, respond::done);
    }
}
