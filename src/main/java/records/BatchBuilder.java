package records;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Makes one batch of records. Offsets are base offset, base offset + 1, ...; the log that appends it sets base offset and epoch again. One use, one thread.
 * Grows with what is added; callers bound that ({@link #estimatedBytes}).
 */
public final class BatchBuilder {

    private static final int FIRST_BYTES = 512;
    private static final Header[] NO_HEADERS = {};

    private final ByteBufferOutputStream bytes = new ByteBufferOutputStream(FIRST_BYTES);
    private final MemoryRecordsBuilder builder;

    /** Without a producer: for the broker's own logs. */
    public BatchBuilder(Codec codec, long baseOffset, int leaderEpoch) {
        this(compression(codec, null), baseOffset, leaderEpoch, Producer.NONE);
    }

    /** @param producerId, epoch, baseSequence -1 for none */
    public record Producer(long producerId, short epoch, int baseSequence, boolean transactional) {
        public static final Producer NONE = new Producer(-1, (short) -1, -1, false);
    }

    public BatchBuilder(Codec codec, long baseOffset, int leaderEpoch, Producer producer) {
        this(compression(codec, null), baseOffset, leaderEpoch, producer);
    }

    BatchBuilder(Compression compression, long baseOffset, int leaderEpoch, Producer producer) {
        this.builder = new MemoryRecordsBuilder(
                bytes,
                RecordBatch.CURRENT_MAGIC_VALUE,
                compression,
                TimestampType.CREATE_TIME,
                baseOffset,
                RecordBatch.NO_TIMESTAMP,
                producer.producerId(),
                producer.epoch(),
                producer.baseSequence(),
                producer.transactional(),
                false,
                leaderEpoch,
                Integer.MAX_VALUE);
    }

    /** {@code level}: null for the codec's default; ignored by codecs without levels. */
    static Compression compression(Codec codec, Integer level) {
        if (level != null) {
            return switch (codec) {
                case GZIP -> Compression.gzip().level(level).build();
                case LZ4 -> Compression.lz4().level(level).build();
                case ZSTD -> Compression.zstd().level(level).build();
                default -> compression(codec, null);
            };
        }
        return Compression.of(CompressionType.forId(codec.id())).build();
    }

    /** Adds a record; key and value may be null. Arrays are copied. */
    public BatchBuilder add(long timestampMillis, byte[] key, byte[] value) {
        builder.append(timestampMillis, key, value, NO_HEADERS);
        return this;
    }

    /** Adds a record; key and value may be null, and their position and limit stay. */
    public BatchBuilder add(long timestampMillis, ByteBuffer key, ByteBuffer value, List<LogRecord.Header> headers) {
        Header[] to = headers.isEmpty() ? NO_HEADERS : new Header[headers.size()];
        for (int i = 0; i < headers.size(); i++) {
            ByteBuffer from = headers.get(i).value();
            byte[] bytes = null;
            if (from != null) {
                bytes = new byte[from.remaining()];
                from.get(from.position(), bytes);
            }
            to[i] = new RecordHeader(headers.get(i).key(), bytes);
        }
        builder.append(timestampMillis, duplicate(key), duplicate(value), to);
        return this;
    }

    private static ByteBuffer duplicate(ByteBuffer buffer) {
        return buffer == null ? null : buffer.duplicate();
    }

    public int count() {
        return builder.numRecords();
    }

    /** Size of the batch if it were built now; an estimate when compressed. */
    public int estimatedBytes() {
        return builder.estimatedSizeInBytes();
    }

    /** Bytes that have left the codec so far. */
    int writtenBytes() {
        return bytes.position();
    }

    /** The batch, from position to limit. At least one record must have been added. */
    public ByteBuffer build() {
        MemoryRecords records = builder.build();
        return records.buffer();
    }
}
