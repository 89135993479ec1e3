package protocol;

import common.Check;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Encodes request frames to other nodes: length, header, body. */
final class RequestEncoder {
    private final String clientId;

    RequestEncoder(String clientId) {
        this.clientId = clientId;
    }

    /** Appends one request. Throws UnsupportedVersionException when it says what its version cannot: then nothing was written. */
    void encode(PeerCall call, OutputWriter out) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(call.key().id)
                .setRequestApiVersion(call.version())
                .setCorrelationId(call.correlationId())
                .setClientId(clientId);
        short headerVersion = call.key().requestHeaderVersion(call.version());
        int head = size(header, headerVersion, new ObjectSerializationCache()).totalSize();
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator body = size(call.request(), call.version(), cache);
        out.reserve(4 + head + body.sizeExcludingZeroCopy());
        long before = out.pending();
        out.writeInt(head + body.totalSize());
        ObjectSerializationCache headerCache = new ObjectSerializationCache();
        size(header, headerVersion, headerCache);
        header.write(out, headerCache, headerVersion);
        call.request().write(out, cache, call.version());
        Check.invariant(
                out.pending() - before == 4L + head + body.totalSize(),
                "a request of another size than announced",
                out.pending() - before,
                body.totalSize());
    }

    private static MessageSizeAccumulator size(ApiMessage message, short version, ObjectSerializationCache cache) {
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        message.addSize(size, cache, version);
        return size;
    }
}
