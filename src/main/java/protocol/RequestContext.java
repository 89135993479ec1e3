package protocol;

import metadata.MetadataImage;
import org.apache.kafka.common.protocol.ApiKeys;

/** What a handler may know of the request and its connection. Valid until the request is answered; on the server instance's thread only. */
public interface RequestContext {

    ApiKeys apiKey();

    short apiVersion();

    int correlationId();

    /** Never null: "" when the client gave none. */
    String clientId();

    ConnectionInfo connection();

    /** The principal in Kafka's text form; "User:ANONYMOUS" until authentication exists. */
    String principal();

    /** The image this broker had applied last, read at each call: keep it in a local for one consistent view. */
    MetadataImage image();

    /** The request's bytes; see {@link ApiHandler#handle}. */
    FrameBuffer frame();

    /** Runs {@code action} if the connection closes before this request is answered (at most one action per request; replaces the former). */
    void onConnectionClosed(Runnable action);

    /** Closes the connection once what was answered before has been sent; this request and those behind it get no answer. */
    void closeConnection(String reason);
}
