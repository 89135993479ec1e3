package storage;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A file of bytes in memory, as a segment looks to a reader; counts its references. */
public final class MemoryFile implements FileHandle {
    private byte[] bytes = new byte[0];
    private int references = 1;

    /** References that readers hold. */
    public int readers() {
        return references - 1;
    }

    public long append(ByteBuffer more) {
        int start = bytes.length;
        bytes = Arrays.copyOf(bytes, start + more.remaining());
        more.duplicate().get(bytes, start, more.remaining());
        return start;
    }

    @Override
    public String path() {
        return "memory";
    }

    @Override
    public int read(ByteBuffer target, long position) {
        if (position >= bytes.length) {
            return -1;
        }
        int length = Math.min(target.remaining(), bytes.length - (int) position);
        target.put(bytes, (int) position, length);
        return length;
    }

    @Override
    public void write(ByteBuffer[] sources, int count, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sync() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void truncate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long size() {
        return bytes.length;
    }

    @Override
    public void preallocate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean retain() {
        references++;
        return true;
    }

    @Override
    public void release() {
        if (--references < 1) {
            throw new AssertionError("released more often than retained");
        }
    }
}
