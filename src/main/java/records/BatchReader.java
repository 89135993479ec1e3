package records;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/**
 * Reads records out of batches of a log. Instances hold scratch buffers: one per thread, cheap to make. Records are decompressed one by one; the largest
 * one must fit in memory.
 */
public final class BatchReader {

    private final BufferSource plain = new BufferSource();
    private final RecordCursor cursor = new RecordCursor();
    private final BufferSupplier buffers = BufferSupplier.create();
    private InflatedSource inflated;

    /** Gets the batches and records of a range in order. */
    public interface Visitor {

        /**
         * A batch begins, at {@code at} of the buffer (see {@link BatchHeader}).
         *
         * @return false to pass over its records
         */
        default boolean batch(ByteBuffer buffer, int at) {
            return true;
        }

        /** Returns false to stop reading. */
        boolean record(LogRecord record);
    }

    /**
     * Visits the whole batches from position to limit; a batch that the limit cuts ends the reading, as a fetched range may end inside one.
     *
     * @return null when all were read or the visitor stopped; CORRUPT_BATCH when a batch has an impossible header or a wrong checksum (rule S1), or its
     *     records cannot be read. The visitor has then seen all before it.
     */
    public Failure read(ByteBuffer batches, Visitor visitor) {
        int at = batches.position();
        while (batches.limit() - at >= BatchHeader.SIZE) {
            if (!BatchHeader.isPlausible(batches, at)) {
                return corrupt(at, "its header is no batch header");
            }
            int size = BatchHeader.sizeInBytes(batches, at);
            if (size > batches.limit() - at) {
                return null;
            }
            if (!BatchHeader.isCrcValid(batches, at)) {
                return corrupt(at, "its checksum does not match");
            }
            if (visitor.batch(batches, at)) {
                try {
                    if (!visitRecords(batches.slice(at, size), visitor)) {
                        return null;
                    }
                } catch (UnreadableException e) {
                    return corrupt(at, "its records cannot be read");
                }
            }
            at += size;
        }
        return null;
    }

    private static Failure corrupt(int at, String what) {
        return Failure.of(FailureCode.CORRUPT_BATCH, "batch at byte " + at + ": " + what);
    }

    private boolean visitRecords(ByteBuffer batch, Visitor visitor) {
        boolean control = BatchHeader.isControl(batch, 0);
        try (CloseableIterator<Record> iterator = open(batch)) {
            LogRecord next = next(iterator, control);
            while (next != null) {
                if (!visitor.record(next)) {
                    return false;
                }
                next = next(iterator, control);
            }
            return true;
        }
    }

    private CloseableIterator<Record> open(ByteBuffer batch) {
        int most = (int) Math.min(Integer.MAX_VALUE, InflatedSource.inflateLimit(batch.remaining()));
        try {
            if (BatchHeader.codecId(batch, 0) == Codec.SNAPPY.id()) {
                SnappyFraming.check(batch.slice(BatchHeader.SIZE, batch.remaining() - BatchHeader.SIZE), most);
            }
            MutableRecordBatch records =
                    MemoryRecords.readableRecords(batch).batches().iterator().next();
            return records.streamingIterator(buffers, most);
        } catch (RuntimeException e) {
            throw new UnreadableException(e);
        }
    }

    /** null at the end. Only what kafka-clients throws is translated, never what the visitor throws. */
    private static LogRecord next(Iterator<Record> iterator, boolean control) {
        try {
            return iterator.hasNext() ? toLogRecord(iterator.next(), control) : null;
        } catch (RuntimeException e) {
            throw new UnreadableException(e);
        }
    }

    private static LogRecord toLogRecord(Record record, boolean control) {
        org.apache.kafka.common.header.Header[] from = record.headers();
        List<LogRecord.Header> headers = from.length == 0 ? List.of() : new ArrayList<>(from.length);
        for (org.apache.kafka.common.header.Header header : from) {
            byte[] value = header.value();
            headers.add(new LogRecord.Header(header.key(), value == null ? null : ByteBuffer.wrap(value)));
        }
        return new LogRecord(record.offset(), record.timestamp(), control, record.key(), record.value(), headers);
    }

    /**
     * The offset of the first record at or after {@code fromOffset} with a time {@code >= timestampMillis} in the framed batch at {@code at}, as ListOffsets
     * looks for it; in bounded memory, records are passed over.
     *
     * @return the record's time and offset; NONE when there is none; a failure when the records cannot be read
     */
    public TimeSearch firstAtOrAfter(ByteBuffer buffer, int at, long timestampMillis, long fromOffset) {
        if (BatchHeader.maxTimestamp(buffer, at) < timestampMillis || BatchHeader.lastOffset(buffer, at) < fromOffset) {
            return TimeSearch.NONE;
        }
        try {
            if (!BatchHeader.isCompressed(buffer, at)) {
                plain.reset(buffer, at + BatchHeader.SIZE, at + BatchHeader.sizeInBytes(buffer, at));
                return search(plain, buffer, at, timestampMillis, fromOffset);
            }
            if (inflated == null) {
                inflated = new InflatedSource();
            }
            return inflated.use(buffer, at, in -> search(in, buffer, at, timestampMillis, fromOffset));
        } catch (MalformedRecordException e) {
            return new TimeSearch(-1, -1, corrupt(at, e.getMessage()));
        } finally {
            plain.clear();
        }
    }

    /** @param offset -1 when no record was found */
    public record TimeSearch(long timestamp, long offset, Failure failure) {
        static final TimeSearch NONE = new TimeSearch(-1, -1, null);
    }

    private TimeSearch search(RecordSource in, ByteBuffer buffer, int at, long timestampMillis, long fromOffset) {
        long baseOffset = BatchHeader.baseOffset(buffer, at);
        long baseTimestamp = BatchHeader.baseTimestamp(buffer, at);
        boolean oneTime = BatchHeader.isLogAppendTime(buffer, at);
        int count = BatchHeader.recordCount(buffer, at);
        for (int i = 0; i < count; i++) {
            cursor.read(in, Integer.MAX_VALUE);
            long offset = baseOffset + cursor.offsetDelta();
            long time = oneTime ? BatchHeader.maxTimestamp(buffer, at) : baseTimestamp + cursor.timestampDelta();
            if (time >= timestampMillis && offset >= fromOffset) {
                return new TimeSearch(time, offset, null);
            }
        }
        return TimeSearch.NONE;
    }

    /** What kafka-clients throws at records that cannot be read; stays in this class. */
    private static final class UnreadableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnreadableException(RuntimeException cause) {
            super(null, cause, false, false);
        }
    }
}
