package verticles;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import protocol.Chunk;

/** A part of a response on its way through Netty: gives its chunk back once it has been sent, or dropped with the connection. */
final class SentBytes extends UnpooledDirectByteBuf {
    private final Chunk chunk;

    /** Takes over one reference of {@code chunk}. {@code bytes}: a direct view of it, from position to limit. */
    SentBytes(ByteBufAllocator allocator, Chunk chunk, ByteBuffer bytes) {
        super(allocator, bytes, bytes.remaining());
        this.chunk = chunk;
    }

    @Override
    protected void deallocate() {
        chunk.release();
    }
}
