package protocol;

import common.Callback;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;
import services.GroupAdminService;

/** Describes groups of the classic protocol. */
final class DescribeGroupsHandler implements ApiHandler {
    private final GroupAdminService service;

    DescribeGroupsHandler(GroupAdminService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_GROUPS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeGroupsRequestData request = (DescribeGroupsRequestData) message;
        service.describe(context.image(), request.groups(), context.apiVersion(), (groups, failure) -> {
            for (DescribedGroup each : groups) {
                if (request.includeAuthorizedOperations() && each.errorCode() == Errors.NONE.code()) {
                    each.setAuthorizedOperations(AuthorizedOperations.onGroup());
                }
            }
            respond.succeed(new DescribeGroupsResponseData().setGroups(groups));
        });
    }
}
