package protocol;

import common.Callback;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;
import services.ConsumerGroupService;

/** Describes groups of the consumer protocol (KIP-848). */
final class ConsumerGroupDescribeHandler implements ApiHandler {
    private final ConsumerGroupService service;

    ConsumerGroupDescribeHandler(ConsumerGroupService service) {
        this.service = service;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CONSUMER_GROUP_DESCRIBE;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        ConsumerGroupDescribeRequestData request = (ConsumerGroupDescribeRequestData) message;
        service.describe(context.image(), request.groupIds(), (groups, failure) -> {
            for (DescribedGroup each : groups) {
                if (request.includeAuthorizedOperations() && each.errorCode() == Errors.NONE.code()) {
                    each.setAuthorizedOperations(AuthorizedOperations.onGroup());
                }
            }
            respond.succeed(new ConsumerGroupDescribeResponseData().setGroups(groups));
        });
    }
}
