package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import records.BatchHeader;

/**
 * Goes through all batches of segment files, one after the other, with large reads, and checks each one's checksum, and that offsets rise, which are under none
 * (rule K6). Its buffer grows to the largest batch. Blocking: inside a job.
 */
final class BatchStream {

    private static final int MIN_BUFFER = 1 << 16;

    /**
     * What is read.
     *
     * @param view the segment or a part of it
     * @param endOffset all batches end below it
     */
    record Source(SegmentView view, long endOffset) {}

    private ByteBuffer buffer;
    private SegmentView segment;
    private long endOffset;
    /** No batch can begin below. */
    private long expected;

    private FileHandle file;
    private int filePosition;
    private int at;
    private int size;

    BatchStream(int bufferBytes) {
        this.buffer = ByteBuffer.allocate(Math.max(MIN_BUFFER, bufferBytes));
    }

    /** Begins at {@code position}, which must be the beginning of a batch behind all that were met, or the segment's end. */
    void begin(Source source, FileHandle handle, int position) {
        segment = source.view;
        endOffset = source.endOffset;
        expected = Math.max(expected, segment.baseOffset());
        file = handle;
        filePosition = position;
        buffer.clear().limit(0);
        at = 0;
        size = 0;
    }

    /** To the next batch; false at the end of the segment. Throws CorruptSegmentException when the next bytes are no valid batch. */
    boolean next() throws IOException {
        at += size;
        size = 0;
        if (position() >= segment.size()) {
            return false;
        }
        if (buffer.limit() - at < BatchHeader.SIZE) {
            fill(BatchHeader.SIZE);
        }
        if (!BatchHeader.isPlausible(buffer, at) || BatchHeader.sizeInBytes(buffer, at) > segment.size() - position()) {
            throw damaged();
        }
        int wanted = BatchHeader.sizeInBytes(buffer, at);
        if (buffer.limit() - at < wanted) {
            fill(wanted);
        }
        if (buffer.limit() - at < wanted || !BatchHeader.isCrcValid(buffer, at)) {
            throw damaged();
        }
        if (BatchHeader.baseOffset(buffer, at) < expected || BatchHeader.lastOffset(buffer, at) >= endOffset) {
            throw damaged();
        }
        expected = BatchHeader.nextOffset(buffer, at);
        size = wanted;
        return true;
    }

    private CorruptSegmentException damaged() {
        return new CorruptSegmentException(segment, position());
    }

    /** Moves what is left to the front and reads behind it. */
    private void fill(int wanted) throws IOException {
        filePosition += at;
        ByteBuffer target = buffer.capacity() >= wanted ? buffer : ByteBuffer.allocate(wanted);
        ByteBuffer rest = buffer.slice(at, buffer.limit() - at);
        target.clear();
        target.put(rest);
        int read = target.position();
        target.limit(Math.min(target.capacity(), segment.size() - filePosition));
        PartitionFiles.readFully(file, target, filePosition + read);
        target.flip();
        buffer = target;
        at = 0;
    }

    ByteBuffer buffer() {
        return buffer;
    }

    /** Of the batch in {@link #buffer}. */
    int at() {
        return at;
    }

    int size() {
        return size;
    }

    /** Of the batch in the file. */
    int position() {
        return filePosition + at;
    }

    /** Whether the batch is the segment's last. */
    boolean last() {
        return position() + size >= segment.size();
    }
}
