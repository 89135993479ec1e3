package protocol;

import common.Check;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Encodes response frames: length, header, body. Sizes are computed first, so that all bytes of a response lie in one piece of memory. */
final class ResponseEncoder {

    private ResponseEncoder() {}

    /** Appends one response; file ranges in it belong to {@code out} from then on. */
    static void encode(ApiKeys key, short version, int correlationId, ApiMessage response, OutputWriter out) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        response.addSize(size, cache, version);
        boolean tagged = key.responseHeaderVersion(version) >= 1;
        int header = tagged ? 5 : 4;
        out.reserve(4 + header + size.sizeExcludingZeroCopy());
        long before = out.pending();
        out.writeInt(header + size.totalSize());
        out.writeInt(correlationId);
        if (tagged) {
            out.writeUnsignedVarint(0);
        }
        response.write(out, cache, version);
        Check.invariant(
                out.pending() - before == 4L + header + size.totalSize(),
                "a response of another size than announced",
                out.pending() - before,
                size.totalSize());
    }
}
