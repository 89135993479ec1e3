package protocol;

import common.Lease;
import java.nio.ByteBuffer;

/**
 * A piece of memory of the host: bytes read from a socket, or room to gather or encode in. Counted: whoever gets one owns one reference. {@link #retain}
 * and {@link #release} are thread safe (a storage shard may be the last holder of a request's records); the bytes are not.
 */
public interface Chunk extends Lease {

    /** The bytes, always the same buffer object; its position and limit belong to the current owner. Never used after the last release. */
    ByteBuffer bytes();

    @Override
    void retain();

    /** Gives one reference back; after the last one the memory may be used again for something else. */
    @Override
    void release();
}
