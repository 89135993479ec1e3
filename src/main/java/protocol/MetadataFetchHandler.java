package protocol;

import common.Callback;
import java.util.function.IntConsumer;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Fetches of the metadata log, at listeners of controllers. Every node has one that waits at the active controller, nearly always: where its connection ends before it is
 * answered, the process of the node may be gone, and nobody knows it sooner (L1).
 */
final class MetadataFetchHandler implements ApiHandler {
    private final QuorumHandler<FetchRequestData, FetchResponseData> quorum;
    private final IntConsumer ended;

    /** @param ended told of the node whose connection ended */
    MetadataFetchHandler(QuorumHandler<FetchRequestData, FetchResponseData> quorum, IntConsumer ended) {
        this.quorum = quorum;
        this.ended = ended;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FETCH;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        FetchRequestData request = (FetchRequestData) message;
        int node = Math.max(request.replicaId(), request.replicaState().replicaId());
        if (node >= 0) {
            context.onConnectionClosed(() -> ended.accept(node));
        }
        quorum.handle(context, message, respond);
    }
}
