package protocol;

import common.Callback;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.message.ExpireDelegationTokenResponseData;
import org.apache.kafka.common.message.RenewDelegationTokenResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Nobody gets a delegation token who has not said who they are, and without TLS and SASL nobody does (KIP-48): as Kafka answers on a plaintext listener. */
final class DelegationTokenHandler implements ApiHandler {
    private static final long NEVER = -1;

    private final ApiKeys key;

    private DelegationTokenHandler(ApiKeys key) {
        this.key = key;
    }

    static List<ApiHandler> all() {
        return Stream.of(
                        ApiKeys.CREATE_DELEGATION_TOKEN,
                        ApiKeys.RENEW_DELEGATION_TOKEN,
                        ApiKeys.EXPIRE_DELEGATION_TOKEN,
                        ApiKeys.DESCRIBE_DELEGATION_TOKEN)
                .<ApiHandler>map(DelegationTokenHandler::new)
                .toList();
    }

    @Override
    public ApiKeys key() {
        return key;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        ApiMessage refusal = ErrorResponses.of(
                key, context.apiVersion(), request, Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, null);
        if (refusal instanceof RenewDelegationTokenResponseData renewal) {
            renewal.setExpiryTimestampMs(NEVER);
        } else if (refusal instanceof ExpireDelegationTokenResponseData expiry) {
            expiry.setExpiryTimestampMs(NEVER);
        }
        respond.succeed(refusal);
    }
}
