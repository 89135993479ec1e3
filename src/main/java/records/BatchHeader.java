package records;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Reads and patches the header of a record batch (format v2) where it lies: all methods are static, take (buffer, position of the batch) and touch
 * neither position nor limit of the buffer. Big endian; the buffer must be in that order (the default). No checks beyond the buffer's bounds: a header
 * from outside goes through {@link #isFramed} or {@link BatchValidator} first.
 *
 * <pre>
 *  byte  0        8       12      16  17      21    23      27          35          43          51   53       57       61
 *        +--------+-------+-------+---+-------+-----+-------+-----------+-----------+-----------+----+--------+--------+---------
 *        | base   | length| leader| m | CRC-  |attri| last  | base      | max       | producer  |prod| base   | record | records
 *        | offset |       | epoch | 2 | 32C   |butes| offset| timestamp | timestamp | id        |epoc| sequen | count  | ...
 *        | int64  | int32 | int32 |i8 | uint32|int16| delta | int64     | int64     | int64     |i16 | int32  | int32  |
 *        +--------+-------+-------+---+-------+-----+-------+-----------+-----------+-----------+----+--------+--------+---------
 *                         |<-- length counts from here to the end  |<-- the CRC covers from here to the end
 *
 *  attributes: bits 0-2 codec (0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd), 3 time is LogAppendTime, 4 transactional, 5 control batch,
 *              6 base timestamp is the delete horizon (KIP-534), 7-15 unused
 * </pre>
 *
 * Base offset and leader epoch lie outside the CRC, so the broker sets them without computing it again. Source: KIP-98, KIP-101, KIP-534.
 */
public final class BatchHeader {

    public static final int BASE_OFFSET = 0;
    public static final int LENGTH = 8;
    public static final int LEADER_EPOCH = 12;
    public static final int MAGIC = 16;
    public static final int CRC = 17;
    public static final int ATTRIBUTES = 21;
    public static final int LAST_OFFSET_DELTA = 23;
    public static final int BASE_TIMESTAMP = 27;
    public static final int MAX_TIMESTAMP = 35;
    public static final int PRODUCER_ID = 43;
    public static final int PRODUCER_EPOCH = 51;
    public static final int BASE_SEQUENCE = 53;
    public static final int RECORD_COUNT = 57;

    /** Size of the header in bytes; the first record starts here. */
    public static final int SIZE = 61;

    /** Bytes before the point from which {@link #length} counts. */
    public static final int LENGTH_OVERHEAD = 12;

    /** Smallest legal value of the length field: a header without records. */
    public static final int MIN_LENGTH = SIZE - LENGTH_OVERHEAD;

    public static final byte MAGIC_V2 = 2;

    /** Producer id, epoch or sequence of a batch that has none. */
    public static final int NONE = -1;

    static final int CODEC_MASK = 0x07;
    static final int LOG_APPEND_TIME_BIT = 0x08;
    static final int TRANSACTIONAL_BIT = 0x10;
    static final int CONTROL_BIT = 0x20;
    static final int DELETE_HORIZON_BIT = 0x40;
    static final int UNUSED_BITS = 0xff80;

    private BatchHeader() {}

    public static long baseOffset(ByteBuffer buffer, int at) {
        return buffer.getLong(at + BASE_OFFSET);
    }

    /** Bytes after the length field. From outside it may be any number. */
    public static int length(ByteBuffer buffer, int at) {
        return buffer.getInt(at + LENGTH);
    }

    /** Size of the whole batch in bytes, header included. Only for a legal length (else it may overflow). */
    public static int sizeInBytes(ByteBuffer buffer, int at) {
        return LENGTH_OVERHEAD + length(buffer, at);
    }

    public static int leaderEpoch(ByteBuffer buffer, int at) {
        return buffer.getInt(at + LEADER_EPOCH);
    }

    public static byte magic(ByteBuffer buffer, int at) {
        return buffer.get(at + MAGIC);
    }

    /** The stored checksum, as the signed form of its 32 bits. */
    public static int crc(ByteBuffer buffer, int at) {
        return buffer.getInt(at + CRC);
    }

    public static short attributes(ByteBuffer buffer, int at) {
        return buffer.getShort(at + ATTRIBUTES);
    }

    public static int lastOffsetDelta(ByteBuffer buffer, int at) {
        return buffer.getInt(at + LAST_OFFSET_DELTA);
    }

    public static long lastOffset(ByteBuffer buffer, int at) {
        return baseOffset(buffer, at) + lastOffsetDelta(buffer, at);
    }

    /** First offset after the batch. */
    public static long nextOffset(ByteBuffer buffer, int at) {
        return lastOffset(buffer, at) + 1;
    }

    /** The base of the records' timestamp deltas; with {@link #hasDeleteHorizon} it is that horizon. */
    public static long baseTimestamp(ByteBuffer buffer, int at) {
        return buffer.getLong(at + BASE_TIMESTAMP);
    }

    /** Milliseconds; -1 when no record has a time. */
    public static long maxTimestamp(ByteBuffer buffer, int at) {
        return buffer.getLong(at + MAX_TIMESTAMP);
    }

    public static long producerId(ByteBuffer buffer, int at) {
        return buffer.getLong(at + PRODUCER_ID);
    }

    public static boolean hasProducerId(ByteBuffer buffer, int at) {
        return producerId(buffer, at) > NONE;
    }

    public static short producerEpoch(ByteBuffer buffer, int at) {
        return buffer.getShort(at + PRODUCER_EPOCH);
    }

    public static int baseSequence(ByteBuffer buffer, int at) {
        return buffer.getInt(at + BASE_SEQUENCE);
    }

    /** Sequence of the last record; -1 when the batch has none. */
    public static int lastSequence(ByteBuffer buffer, int at) {
        int base = baseSequence(buffer, at);
        return base == NONE ? NONE : plusSequence(base, lastOffsetDelta(buffer, at));
    }

    public static int recordCount(ByteBuffer buffer, int at) {
        return buffer.getInt(at + RECORD_COUNT);
    }

    /** 0 to 7; see {@link Codec}. */
    public static int codecId(ByteBuffer buffer, int at) {
        return attributes(buffer, at) & CODEC_MASK;
    }

    public static boolean isCompressed(ByteBuffer buffer, int at) {
        return codecId(buffer, at) != 0;
    }

    public static boolean isLogAppendTime(ByteBuffer buffer, int at) {
        return (attributes(buffer, at) & LOG_APPEND_TIME_BIT) != 0;
    }

    public static boolean isTransactional(ByteBuffer buffer, int at) {
        return (attributes(buffer, at) & TRANSACTIONAL_BIT) != 0;
    }

    public static boolean isControl(ByteBuffer buffer, int at) {
        return (attributes(buffer, at) & CONTROL_BIT) != 0;
    }

    public static boolean hasDeleteHorizon(ByteBuffer buffer, int at) {
        return (attributes(buffer, at) & DELETE_HORIZON_BIT) != 0;
    }

    /** Adds to a sequence number, wrapping from 2^31-1 to 0 (rule P2). {@code sequence} and {@code increment} must not be negative. */
    public static int plusSequence(int sequence, int increment) {
        return (sequence + increment) & Integer.MAX_VALUE;
    }

    /** Gives the batch its place in the log: base offset and leader epoch (rule I1). The CRC stays valid. */
    public static void assign(ByteBuffer buffer, int at, long baseOffset, int leaderEpoch) {
        buffer.putLong(at + BASE_OFFSET, baseOffset);
        buffer.putInt(at + LEADER_EPOCH, leaderEpoch);
    }

    /** Sets the time type to CreateTime with this maximum; computes the CRC again only if something changed. */
    public static void setMaxTimestamp(ByteBuffer buffer, int at, long maxTimestampMillis) {
        setTime(buffer, at, false, maxTimestampMillis);
    }

    /** Sets the time type to LogAppendTime, which gives every record this time; computes the CRC again if something changed. */
    public static void setLogAppendTime(ByteBuffer buffer, int at, long appendTimeMillis) {
        setTime(buffer, at, true, appendTimeMillis);
    }

    private static void setTime(ByteBuffer buffer, int at, boolean logAppendTime, long maxTimestampMillis) {
        if (isLogAppendTime(buffer, at) == logAppendTime && maxTimestamp(buffer, at) == maxTimestampMillis) {
            return;
        }
        int others = attributes(buffer, at) & ~LOG_APPEND_TIME_BIT;
        buffer.putShort(at + ATTRIBUTES, (short) (logAppendTime ? others | LOG_APPEND_TIME_BIT : others));
        buffer.putLong(at + MAX_TIMESTAMP, maxTimestampMillis);
        buffer.putInt(at + CRC, computeCrc(buffer, at));
    }

    /** The CRC-32C from the attributes to the end of the batch (rule S1), as the signed form of its 32 bits. The whole batch must be in the buffer. */
    public static int computeCrc(ByteBuffer buffer, int at) {
        int from = at + ATTRIBUTES;
        int count = sizeInBytes(buffer, at) - ATTRIBUTES;
        CRC32C crc = new CRC32C();
        if (buffer.hasArray()) {
            crc.update(buffer.array(), buffer.arrayOffset() + from, count);
        } else {
            crc.update(buffer.slice(from, count));
        }
        return (int) crc.getValue();
    }

    /** Whether the stored CRC is that of the content. The batch must be framed. */
    public static boolean isCrcValid(ByteBuffer buffer, int at) {
        return crc(buffer, at) == computeCrc(buffer, at);
    }

    /** Whether the 61 bytes at {@code at} can be a header: all there (below the buffer's limit), magic 2, a legal length, counts not negative. */
    public static boolean isPlausible(ByteBuffer buffer, int at) {
        return at >= 0
                && buffer.limit() - at >= SIZE
                && magic(buffer, at) == MAGIC_V2
                && length(buffer, at) >= MIN_LENGTH
                && length(buffer, at) <= Integer.MAX_VALUE - LENGTH_OVERHEAD
                && baseOffset(buffer, at) >= 0
                && lastOffsetDelta(buffer, at) >= 0
                && recordCount(buffer, at) >= 0;
    }

    /** Whether a plausible header stands at {@code at} and the whole batch ends at or before the buffer's limit. The CRC is not looked at. */
    public static boolean isFramed(ByteBuffer buffer, int at) {
        return isPlausible(buffer, at) && sizeInBytes(buffer, at) <= buffer.limit() - at;
    }
}
