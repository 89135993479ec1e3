package records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.junit.jupiter.api.Test;

/** Takes records out of batches as Kafka's own filter does: the same records stay, under the same header. */
final class BatchFilterTest {

    private static final long NOW = 1_767_225_600_000L;
    private static final long RETENTION = 86_400_000L;

    @Test
    void asKafkasFilter() {
        BatchFilter filter = new BatchFilter();
        int rewritten = 0;
        for (long seed = 0; seed < 600; seed++) {
            ByteBuffer batch = random(new Random(seed));
            int keepOf = (int) (seed % 5);
            BatchFilter.Outcome ours = filter.filter(
                    shifted(batch),
                    3,
                    NOW + RETENTION,
                    false,
                    (offset, bytes, keyAt, keyLength, hasValue) ->
                            keep(offset, keyLength < 0 ? -1 : bytes[keyAt + keyLength - 1], keepOf));
            MemoryRecords theirs = kafkas(batch, keepOf);
            if (ours.kind() == BatchFilter.Kind.EMPTY) {
                assertEquals(0, theirs.sizeInBytes(), "seed " + seed);
            } else {
                boolean same = ours.kind() == BatchFilter.Kind.AS_IT_IS;
                ByteBuffer got = same ? batch : ours.batch();
                rewritten += same ? 0 : 1;
                compare(theirs.batches().iterator().next(), got, "seed " + seed);
                if (same) {
                    assertEquals(batch, theirs.buffer(), "seed " + seed);
                }
            }
        }
        assertTrue(rewritten > 200, "only " + rewritten + " were rewritten");
    }

    private static boolean keep(long offset, int lastOfKey, int keepOf) {
        return keepOf == 0 || (lastOfKey + offset) % (keepOf + 1) != 0;
    }

    /** With a foreign byte before it: the batch need not begin its buffer. */
    private static ByteBuffer shifted(ByteBuffer batch) {
        ByteBuffer shifted = ByteBuffer.allocate(batch.remaining() + 8);
        shifted.put(3, batch, 0, batch.remaining());
        return shifted;
    }

    private static MemoryRecords kafkas(ByteBuffer batch, int keepOf) {
        RecordFilter filter = new RecordFilter(NOW, RETENTION) {
            @Override
            protected BatchRetentionResult checkBatchRetention(RecordBatch each) {
                return new BatchRetentionResult(BatchRetention.DELETE_EMPTY, false);
            }

            @Override
            protected boolean shouldRetainRecord(RecordBatch each, Record record) {
                ByteBuffer key = record.key();
                return keep(record.offset(), key == null ? -1 : key.get(key.limit() - 1), keepOf);
            }
        };
        ByteBuffer out = ByteBuffer.allocate(1 << 20);
        MemoryRecords.FilterResult result = MemoryRecords.readableRecords(batch.duplicate())
                .filterTo(filter, out, BufferSupplier.NO_CACHING, Integer.MAX_VALUE);
        ByteBuffer kept = result.outputBuffer();
        kept.flip();
        return MemoryRecords.readableRecords(kept);
    }

    private static void compare(MutableRecordBatch theirs, ByteBuffer batch, String what) {
        MutableRecordBatch ours = MemoryRecords.readableRecords(batch.duplicate())
                .batches()
                .iterator()
                .next();
        ours.ensureValid();
        assertEquals(theirs.baseOffset(), ours.baseOffset(), what);
        assertEquals(theirs.lastOffset(), ours.lastOffset(), what);
        assertEquals(theirs.maxTimestamp(), ours.maxTimestamp(), what);
        assertEquals(theirs.deleteHorizonMs(), ours.deleteHorizonMs(), what);
        assertEquals(theirs.timestampType(), ours.timestampType(), what);
        assertEquals(theirs.compressionType(), ours.compressionType(), what);
        assertEquals(theirs.producerId(), ours.producerId(), what);
        assertEquals(theirs.producerEpoch(), ours.producerEpoch(), what);
        assertEquals(theirs.baseSequence(), ours.baseSequence(), what);
        assertEquals(theirs.isTransactional(), ours.isTransactional(), what);
        assertEquals(theirs.partitionLeaderEpoch(), ours.partitionLeaderEpoch(), what);
        assertEquals(theirs.countOrNull(), ours.countOrNull(), what);
        assertEquals(records(theirs), records(ours), what);
    }

    private static List<String> records(RecordBatch batch) {
        List<String> all = new ArrayList<>();
        for (Record record : batch) {
            all.add(record.offset() + " " + record.timestamp() + " " + text(record.key()) + " " + text(record.value())
                    + " " + List.of(record.headers()));
        }
        return all;
    }

    private static String text(ByteBuffer bytes) {
        return bytes == null ? null : StandardCharsets.UTF_8.decode(bytes).toString();
    }

