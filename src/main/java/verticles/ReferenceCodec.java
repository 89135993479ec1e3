package verticles;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Passes the body of a local event bus message by reference; it can never go over a wire. */
final class ReferenceCodec implements MessageCodec<OwnerLoop, OwnerLoop> {
    static final String NAME = "reference";

    @Override
    public void encodeToWire(Buffer buffer, OwnerLoop body) {
        throw new UnsupportedOperationException("local messages only");
    }

    @Override
    public OwnerLoop decodeFromWire(int position, Buffer buffer) {
        throw new UnsupportedOperationException("local messages only");
    }

    @Override
    public OwnerLoop transform(OwnerLoop body) {
        return body;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte systemCodecID() {
        return -1;
    }
}
