package records;

import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.PrimitiveRef;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.apache.kafka.storage.internals.log.RecordValidationException;
import org.xerial.snappy.SnappyError;

/** What Apache Kafka's broker says to a batch: its request check, its append check, then its LogValidator. The oracle of the validator's tests. */
final class KafkaJudge {

    /** records: Kafka's, with offsets assigned from {@code baseOffset}; null when refused. badRecords: as in the produce response. */
    record Outcome(Errors error, String message, MemoryRecords records, List<Integer> badRecords) {}

    static final long BASE_OFFSET = 4711;
    static final int LEADER_EPOCH = 9;

    private KafkaJudge() {}

    static Outcome judge(ByteBuffer sent, LogConfig config, short version, long now) {
        ByteBuffer copy = ByteBuffer.allocate(sent.remaining());
        copy.put(sent.duplicate()).flip();
        MemoryRecords records = MemoryRecords.readableRecords(copy);
        try {
            ProduceRequest.validateRecords(version, records);
            RecordBatch first = records.batches().iterator().next();
            if (first.baseOffset() != 0) {
                throw new InvalidRecordException("base offset");
            }
            if (first.sizeInBytes() > config.maxMessageBytes()) {
                throw new RecordTooLargeException();
            }
            first.ensureValid();
            return new Outcome(Errors.NONE, null, validate(records, first, config, now), List.of());
        } catch (RecordValidationException e) {
            List<Integer> bad = e.recordErrors().stream().map(r -> r.batchIndex).toList();
            return new Outcome(
                    Errors.forException(e.invalidException()),
                    e.invalidException().getMessage(),
                    null,
                    bad);
        } catch (RuntimeException | SnappyError e) {
            // a snappy chunk that announces more than 512 MiB comes out of Kafka as an Error
            return new Outcome(Errors.forException(e), String.valueOf(e), null, List.of());
        }
    }

    private static MemoryRecords validate(MemoryRecords records, RecordBatch first, LogConfig config, long now) {
        CompressionType source = first.compressionType();
        Codec wanted = Codec.forConfigName(config.compressionType());
        CompressionType target = wanted == null ? source : CompressionType.forId(wanted.id());
        LogValidator validator = new LogValidator(
                records,
                new TopicPartition("t", 0),
                new FixedTime(now),
                source,
                Compression.of(target).build(),
                config.cleanupCompact(),
                (byte) 2,
                config.logAppendTime() ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                config.timestampBeforeMaxMillis(),
                config.timestampAfterMaxMillis(),
                LEADER_EPOCH,
                AppendOrigin.CLIENT,
                config.maxDecompressedBytes());
        return validator
                .validateMessagesAndAssignOffsets(
                        PrimitiveRef.ofLong(BASE_OFFSET), new NoMetrics(), BufferSupplier.NO_CACHING)
                .validatedRecords();
    }

    private static final class NoMetrics implements LogValidator.MetricsRecorder {
        @Override
        public void recordInvalidMagic() {}

        @Override
        public void recordInvalidOffset() {}

        @Override
        public void recordInvalidSequence() {}

        @Override
        public void recordInvalidChecksums() {}

        @Override
        public void recordNoKeyCompactedTopic() {}
    }

    private record FixedTime(long now) implements Time {
        @Override
        public long milliseconds() {
            return now;
        }

        @Override
        public long nanoseconds() {
            return now * 1_000_000;
        }

        @Override
        public void sleep(long ms) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void waitObject(Object object, java.util.function.Supplier<Boolean> condition, long deadlineMs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public org.apache.kafka.common.utils.Timer timer(long timeoutMs) {
            throw new UnsupportedOperationException();
        }
    }
}
