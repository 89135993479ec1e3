package verticles;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import protocol.Chunk;

/** A piece of Netty's pooled direct memory. */
final class NettyChunk implements Chunk {
    private final ByteBuf memory;
    private final ByteBuffer bytes;

    /** Takes over one reference of {@code memory}; the chunk's bytes are {@code length} bytes from {@code index}. */
    NettyChunk(ByteBuf memory, int index, int length) {
        this.memory = memory;
        this.bytes = memory.nioBuffer(index, length);
    }

    @Override
    public ByteBuffer bytes() {
        return bytes;
    }

    @Override
    public void retain() {
        memory.retain();
    }

    @Override
    public void release() {
        memory.release();
    }
}
