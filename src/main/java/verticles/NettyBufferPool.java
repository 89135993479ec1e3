package verticles;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import protocol.BufferPool;
import protocol.Chunk;

/** Chunks of pooled direct memory. */
final class NettyBufferPool implements BufferPool {
    private final ByteBufAllocator allocator;

    NettyBufferPool(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public Chunk acquire(int bytes) {
        ByteBuf memory = allocator.directBuffer(bytes, bytes);
        return new NettyChunk(memory, 0, bytes);
    }
}
