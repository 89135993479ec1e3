package protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** Builds the response that says "this whole request failed" for any API, by kafka-clients' own knowledge of where each puts its error codes. Slow: for rare cases. */
final class ErrorResponses {

    private ErrorResponses() {}

    /** null when no answer is to be sent (acks=0) or when none can be built. */
    static ApiMessage of(ApiKeys key, short version, ApiMessage request, Errors error, String message) {
        if (request instanceof ProduceRequestData produce) {
            // Its records may lie in memory that was given back.
            produce.topicData()
                    .forEach(topic -> topic.partitionData().forEach(each -> each.setRecords(MemoryRecords.EMPTY)));
        }
        ByteBuffer encoded = MessageUtil.toByteBufferAccessor(request, version).buffer();
        AbstractRequest parsed = AbstractRequest.parseRequest(key, version, new ByteBufferAccessor(encoded)).request;
        AbstractResponse response = parsed.getErrorResponse(0, error.exception(message));
        return response == null ? null : response.data();
    }
}
