package protocol;

import common.Callback;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Answers one API key (rule R8: exactly one handler per advertised key, with the advertised versions). Runs on the server instance's thread; one instance
 * of a handler serves all connections of that server instance.
 */
public interface ApiHandler {

    ApiKeys key();

    /** The lowest version that is decoded. */
    default short minVersion() {
        return key().oldestVersion();
    }

    /** The highest version that is decoded: the latest stable one. */
    default short maxVersion() {
        return key().latestVersion(false);
    }

    /** The lowest version that ApiVersions names; differs from {@link #minVersion} only where Kafka's does (Produce). */
    default short advertisedMinVersion() {
        return minVersion();
    }

    /**
     * Handles one request. {@code respond} is called exactly once, now or later, on this thread: with the response message (null: no answer is
     * sent, as for acks=0), or with a failure, which is answered as the API's error response with the code that services.ErrorMapping gives. An exception thrown
     * here is answered UNKNOWN_SERVER_ERROR and logged. {@code request} is the generated request class of the key, e.g. MetadataRequestData;
     * byte buffers and records in it are slices of {@link RequestContext#frame()}, valid after return only if that was retained.
     */
    void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond);
}
