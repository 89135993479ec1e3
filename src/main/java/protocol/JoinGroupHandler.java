package protocol;

import common.Callback;
import group.ClientInfo;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClassicGroupService;

/** Lets clients into classic groups. */
public final class JoinGroupHandler implements ApiHandler {
    private static final short FIRST_WITH_REBALANCE_TIMEOUT = 1;
    private static final short FIRST_WITH_NULL_PROTOCOL = 7;

    private final ClassicGroupService groups;

    public JoinGroupHandler(ClassicGroupService groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.JOIN_GROUP;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        JoinGroupRequestData request = (JoinGroupRequestData) message;
        short version = context.apiVersion();
        if (version < FIRST_WITH_REBALANCE_TIMEOUT) {
            request.setRebalanceTimeoutMs(request.sessionTimeoutMs());
        }
        ClientInfo client =
                new ClientInfo(context.clientId(), "/" + context.connection().clientHost(), version);
        groups.join(
                context.image(), request, client, (response, failure) -> respond.done(fit(response, version), failure));
    }

    private static JoinGroupResponseData fit(JoinGroupResponseData response, short version) {
        if (response != null && version < FIRST_WITH_NULL_PROTOCOL && response.protocolName() == null) {
            response.setProtocolName("");
        }
        return response;
    }
}
