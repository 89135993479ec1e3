package protocol;

import common.Callback;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.GroupAdminService;

/** Lists the groups that this broker coordinates. */
final class ListGroupsHandler implements ApiHandler {
    private final GroupAdminService service;

    ListGroupsHandler(GroupAdminService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_GROUPS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ListGroupsRequestData request = (ListGroupsRequestData) message;
        service.list(request.statesFilter(), request.typesFilter(), respond::done);
    }
}
