package records;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that lie compressed in a buffer, inflated piece by piece: holds 16 KiB of them at a time, beside what the codec needs (at most one lz4 block of 4
 * MiB; a snappy chunk as large as its compressed form allows; zstd's window, native memory touched only as far as it inflates). A batch that inflates to
 * more than {@link #inflateLimit} is refused, so that a bomb costs a bounded time.
 */
final class InflatedSource extends RecordSource {

    private static final Logger log = LoggerFactory.getLogger(InflatedSource.class);
    private static final int CHUNK_BYTES = 16 * 1024;
    private static final long MIN_INFLATE_LIMIT = 64L << 20;
    private static final int MAX_INFLATE_RATIO = 128;

    private final Map<CompressionType, Compression> codecs = new EnumMap<>(CompressionType.class);
    private final BufferSupplier buffers = BufferSupplier.create();
    private ZstdInflater zstd;
    private byte[] chunk;
    private InputStream inflated;
    private int position;
    private int end;
    private long before;
    private long limit;

    /** Most bytes that the records of a batch may inflate to: 64 MiB, or 128 times the batch if that is more. */
    static long inflateLimit(int batchBytes) {
        return Math.max(MIN_INFLATE_LIMIT, (long) batchBytes * MAX_INFLATE_RATIO);
    }

    /** What to do with the records of one batch. */
    interface Use<T> {
        T with(RecordSource in);
    }

    /**
     * Lets {@code use} read the records of the compressed batch at {@code at}, whose codec id must be known. Whatever the codec throws at bad input comes out
     * as {@link MalformedRecordException}; more than {@link #inflateLimit} as {@link InflateLimitException}.
     */
    <T> T use(ByteBuffer buffer, int at, Use<T> use) {
        return use(buffer, at, Long.MAX_VALUE, use);
    }

    /** As {@link #use(ByteBuffer, int, Use)}, and the records may inflate to {@code mostBytes} only. */
    <T> T use(ByteBuffer buffer, int at, long mostBytes, Use<T> use) {
        try {
            open(buffer, at);
            limit = Math.min(limit, mostBytes);
            return use.with(this);
        } catch (MalformedRecordException e) {
            throw e;
        } catch (RuntimeException e) {
            // KafkaException, IllegalArgumentException, LZ4Exception...: each codec has its own ways to say that its
            // input is bad
            throw new MalformedRecordException("the records cannot be decompressed");
        } finally {
            close();
        }
    }

    private void open(ByteBuffer buffer, int at) {
        int batchBytes = BatchHeader.sizeInBytes(buffer, at);
        ByteBuffer payload = buffer.slice(at + BatchHeader.SIZE, batchBytes - BatchHeader.SIZE);
        CompressionType type = CompressionType.forId(BatchHeader.codecId(buffer, at));
        limit = inflateLimit(batchBytes);
        position = 0;
        end = 0;
        before = 0;
        if (type == CompressionType.SNAPPY) {
            SnappyFraming.check(payload, limit);
        }
        if (chunk == null) {
            chunk = new byte[CHUNK_BYTES];
        }
        if (type == CompressionType.ZSTD && payload.isDirect()) {
            zstd = zstd == null ? new ZstdInflater() : zstd;
            inflated = zstd.open(payload);
        } else {
            Compression codec =
                    codecs.computeIfAbsent(type, t -> Compression.of(t).build());
            inflated = codec.wrapForInput(payload, BatchHeader.MAGIC_V2, buffers);
        }
    }

    /** Gives back the codec's buffers. */
    private void close() {
        InputStream open = inflated;
        inflated = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                log.debug("closing a decompression stream failed; its buffers are left to the collector", e);
            }
        }
    }

    /** False at the end of the stream. */
    private boolean refill() {
        before += end;
        position = 0;
        end = 0;
        if (before >= limit) {
            throw new InflateLimitException(limit);
        }
        try {
            int got = inflated.read(chunk, 0, chunk.length);
            end = Math.max(got, 0);
            return end > 0;
        } catch (IOException e) {
            throw new MalformedRecordException("the records cannot be decompressed");
        }
    }

    /** Adds all that is left of the batch's records to {@code target}; inside of {@link #use}. */
    void copyRest(GrowingBytes target) {
        do {
            target.append(chunk, position, end - position);
        } while (refill());
        position = end;
    }

    @Override
    int read() {
        if (position == end && !refill()) {
            throw new MalformedRecordException("the records end inside a record");
        }
        return chunk[position++] & 0xff;
    }

    @Override
    void skip(int count) {
        int left = count;
        while (left > end - position) {
            left -= end - position;
            if (!refill()) {
                throw new MalformedRecordException("the records end inside a record");
            }
        }
        position += left;
    }

    @Override
    long consumed() {
        return before + position;
    }

    @Override
    boolean atEnd() {
        return position == end && !refill();
    }
}
