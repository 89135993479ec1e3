package protocol;

import common.Callback;
import group.ClientInfo;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ConsumerGroupService;

/** Membership in groups of the consumer protocol (KIP-848). */
final class ConsumerGroupHeartbeatHandler implements ApiHandler {
    private final ConsumerGroupService service;

    ConsumerGroupHeartbeatHandler(ConsumerGroupService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CONSUMER_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ClientInfo client =
                new ClientInfo(context.clientId(), "/" + context.connection().clientHost(), context.apiVersion());
        service.heartbeat(context.image(), client, (ConsumerGroupHeartbeatRequestData) message, respond::done);
    }
}
