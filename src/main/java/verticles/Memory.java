package verticles;

import io.netty.buffer.PooledByteBufAllocator;

/** The direct memory that sockets read into and write from. */
final class Memory {
    private static final int PAGE_BYTES = 8 << 10;

    /** Chunks of 4 MiB: a request of the usual largest size (1 MiB) fits several times. */
    private static final int MAX_ORDER = 9;

    private Memory() {}

    /** One arena per event loop, none for heap buffers; caches in event loops only. */
    static PooledByteBufAllocator allocator(int loops) {
        return new PooledByteBufAllocator(true, 0, loops, PAGE_BYTES, MAX_ORDER, 64, 32, false);
    }
}
