package protocol;

import java.nio.ByteBuffer;
import storage.FileRange;

/** Bytes of one or more responses in the order to send them: pieces of memory and ranges of files. Whoever holds it owns all of its parts. */
public final class ResponseParts {
    private Object[] parts = new Object[2];
    private Chunk[] chunks = new Chunk[2];
    private int count;
    private long size;

    /** Adds {@code bytes} (position to limit), a view of {@code chunk}, and takes over one reference of the chunk. */
    public void add(Chunk chunk, ByteBuffer bytes) {
        grow();
        parts[count] = bytes;
        chunks[count++] = chunk;
        size += bytes.remaining();
    }

    /** Adds a range and takes over its reference. */
    public void add(FileRange range) {
        grow();
        parts[count++] = range;
        size += range.length();
    }

    public int count() {
        return count;
    }

    /** Bytes in all parts. */
    public long size() {
        return size;
    }

    /** The file range at {@code index}, null if that part is memory. */
    public FileRange range(int index) {
        return parts[index] instanceof FileRange range ? range : null;
    }

    /** The bytes at {@code index} (not for ranges): a view of {@link #chunk} of the same index. */
    public ByteBuffer bytes(int index) {
        return (ByteBuffer) parts[index];
    }

    /** The memory that {@link #bytes} is a view of; its reference is to be released after the send. */
    public Chunk chunk(int index) {
        return chunks[index];
    }

    /** Releases everything unsent. For those who drop parts instead of sending them. */
    public void release() {
        for (int index = 0; index < count; index++) {
            releasePart(index);
        }
        count = 0;
        size = 0;
    }

    /** Releases one part, after it was sent. */
    public void releasePart(int index) {
        if (parts[index] instanceof FileRange range) {
            range.release();
        } else {
            chunks[index].release();
        }
    }

    private void grow() {
        if (count == parts.length) {
            parts = java.util.Arrays.copyOf(parts, count * 2);
            chunks = java.util.Arrays.copyOf(chunks, count * 2);
        }
    }
}
