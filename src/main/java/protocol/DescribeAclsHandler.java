package protocol;

import common.Callback;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** There is no authorizer, and so there are no access control lists to show. */
final class DescribeAclsHandler implements ApiHandler {

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_ACLS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        respond.succeed(new DescribeAclsResponseData()
                .setErrorCode(Errors.SECURITY_DISABLED.code())
                .setErrorMessage("no authorizer is configured on this broker"));
    }
}
