package protocol;

import common.Callback;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClassicGroupService;

/** Keeps members in classic groups. */
public final class HeartbeatHandler implements ApiHandler {
    private final ClassicGroupService groups;

    public HeartbeatHandler(ClassicGroupService groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.HEARTBEAT;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        groups.heartbeat(context.image(), (HeartbeatRequestData) message, respond::done);
    }
}