    private static ByteBuffer random(Random random) {
        CompressionType type = random.nextBoolean() ? CompressionType.NONE : CompressionType.forId(random.nextInt(5));
        boolean producer = random.nextBoolean();
        boolean appendTime = random.nextInt(4) == 0;
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
                ByteBuffer.allocate(1 << 16),
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.of(type).build(),
                appendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                random.nextInt(1_000_000),
                appendTime ? NOW - 5 : RecordBatch.NO_TIMESTAMP,
                producer ? 77 : -1,
                (short) (producer ? 3 : -1),
                producer ? random.nextInt(1000) : -1,
                producer && random.nextBoolean(),
                false,
                random.nextInt(9),
                1 << 16);
        int count = 1 + random.nextInt(12);
        for (int i = 0; i < count; i++) {
            byte[] key = random.nextInt(8) == 0 ? null : ("k" + random.nextInt(100)).getBytes(StandardCharsets.UTF_8);
            byte[] value = random.nextInt(4) == 0
                    ? null
                    : "v".repeat(random.nextInt(200)).getBytes(StandardCharsets.UTF_8);
            Header[] headers = random.nextInt(3) == 0 ? new Header[] {new RecordHeader("h", null)} : new Header[0];
            builder.append(NOW - random.nextInt(100_000), key, value, headers);
        }
        ByteBuffer built = builder.build().buffer();
        ByteBuffer copy = ByteBuffer.allocate(built.remaining());
        copy.put(0, built, built.position(), built.remaining());
        return copy;
    }

    @Test
    void aHorizonOnceSetDoesNotMove() {
        BatchFilter filter = new BatchFilter();
        ByteBuffer batch = new BatchBuilder(Codec.NONE, 5, 1)
                .add(NOW, new byte[] {1}, null)
                .add(NOW + 7, new byte[] {2}, new byte[] {2})
                .build();
        BatchFilter.Choice all = (offset, bytes, keyAt, keyLength, hasValue) -> true;
        ByteBuffer once = filter.filter(batch, 0, NOW + 1000, false, all).batch();
        assertTrue(BatchHeader.hasDeleteHorizon(once, 0));
        assertEquals(NOW + 1000, BatchHeader.baseTimestamp(once, 0));
        assertEquals(
                BatchFilter.Kind.AS_IT_IS,
                filter.filter(once, 0, NOW + 9000, false, all).kind());
        ByteBuffer less = filter.filter(
                        once, 0, NOW + 9000, false, (offset, bytes, keyAt, keyLength, hasValue) -> !hasValue)
                .batch();
        assertEquals(NOW + 1000, BatchHeader.baseTimestamp(less, 0));
        assertEquals(NOW, BatchHeader.maxTimestamp(less, 0));
    }

    @Test
    void anEmptiedBatchKeepsItsPlace() {
        ByteBuffer batch = new BatchBuilder(Codec.GZIP, 5, 1, new BatchBuilder.Producer(9, (short) 2, 40, true))
                .add(NOW, new byte[] {1}, null)
                .add(NOW, new byte[] {2}, null)
                .build();
        ByteBuffer empty = BatchFilter.emptied(batch, 0);
        MutableRecordBatch read =
                MemoryRecords.readableRecords(empty).batches().iterator().next();
        read.ensureValid();
        assertEquals(5, read.baseOffset());
        assertEquals(6, read.lastOffset());
        assertEquals(41, read.lastSequence());
        assertEquals(9, read.producerId());
        assertEquals(0, read.countOrNull());
        assertTrue(read.isTransactional());
        assertTrue(!read.iterator().hasNext());
    }

    @Test
    void recordsThatCannotBeReadAreCorrupt() {
        BatchFilter filter = new BatchFilter();
        BatchFilter.Choice all = (offset, bytes, keyAt, keyLength, hasValue) -> true;
        for (Codec codec : Codec.values()) {
            ByteBuffer batch = new BatchBuilder(codec, 5, 1)
                    .add(NOW, new byte[] {1}, new byte[100])
                    .build();
            ByteBuffer cut = ByteBuffer.allocate(batch.remaining() - 3);
            cut.put(0, batch, 0, cut.capacity());
            cut.putInt(BatchHeader.LENGTH, cut.capacity() - BatchHeader.LENGTH_OVERHEAD);
            assertEquals(
                    FailureCode.CORRUPT_BATCH,
                    filter.filter(cut, 0, NOW, false, all).failure().code(),
                    codec.toString());
            batch.putInt(BatchHeader.RECORD_COUNT, 2);
            assertNotNull(filter.visitKeys(batch, 0, (offset, bytes, keyAt, keyLength) -> true), codec.toString());
            batch.putInt(BatchHeader.RECORD_COUNT, 1);
            assertNull(filter.visitKeys(batch, 0, (offset, bytes, keyAt, keyLength) -> true), codec.toString());
        }
    }
}
