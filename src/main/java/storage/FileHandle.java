package storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file. Reads and writes are positional, so several threads may use one handle at once; a writer is alone.
 *
 * <p>Counted: born with one reference. A reader that outlives its job (a response being sent) retains it; the file is really closed when the last
 * reference is released, also if it was deleted or dropped from the cache of open files meanwhile. retain and release are thread safe.
 */
public interface FileHandle {

    String path();

    /** Reads up to {@code target.remaining()} bytes; returns how many, -1 at the end of the file. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all bytes of {@code sources[0 .. count)} at {@code position}, gathering; throws with an unknown part written. */
    void write(ByteBuffer[] sources, int count, long position) throws IOException;

    /** Makes content and length durable. */
    void sync() throws IOException;

    void truncate(long size) throws IOException;

    long size() throws IOException;

    /** Makes real disk space for {@code size} bytes without changing the visible content beyond zeroes at the end. */
    void preallocate(long size) throws IOException;

    /** False if the file has been closed already. */
    boolean retain();

    void release();
}
