package protocol;

import common.Callback;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.GroupAdminService;

/** Deletes empty groups with their offsets. */
final class DeleteGroupsHandler implements ApiHandler {
    private final GroupAdminService service;

    DeleteGroupsHandler(GroupAdminService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_GROUPS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DeleteGroupsRequestData request = (DeleteGroupsRequestData) message;
        service.delete(context.image(), request.groupsNames(), (results, failure) -> {
            DeletableGroupResultCollection all = new DeletableGroupResultCollection(results.size());
            results.forEach(all::add);
            respond.succeed(new DeleteGroupsResponseData().setResults(all));
        });
    }
}
