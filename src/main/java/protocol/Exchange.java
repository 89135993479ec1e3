package protocol;

import common.Callback;
import common.Failure;
import metadata.MetadataImage;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** One request under way and its place in the order of answers. */
final class Exchange implements RequestContext, Callback<ApiMessage> {
    private final Connection owner;
    private final FrameBuffer frame;
    private ApiHandler handler;
    private short version;
    private int correlationId;
    private String clientId = "";
    private ApiMessage request;
    private int fields;
    private ApiMessage response;
    private boolean answered;
    private boolean closing;
    private Runnable onClosed;
    private long startNanos;
    private int charged;

    Exchange(Connection owner, FrameBuffer frame) {
        this.owner = owner;
        this.frame = frame;
    }

    void header(ApiHandler to, short apiVersion, int correlation, String client) {
        handler = to;
        version = apiVersion;
        correlationId = correlation;
        clientId = client;
    }

    void body(ApiMessage message, int fieldsRead) {
        request = message;
        fields = fieldsRead;
    }

    void started(long nanos, int chargedBytes) {
        startNanos = nanos;
        charged = chargedBytes;
    }

    ApiHandler handler() {
        return handler;
    }

    ApiMessage request() {
        return request;
    }

    int fields() {
        return fields;
    }

    long startNanos() {
        return startNanos;
    }

    /** Bytes of the instance's request memory that this request holds. */
    int charged() {
        return charged;
    }

    boolean answered() {
        return answered;
    }

    /** null: nothing is sent. */
    ApiMessage response() {
        return response;
    }

    /** The connection ends where this answer would stand. */
    boolean closing() {
        return closing;
    }

    void runOnClosed() {
        Runnable action = onClosed;
        onClosed = null;
        if (action != null) {
            action.run();
        }
    }

    @Override
    public void done(ApiMessage value, Failure failure) {
        if (answered) {
            owner.answeredTwice(this, value);
            return;
        }
        if (failure != null) {
            response = owner.errorResponse(this, failure);
            closing |= response == null;
        } else {
            response = value;
        }
        answered = true;
        onClosed = null;
        // Kept for an error response only.
        request = null;
        owner.onAnswer(this);
    }

    @Override
    public ApiKeys apiKey() {
        return handler.key();
    }

    @Override
    public short apiVersion() {
        return version;
    }

    @Override
    public int correlationId() {
        return correlationId;
    }

    @Override
    public String clientId() {
        return clientId;
    }

    @Override
    public ConnectionInfo connection() {
        return owner.info();
    }

    @Override
    public String principal() {
        return "User:ANONYMOUS";
    }

    @Override
    public MetadataImage image() {
        return owner.image();
    }

    @Override
    public FrameBuffer frame() {
        return frame;
    }

    @Override
    public void onConnectionClosed(Runnable action) {
        onClosed = action;
    }

    @Override
    public void closeConnection(String reason) {
        if (!answered) {
            answered = true;
            closing = true;
            onClosed = null;
            request = null;
            owner.closeAfter(this, reason);
        }
    }
}
