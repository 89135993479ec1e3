package protocol;

import common.Callback;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData.DescribeUserScramCredentialsResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * No user has SCRAM credentials, since there is no SASL yet: a true answer, and one that kafka-configs wants before it shows a user's quotas (KIP-554).
 */
final class DescribeUserScramCredentialsHandler implements ApiHandler {

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeUserScramCredentialsRequestData request = (DescribeUserScramCredentialsRequestData) message;
        DescribeUserScramCredentialsResponseData response = new DescribeUserScramCredentialsResponseData();
        Map<String, Integer> counts = new LinkedHashMap<>();
        if (request.users() != null) {
            request.users().forEach(user -> counts.merge(user.name(), 1, Integer::sum));
        }
        counts.forEach((name, count) -> response.results().add(result(name, count > 1)));
        respond.succeed(response);
    }

    private static DescribeUserScramCredentialsResult result(String user, boolean twice) {
        Errors error = twice ? Errors.DUPLICATE_RESOURCE : Errors.RESOURCE_NOT_FOUND;
        String message =
                twice ? "user " + user + " is asked for more than once" : "user " + user + " has no SCRAM credentials";
        return new DescribeUserScramCredentialsResult()
                .setUser(user)
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }
}
