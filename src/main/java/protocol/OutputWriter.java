package protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Where responses are written: several small ones share one piece of memory, file ranges are kept as they are. Not thread safe.
 */
final class OutputWriter implements Writable {
    /** Room for some tens of small responses. */
    private static final int CHUNK_BYTES = 4096;

    private final BufferPool pool;
    private ResponseParts parts = new ResponseParts();
    private Chunk chunk;
    private ByteBuffer target;
    /** Where the part being written began in {@link #target}. */
    private int start;

    OutputWriter(BufferPool pool) {
        this.pool = pool;
    }

    /** Makes room for {@code bytes} in one piece. */
    void reserve(int bytes) {
        if (chunk != null && target.remaining() >= bytes) {
            return;
        }
        endChunk();
        chunk = pool.acquire(Math.max(bytes, CHUNK_BYTES));
        target = chunk.bytes();
        start = target.position();
    }

    /** Bytes written and not taken yet. */
    long pending() {
        return parts.size() + (chunk == null ? 0 : target.position() - start);
    }

    /** What was written since the last time, null if nothing. The caller owns it. */
    ResponseParts take() {
        endChunk();
        if (parts.count() == 0) {
            return null;
        }
        ResponseParts taken = parts;
        parts = new ResponseParts();
        return taken;
    }

    /** Ends the part being written without giving up what is left of the chunk. */
    private void cut() {
        if (chunk != null && target.position() > start) {
            chunk.retain();
            parts.add(chunk, target.slice(start, target.position() - start));
            start = target.position();
        }
    }

    private void endChunk() {
        if (chunk == null) {
            return;
        }
        if (target.position() > start) {
            parts.add(chunk, target.slice(start, target.position() - start));
        } else {
            chunk.release();
        }
        chunk = null;
        target = null;
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (records instanceof FileRangeRecords inFile) {
            cut();
            parts.add(inFile.range());
        } else if (records instanceof MemoryRecords inMemory) {
            copy(inMemory.buffer());
        } else {
            throw new UnsupportedOperationException(records.getClass().getName());
        }
    }

    /** Records in memory are not in the reserved size: they get room of their own. */
    private void copy(ByteBuffer records) {
        int bytes = records.remaining();
        if (bytes > 0) {
            cut();
            Chunk own = pool.acquire(bytes);
            own.bytes().put(records.duplicate());
            parts.add(own, own.bytes().slice(0, bytes));
        }
    }

    @Override
    public void writeByte(byte value) {
        target.put(value);
    }

    @Override
    public void writeShort(short value) {
        target.putShort(value);
    }

    @Override
    public void writeInt(int value) {
        target.putInt(value);
    }

    @Override
    public void writeLong(long value) {
        target.putLong(value);
    }

    @Override
    public void writeDouble(double value) {
        target.putDouble(value);
    }

    @Override
    public void writeByteArray(byte[] bytes) {
        target.put(bytes);
    }

    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        target.put(bytes.duplicate());
    }

    @Override
    public void writeUnsignedVarint(int value) {
        int left = value;
        while ((left & ~0x7f) != 0) {
            target.put((byte) (left | 0x80));
            left >>>= 7;
        }
        target.put((byte) left);
    }

    @Override
    public void writeVarint(int value) {
        writeUnsignedVarint((value << 1) ^ (value >> 31));
    }

    @Override
    public void writeVarlong(long value) {
        long left = (value << 1) ^ (value >> 63);
        while ((left & ~0x7fL) != 0) {
            target.put((byte) (left | 0x80));
            left >>>= 7;
        }
        target.put((byte) left);
    }
}
