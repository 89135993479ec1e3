package protocol;

import common.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** One request to one handler, without a connection. */
final class HandlerCall implements RequestContext {
    static final ConnectionInfo CONNECTION = new ConnectionInfo("c1", "PLAINTEXT", "10.0.0.9", 9092, "10.0.0.1", 4000);

    private final ApiHandler handler;
    private final short version;
    private final Supplier<MetadataImage> image;
    private final List<ApiMessage> answers = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private Runnable onClosed = () -> {};

    private HandlerCall(ApiHandler handler, int version, Supplier<MetadataImage> image) {
        this.handler = handler;
        this.version = (short) version;
        this.image = image;
    }

    /** @param image read at each look, as on a server instance */
    static HandlerCall of(ApiHandler handler, int version, Supplier<MetadataImage> image, ApiMessage request) {
        HandlerCall call = new HandlerCall(handler, version, image);
        handler.handle(call, request, (answer, failure) -> {
            if (failure == null) {
                call.answers.add(answer);
            } else {
                call.failures.add(failure);
            }
        });
        return call;
    }

    boolean answered() {
        return answers.size() + failures.size() > 0;
    }

    <T extends ApiMessage> T answer(Class<T> type) {
        if (answers.size() != 1 || !failures.isEmpty()) {
            throw new AssertionError(answers.size() + " answers, failures " + failures);
        }
        return type.cast(answers.get(0));
    }

    Failure failure() {
        if (failures.size() != 1 || !answers.isEmpty()) {
            throw new AssertionError(answers + " answers, failures " + failures);
        }
        return failures.get(0);
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
        return 1;
    }

    @Override
    public String clientId() {
        return "test";
    }

    @Override
    public ConnectionInfo connection() {
        return CONNECTION;
    }

    @Override
    public String principal() {
        return "User:ANONYMOUS";
    }

    @Override
    public MetadataImage image() {
        return image.get();
    }

    @Override
    public FrameBuffer frame() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onConnectionClosed(Runnable action) {
        onClosed = action;
    }

    /** The client is gone. */
    void closeByClient() {
        onClosed.run();
    }

    @Override
    public void closeConnection(String reason) {
        throw new UnsupportedOperationException();
    }
}
