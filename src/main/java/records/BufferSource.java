package records;

import java.nio.ByteBuffer;

/** Records that lie uncompressed in a buffer. Reusable; allocates nothing. */
final class BufferSource extends RecordSource {

    private ByteBuffer buffer;
    private int start;
    private int position;
    private int end;

    /** Reads [{@code start}, {@code end}) of {@code buffer}, by absolute index. */
    void reset(ByteBuffer buffer, int start, int end) {
        this.buffer = buffer;
        this.start = start;
        this.position = start;
        this.end = end;
    }

    /** Lets go of the buffer. */
    void clear() {
        buffer = null;
    }

    @Override
    int read() {
        if (position >= end) {
            throw new MalformedRecordException("the records end inside a record");
        }
        return buffer.get(position++) & 0xff;
    }

    @Override
    void skip(int count) {
        if (count > end - position) {
            throw new MalformedRecordException("the records end inside a record");
        }
        position += count;
    }

    @Override
    long consumed() {
        return (long) position - start;
    }

    @Override
    boolean atEnd() {
        return position == end;
    }
}
