package records;

import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether what a producer sent for one partition may enter the log: first {@link #checkHeader}, then {@link #check}. Decides as Apache Kafka's broker
 * does, but for cases where Kafka lets a batch in that would mislead readers; each is named where it is refused.
 *
 * <p>Instances hold scratch buffers: one per thread, cheap to make. An uncompressed batch costs a few nanoseconds per record and no allocation, so small
 * ones are checked on the event loop, as are small compressed ones of a quick codec; the others belong on a worker, in bounded memory.
 */
public final class BatchValidator {

    /** Most records named in a verdict; the failure's message tells how many there are. */
    static final int MAX_RECORD_ERRORS = 100;

    private static final short FIRST_VERSION_WITH_ZSTD = 7;
    private static final int LEGACY_MIN_LENGTH = 14;
    private static final long NO_TIMESTAMP = -1;

    private static final Verdict VALID = new Verdict(null, List.of());

    private final BufferSource plain = new BufferSource();
    private final RecordCursor record = new RecordCursor();
    private InflatedSource inflated;

    private List<RecordError> errors = List.of();
    private int errorCount;
    private boolean timestampError;

    /**
     * The outcome of the walk.
     *
     * @param failure null when the batch may be appended
     * @param recordErrors the records to blame, by index, at most 100; empty when the batch as a whole is bad
     */
    public record Verdict(Failure failure, List<RecordError> recordErrors) {}

    /**
     * Header checks of the bytes from position to limit; null when they are one whole, legal batch of a client with a valid CRC (rule S1). Changes nothing,
     * allocates next to nothing on success.
     *
     * <p>Stricter than Kafka: bytes after the batch (Kafka cuts them off when they are no whole batch), unused attribute bits and the delete horizon, a
     * producer id below -1, a producer without epoch, a transactional batch without producer.
     *
     * @param produceVersion of the Produce request: zstd needs 7
     */
    public static Failure checkHeader(ByteBuffer records, LogConfig config, short produceVersion) {
        int at = records.position();
        Failure framing = checkFraming(records, at);
        if (framing != null) {
            return framing;
        }
        Codec codec = Codec.forId(BatchHeader.codecId(records, at));
        if (codec == null) {
            return Failure.of(FailureCode.UNSUPPORTED_COMPRESSION, "unknown codec " + BatchHeader.codecId(records, at));
        }
        if (codec == Codec.ZSTD && produceVersion < FIRST_VERSION_WITH_ZSTD) {
            return Failure.of(FailureCode.UNSUPPORTED_COMPRESSION, "zstd needs Produce version 7 or later");
        }
        int size = BatchHeader.sizeInBytes(records, at);
        if (BatchHeader.isFramed(records, at + size)) {
            return invalid("more than one batch");
        }
        if (BatchHeader.baseOffset(records, at) != 0) {
            return invalid("base offset " + BatchHeader.baseOffset(records, at) + ", a producer must send 0");
        }
        if (size > config.maxMessageBytes()) {
            return Failure.of(
                    FailureCode.BATCH_TOO_LARGE,
                    "batch of " + size + " bytes, max.message.bytes is " + config.maxMessageBytes());
        }
        if (size > config.segmentBytes()) {
            return Failure.of(
                    FailureCode.RECORD_LIST_TOO_LARGE,
                    "batch of " + size + " bytes, segment.bytes is " + config.segmentBytes());
        }
        if (!BatchHeader.isCrcValid(records, at)) {
            return corrupt("the checksum does not match");
        }
        if (size != records.remaining()) {
            return invalid((records.remaining() - size) + " bytes after the batch: exactly one batch is allowed");
        }
        return checkFields(records, at);
    }

    /** One whole batch of magic 2 at {@code at}, judged in Kafka's order. */
    private static Failure checkFraming(ByteBuffer records, int at) {
        int remaining = records.limit() - at;
        if (remaining < BatchHeader.LENGTH_OVERHEAD) {
            return invalid("no batch");
        }
        int length = BatchHeader.length(records, at);
        if (length < LEGACY_MIN_LENGTH) {
            return corrupt("batch length " + length);
        }
        if (remaining <= BatchHeader.MAGIC) {
            return invalid("the batch is cut");
        }
        byte magic = BatchHeader.magic(records, at);
        if (magic < 0 || magic > BatchHeader.MAGIC_V2) {
            return corrupt("unknown magic " + magic);
        }
        if (length > remaining - BatchHeader.LENGTH_OVERHEAD) {
            return invalid("the batch is cut: " + length + " bytes announced");
        }
        if (magic != BatchHeader.MAGIC_V2) {
            return invalid("magic " + magic + ", only 2 is allowed");
        }
        return length < BatchHeader.MIN_LENGTH ? corrupt("batch length " + length) : null;
    }

    private static Failure checkFields(ByteBuffer records, int at) {
        int count = BatchHeader.recordCount(records, at);
        int delta = BatchHeader.lastOffsetDelta(records, at);
        if (count < 1 || delta != count - 1) {
            return invalid(count + " records announced with last offset delta " + delta);
        }
        int attributes = BatchHeader.attributes(records, at);
        if ((attributes & BatchHeader.CONTROL_BIT) != 0) {
            return invalid("clients may not write control batches");
        }
        if ((attributes & (BatchHeader.UNUSED_BITS | BatchHeader.DELETE_HORIZON_BIT)) != 0) {
            return invalid(
                    "attributes 0x" + Integer.toHexString(attributes & 0xffff) + " hold bits a client may not set");
        }
        long producerId = BatchHeader.producerId(records, at);
        boolean transactional = (attributes & BatchHeader.TRANSACTIONAL_BIT) != 0;
        if (producerId < BatchHeader.NONE || (transactional && producerId == BatchHeader.NONE)) {
            return invalid("producer id " + producerId + (transactional ? " of a transactional batch" : ""));
        }
        if (producerId != BatchHeader.NONE
                && (BatchHeader.baseSequence(records, at) < 0 || BatchHeader.producerEpoch(records, at) < 0)) {
            return invalid("producer " + producerId + " sent epoch " + BatchHeader.producerEpoch(records, at)
                    + " and sequence " + BatchHeader.baseSequence(records, at));
        }
        return null;
    }

    private static Failure invalid(String message) {
        return Failure.of(FailureCode.INVALID_RECORD, message);
    }

    private static Failure corrupt(String message) {
        return Failure.of(FailureCode.CORRUPT_BATCH, message);
    }

    /**
     * The walk over all records of a batch that passed {@link #checkHeader}: as many as announced and nothing behind them, offset deltas 0, 1, 2..., parts
     * that fill their record, times within {@code message.timestamp.before/after.max.ms} of {@code nowMillis} (CreateTime), keys on a compacted topic, no
     * record above {@code max.decompressed.message.bytes} in a compressed batch, no bomb. With {@code record.validation=header} only the header's max
     * timestamp is checked, and the producer is trusted for the rest.
     *
     * <p>On success under CreateTime the header's max timestamp is that of the records (patched in place, -1 when none has a time); LogAppendTime is left
     * to the log, which sets it with the offsets.
     *
     * <p>Stricter than Kafka: offset deltas (Kafka renumbers them in compressed batches and stores them as they are in others), records whose parts do not fill
     * them (Kafka does not look in compressed batches, and no consumer can read the partition beyond them), and a batch that says LogAppendTime is refused
     * under CreateTime too (Kafka takes over its max timestamp, whatever the records say).
     */
    public Verdict check(ByteBuffer batch, LogConfig config, long nowMillis) {
        return check(batch, config, nowMillis, Long.MAX_VALUE);
    }

    /** As {@link #check(ByteBuffer, LogConfig, long)}; null, and nothing is decided, if the records inflate to more than {@code mostBytes}. */
    public Verdict checkWithin(long mostBytes, ByteBuffer batch, LogConfig config, long nowMillis) {
        return check(batch, config, nowMillis, mostBytes);
    }

    private Verdict check(ByteBuffer batch, LogConfig config, long nowMillis, long mostBytes) {
        int at = batch.position();
        if (BatchHeader.isLogAppendTime(batch, at)) {
            return new Verdict(
                    Failure.of(FailureCode.INVALID_TIMESTAMP, "a producer may not set the time type LogAppendTime"),
                    List.of());
        }
        if (!config.fullRecordValidation()) {
            return checkHeaderTime(batch, at, config, nowMillis);
        }
        errorCount = 0;
        timestampError = false;
        try {
            long maxTimestamp = BatchHeader.isCompressed(batch, at)
                    ? walkCompressed(batch, at, config, nowMillis, mostBytes)
                    : walkPlain(batch, at, config, nowMillis);
            if (errorCount > 0) {
                return refusedRecords();
            }
            if (!config.logAppendTime()) {
                BatchHeader.setMaxTimestamp(batch, at, maxTimestamp);
            }
            return VALID;
        } catch (InflateLimitException e) {
            return mostBytes < Long.MAX_VALUE ? null : new Verdict(invalid(e.getMessage()), List.of());
        } catch (MalformedRecordException e) {
            return new Verdict(invalid(e.getMessage()), List.of());
        }
    }

    private static Verdict checkHeaderTime(ByteBuffer batch, int at, LogConfig config, long nowMillis) {
        long time = BatchHeader.maxTimestamp(batch, at);
        if (config.logAppendTime() || time == NO_TIMESTAMP || isTimely(time, config, nowMillis)) {
            return VALID;
        }
        return new Verdict(Failure.of(FailureCode.INVALID_TIMESTAMP, untimely(time, config, nowMillis)), List.of());
    }

    private long walkPlain(ByteBuffer batch, int at, LogConfig config, long nowMillis) {
        plain.reset(batch, at + BatchHeader.SIZE, at + BatchHeader.sizeInBytes(batch, at));
        try {
            return walk(plain, batch, at, config, nowMillis, Integer.MAX_VALUE);
        } finally {
            plain.clear();
        }
    }

    private long walkCompressed(ByteBuffer batch, int at, LogConfig config, long nowMillis, long mostBytes) {
        if (inflated == null) {
            inflated = new InflatedSource();
        }
        return inflated.use(
                batch, at, mostBytes, in -> walk(in, batch, at, config, nowMillis, config.maxDecompressedBytes()));
    }

    /** Returns the largest time of the records that are in order, -1 for none. */
    private long walk(RecordSource in, ByteBuffer batch, int at, LogConfig config, long nowMillis, int maxRecordBytes) {
        int count = BatchHeader.recordCount(batch, at);
        long baseTimestamp = BatchHeader.baseTimestamp(batch, at);
        boolean checkTime = !config.logAppendTime();
        boolean needsKey = config.cleanupCompact();
        long maxTimestamp = NO_TIMESTAMP;
        for (int i = 0; i < count; i++) {
            record.read(in, maxRecordBytes);
            if (record.offsetDelta() != i) {
                throw new MalformedRecordException("record " + i + " has offset delta " + record.offsetDelta());
            }
            long time = baseTimestamp + record.timestampDelta();
            if (needsKey && !record.hasKey()) {
                blame(i, "a record of a compacted topic needs a key");
            } else if (checkTime && time != NO_TIMESTAMP && !isTimely(time, config, nowMillis)) {
                timestampError = true;
                blame(i, untimely(time, config, nowMillis));
            } else if (time > maxTimestamp) {
                maxTimestamp = time;
            }
        }
        if (!in.atEnd()) {
            throw new MalformedRecordException("more bytes than the " + count + " announced records");
        }
        return maxTimestamp;
    }

    private static boolean isTimely(long time, LogConfig config, long nowMillis) {
        long age = nowMillis - time;
        return age <= config.timestampBeforeMaxMillis() && -age <= config.timestampAfterMaxMillis();
    }

    private static String untimely(long time, LogConfig config, long nowMillis) {
        return "timestamp " + time + " is more than " + config.timestampBeforeMaxMillis() + " ms before or "
                + config.timestampAfterMaxMillis() + " ms after the broker's clock, " + nowMillis;
    }

    private void blame(int index, String message) {
        if (errorCount == 0) {
            errors = new ArrayList<>();
        }
        if (errorCount++ < MAX_RECORD_ERRORS) {
            errors.add(new RecordError(index, message));
        }
    }

    /** As in Kafka one bad time makes the whole refusal one of time. */
    private Verdict refusedRecords() {
        List<RecordError> blamed = errors;
        errors = List.of();
        return new Verdict(
                Failure.of(
                        timestampError ? FailureCode.INVALID_TIMESTAMP : FailureCode.INVALID_RECORD,
                        errorCount + " of the records are not allowed; the first, at index "
                                + blamed.get(0).batchIndex() + ": "
                                + blamed.get(0).message()),
                blamed);
    }
}
