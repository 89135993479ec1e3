package protocol;

/** Where {@link Chunk}s come from: direct and pooled in production, plain heap in the simulator. One per server instance; on its thread only. */
public interface BufferPool {

    /** A chunk with one reference and at least {@code bytes} (> 0) of room: position 0, limit = capacity. */
    Chunk acquire(int bytes);
}
