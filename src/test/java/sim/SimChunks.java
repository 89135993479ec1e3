package sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import protocol.BufferPool;
import protocol.Chunk;

/** Heap memory by the chunk. What is released is overwritten, so a use after the last release shows as corrupt bytes. */
final class SimChunks implements BufferPool {
    private int outstanding;

    @Override
    public Chunk acquire(int bytes) {
        return new SimChunk(ByteBuffer.allocate(bytes));
    }

    Chunk of(byte[] bytes) {
        return new SimChunk(ByteBuffer.wrap(bytes));
    }

    /** Chunks not yet given back. */
    int outstanding() {
        return outstanding;
    }

    private final class SimChunk implements Chunk {
        private final ByteBuffer bytes;
        private int references = 1;

        private SimChunk(ByteBuffer bytes) {
            this.bytes = bytes;
            outstanding++;
        }

        @Override
        public ByteBuffer bytes() {
            return bytes;
        }

        @Override
        public void retain() {
            if (references == 0) {
                throw new RuleBroken("memory", "chunk retained after its last release");
            }
            references++;
        }

        @Override
        public void release() {
            if (references == 0) {
                throw new RuleBroken("memory", "chunk released once too often");
            }
            if (--references == 0) {
                outstanding--;
                Arrays.fill(bytes.array(), bytes.arrayOffset(), bytes.arrayOffset() + bytes.capacity(), (byte) 0xDD);
            }
        }
    }
}
