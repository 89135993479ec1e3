package protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads the primitives of a request for the generated message classes. Every length is checked against the bytes that are there before anything is
 * made; the number of fields is bounded too, because one byte on the wire can become an object of a hundred. Throws {@link MalformedRequest} (and
 * lets BufferUnderflowException through). Reused from request to request.
 */
final class FrameReader implements Readable {
    /** Far more than any real request has; bounds what decoding one frame can allocate (about 100 MB). */
    static final int MAX_FIELDS = 2_000_000;

    private final StringCache strings;
    private ByteBuffer source;
    private int fields;

    FrameReader(StringCache strings) {
        this.strings = strings;
    }

    /** Starts over with {@code bytes}, whose position moves with each read. */
    FrameReader begin(ByteBuffer bytes) {
        source = bytes;
        fields = 0;
        return this;
    }

    /** Drops the reference to the frame. */
    void end() {
        source = null;
    }

    /** Fields read since {@link #begin}. */
    int fields() {
        return fields;
    }

    private ByteBuffer next() {
        if (++fields > MAX_FIELDS) {
            throw new MalformedRequest("more than " + MAX_FIELDS + " fields");
        }
        return source;
    }

    private void require(int length) {
        if (length < 0 || length > source.remaining()) {
            throw new MalformedRequest("length " + length + " with " + source.remaining() + " bytes left");
        }
    }

    @Override
    public byte readByte() {
        return next().get();
    }

    @Override
    public short readShort() {
        return next().getShort();
    }

    @Override
    public int readInt() {
        return next().getInt();
    }

    @Override
    public long readLong() {
        return next().getLong();
    }

    @Override
    public double readDouble() {
        return next().getDouble();
    }

    @Override
    public byte[] readArray(int length) {
        require(length);
        byte[] bytes = new byte[length];
        source.get(bytes);
        return bytes;
    }

    @Override
    public String readString(int length) {
        require(length);
        return strings.read(source, length);
    }

    @Override
    public ByteBuffer readByteBuffer(int length) {
        require(length);
        ByteBuffer slice = source.slice(source.position(), length);
        source.position(source.position() + length);
        return slice;
    }

    @Override
    public int readUnsignedVarint() {
        ByteBuffer in = next();
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte b = in.get();
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new MalformedRequest("a varint of more than 5 bytes");
    }

    @Override
    public int readVarint() {
        int raw = readUnsignedVarint();
        return (raw >>> 1) ^ -(raw & 1);
    }

    @Override
    public long readVarlong() {
        ByteBuffer in = next();
        long raw = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte b = in.get();
            raw |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw new MalformedRequest("a varlong of more than 10 bytes");
    }

    @Override
    public int remaining() {
        return source.remaining();
    }

    @Override
    public Readable slice() {
        return new FrameReader(strings).begin(source.slice());
    }

    /** Skips a section of tagged fields. */
    void skipTags() {
        int count = readUnsignedVarint();
        if (count < 0 || count > source.remaining()) {
            throw new BufferUnderflowException();
        }
        for (int i = 0; i < count; i++) {
            readUnsignedVarint();
            int length = readUnsignedVarint();
            require(length);
            source.position(source.position() + length);
        }
    }
}
