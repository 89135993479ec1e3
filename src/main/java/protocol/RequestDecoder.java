package protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Turns frames into requests: header by hand, body by kafka-clients' generated classes, records left where they are. One per server instance; keeps no
 * state from request to request but the names it has seen. What cannot be decoded is described, never thrown (rule V5).
 */
final class RequestDecoder {
    private final HandlerTable handlers;
    private final StringCache strings = new StringCache();
    private final FrameReader reader = new FrameReader(strings);

    RequestDecoder(HandlerTable handlers) {
        this.handlers = handlers;
    }

    /** Fills in {@code exchange}; returns null, or why its connection must be closed. */
    String decode(FrameBuffer frame, Exchange exchange) {
        ByteBuffer bytes = frame.bytes();
        if (bytes.remaining() < 8) {
            return "a request of " + bytes.remaining() + " bytes, too short for a header";
        }
        short keyId = bytes.getShort();
        short version = bytes.getShort();
        int correlationId = bytes.getInt();
        ApiHandler handler = handlers.get(keyId);
        if (handler == null) {
            return "API key " + keyId + " (version " + version + "), which this broker does not offer";
        }
        if (version < handler.minVersion() || version > handler.maxVersion()) {
            if (keyId != ApiKeys.API_VERSIONS.id) {
                return handler.key() + " version " + version + "; offered are " + handler.minVersion() + " to "
                        + handler.maxVersion();
            }
            // KIP-511: answered in the version 0 layout whatever the rest of the frame looks like
            exchange.header(handler, (short) 0, correlationId, "");
            exchange.body(new UnsupportedVersionRequest(), 0);
            return null;
        }
        return decode(bytes, handler, version, correlationId, exchange);
    }

    private String decode(ByteBuffer bytes, ApiHandler handler, short version, int correlationId, Exchange exchange) {
        ApiKeys key = handler.key();
        try {
            reader.begin(bytes);
            short clientIdLength = reader.readShort();
            String clientId = clientIdLength < 0 ? "" : reader.readString(clientIdLength);
            if (key.requestHeaderVersion(version) >= 2) {
                reader.skipTags();
            }
            ApiMessage body = key.messageType.newRequest();
            body.read(reader, version);
            // Bytes behind the body are let pass, as by Kafka: some encoders leave them.
            exchange.header(handler, version, correlationId, clientId);
            exchange.body(body, reader.fields());
            return null;
        } catch (BufferUnderflowException shorter) {
            return key + " version " + version + " that ends before its last field";
        } catch (RuntimeException malformed) {
            // The generated classes throw plain RuntimeExceptions for null or oversized fields and for versions they
            // lack.
            return key + " version " + version + " that is malformed: " + malformed.getMessage();
        } finally {
            reader.end();
        }
    }
}
