package protocol;

import common.Lease;
import java.nio.ByteBuffer;

/**
 * The bytes of one request without its length prefix: a slice of a read chunk, or a gathered copy. The connection holds one reference while the handler's
 * {@code handle} runs; a handler that keeps slices of it longer (Produce: the records) retains it first and releases it when done. Thread safe as
 * {@link Chunk} is.
 */
public final class FrameBuffer implements Lease {
    private final Chunk chunk;
    private final ByteBuffer bytes;
    private final int size;

    /** Takes over one reference of {@code chunk}; {@code bytes} is a view of it from position to limit. */
    public FrameBuffer(Chunk chunk, ByteBuffer bytes) {
        this.chunk = chunk;
        this.bytes = bytes;
        this.size = bytes.remaining();
    }

    /** The view that the decoder reads through: its position moves. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Bytes of the request, as announced by its length prefix. */
    public int size() {
        return size;
    }

    @Override
    public void retain() {
        chunk.retain();
    }

    @Override
    public void release() {
        chunk.release();
    }
}
