package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import records.BatchHeader;
import records.BatchSummary;

/**
 * Walks the batches of a segment file by their headers, with bounded memory. Blocking: inside a job. What stands in the file is not trusted: a header
 * must be plausible and its batch end at or before the limit.
 */
final class BatchScanner {

    private static final int WINDOW = 4096;
    private static final int CRC_CHUNK = 1 << 18;
    /** Largest control batch whose marker is looked at. */
    private static final int MAX_CONTROL_BATCH = 4096;

    private final FileHandle file;
    private final int limit;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW).limit(0);
    private ByteBuffer chunk;
    private int windowStart;
    private int position;
    private int at;

    /** @param limit end of the part of the file that may be read */
    BatchScanner(FileHandle file, int position, int limit) {
        this.file = file;
        this.limit = limit;
        this.position = position;
    }

    /** What is at a position. */
    enum Place {
        /** A plausible header, and its whole batch ends at or before the limit. Its checksum was not looked at. */
        BATCH,
        /** Nothing more: the limit. */
        END,
        /** Bytes that are no whole batch: torn, rotten, or room made in advance. */
        NO_BATCH
    }

    /** Loads what is at the current position; its fields may be asked for behind {@link Place#BATCH} only. */
    Place load() throws IOException {
        if (position == limit) {
            return Place.END;
        }
        if (limit - position < BatchHeader.SIZE) {
            return Place.NO_BATCH;
        }
        boolean inside = position >= windowStart && position + BatchHeader.SIZE <= windowStart + window.limit();
        if (!inside) {
            window.clear().limit(Math.min(WINDOW, limit - position));
            int got = PartitionFiles.readFully(file, window, position);
            window.flip();
            windowStart = position;
            if (got < BatchHeader.SIZE) {
                return Place.NO_BATCH;
            }
        }
        at = position - windowStart;
        boolean whole = BatchHeader.isPlausible(window, at) && BatchHeader.sizeInBytes(window, at) <= limit - position;
        return whole ? Place.BATCH : Place.NO_BATCH;
    }

    int position() {
        return position;
    }

    void moveTo(int newPosition) {
        position = newPosition;
    }

    /** To the next batch; only behind a batch that was loaded. */
    void skip() {
        position += size();
    }

    int size() {
        return BatchHeader.sizeInBytes(window, at);
    }

    int endPosition() {
        return position + size();
    }

    long baseOffset() {
        return BatchHeader.baseOffset(window, at);
    }

    long lastOffset() {
        return BatchHeader.lastOffset(window, at);
    }

    /** Milliseconds; -1 when no record has a time, or compaction has taken all records away. */
    long maxTimestamp() {
        if (BatchHeader.recordCount(window, at) == 0) {
            return -1;
        }
        return BatchHeader.maxTimestamp(window, at);
    }

    int leaderEpoch() {
        return BatchHeader.leaderEpoch(window, at);
    }

    /** Whether transactions depend on the loaded batch. */
    boolean ofTransaction() {
        return BatchHeader.isTransactional(window, at) || BatchHeader.isControl(window, at);
    }

    /** The loaded batch; a control batch is read whole for its marker. */
    BatchSummary summary() throws IOException {
        if (!BatchHeader.isControl(window, at)) {
            return BatchSummary.of(window, at);
        }
        return BatchSummary.of(wholeBatch(MAX_CONTROL_BATCH), 0);
    }

    /** The loaded batch, whole, in a buffer of its own; throws if larger than {@code maxBytes}. */
    ByteBuffer wholeBatch(int maxBytes) throws IOException {
        if (size() > maxBytes) {
            throw new IOException("batch at " + position + " of " + file.path() + " is larger than " + maxBytes);
        }
        ByteBuffer batch = ByteBuffer.allocate(size());
        PartitionFiles.readFully(file, batch, position);
        return batch.flip();
    }

    /** Whether the loaded batch's CRC is that of its content (rule S1); read in chunks. */
    boolean crcValid() throws IOException {
        int from = position + BatchHeader.ATTRIBUTES;
        int end = endPosition();
        CRC32C crc = new CRC32C();
        if (end <= windowStart + window.limit()) {
            crc.update(window.array(), from - windowStart, end - from);
        } else {
            if (chunk == null) {
                chunk = ByteBuffer.allocate(CRC_CHUNK);
            }
            while (from < end) {
                chunk.clear().limit(Math.min(CRC_CHUNK, end - from));
                int got = PartitionFiles.readFully(file, chunk, from);
                if (got <= 0) {
                    return false;
                }
                crc.update(chunk.array(), 0, got);
                from += got;
            }
        }
        return (int) crc.getValue() == BatchHeader.crc(window, at);
    }
}
