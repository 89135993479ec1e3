package records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.ControlRecordUtils;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;

/** Reading and building batches, against Kafka's classes. */
class BatchReaderTest {

    private final BatchReader reader = new BatchReader();

    private static Iterable<MutableRecordBatch> kafka(ByteBuffer batches) {
        return MemoryRecords.readableRecords(batches.duplicate()).batches();
    }

    private static ByteBuffer join(List<ByteBuffer> parts) {
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(part -> all.put(part.duplicate()));
        return all.flip();
    }

    private static ByteBuffer log(Random random, int batches) {
        List<ByteBuffer> parts = new ArrayList<>();
        long offset = 100;
        for (int i = 0; i < batches; i++) {
            ByteBuffer batch = new RandomBatches(random).next();
            BatchHeader.assign(batch, batch.position(), offset, 3);
            if (random.nextInt(4) == 0) {
                BatchHeader.setLogAppendTime(batch, batch.position(), RandomBatches.NOW + random.nextInt(2000));
            }
            offset = BatchHeader.nextOffset(batch, batch.position());
            parts.add(batch);
        }
        return join(parts);
    }

    @Test
    void readsWhatKafkaReads() {
        for (int seed = 0; seed < 100; seed++) {
            ByteBuffer batches = log(new Random(seed), 5);
            List<LogRecord> ours = new ArrayList<>();
            assertNull(reader.read(batches, ours::add));
            int i = 0;
            for (MutableRecordBatch batch : kafka(batches)) {
                for (Record record : batch) {
                    LogRecord mine = ours.get(i++);
                    assertEquals(record.offset(), mine.offset(), "seed " + seed);
                    assertEquals(record.timestamp(), mine.timestamp(), "seed " + seed);
                    assertEquals(record.key(), mine.key(), "seed " + seed);
                    assertEquals(record.value(), mine.value(), "seed " + seed);
                    for (int h = 0; h < record.headers().length; h++) {
                        byte[] value = record.headers()[h].value();
                        assertEquals(
                                record.headers()[h].key(), mine.headers().get(h).key());
                        assertEquals(
                                value == null ? null : ByteBuffer.wrap(value),
                                mine.headers().get(h).value());
                    }
                }
            }
            assertEquals(i, ours.size(), "seed " + seed);
        }
    }

    @Test
    void findsTheFirstRecordOfATime() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ByteBuffer batch = log(random, 1);
            for (int round = 0; round < 20; round++) {
                long time = RandomBatches.NOW - 1100 + random.nextInt(3200);
                long from = 95L + random.nextInt(20);
                BatchReader.TimeSearch found = reader.firstAtOrAfter(batch, 0, time, from);
                assertNull(found.failure());
                long expected = -1;
                long expectedTime = -1;
                for (Record record : kafka(batch).iterator().next()) {
                    if (expected < 0 && record.timestamp() >= time && record.offset() >= from) {
                        expected = record.offset();
                        expectedTime = record.timestamp();
                    }
                }
                assertEquals(expected, found.offset(), "seed " + seed);
                assertEquals(expectedTime, found.timestamp(), "seed " + seed);
            }
        }
    }

    @Test
    void cutLastBatchEndsTheReadingAndDamageIsAValue() {
        ByteBuffer batches = log(new Random(1), 4);
        int last = 0;
        for (int at = 0; at < batches.limit(); at += BatchHeader.sizeInBytes(batches, at)) {
            last = at;
        }
        List<LogRecord> seen = new ArrayList<>();
        assertNull(reader.read(batches.duplicate().limit(batches.limit() - 1), seen::add));
        int whole = seen.size();
        assertEquals(BatchHeader.baseOffset(batches, last), 100L + whole);

        Random random = new Random(2);
        for (int round = 0; round < 2000; round++) {
            ByteBuffer bad = ByteBuffer.allocate(batches.limit())
                    .put(batches.duplicate())
                    .flip();
            int i = last + BatchHeader.MAGIC + random.nextInt(batches.limit() - last - BatchHeader.MAGIC);
            bad.put(i, (byte) (bad.get(i) ^ 1 << random.nextInt(8)));
            List<LogRecord> before = new ArrayList<>();
            assertEquals(
                    FailureCode.CORRUPT_BATCH, reader.read(bad, before::add).code(), "round " + round);
            assertEquals(whole, before.size());
            BatchHeader.assign(bad, last, 5, 5);
            if (BatchHeader.isFramed(bad, last)) {
                RandomBatches.fixCrc(bad.slice(last, bad.limit() - last));
                reader.read(bad, record -> true);
                reader.firstAtOrAfter(bad, last, 0, 0);
            }
        }
    }

    @Test
    void visitorMayStopSkipAndFail() {
        ByteBuffer batches = log(new Random(3), 5);
        int[] records = {0};
        assertNull(reader.read(batches, record -> ++records[0] < 2));
        assertEquals(2, records[0]);
        int[] heads = {0};
        assertNull(reader.read(batches, new BatchReader.Visitor() {
            @Override
            public boolean batch(ByteBuffer buffer, int at) {
                heads[0]++;
                return false;
            }

            @Override
            public boolean record(LogRecord record) {
                throw new AssertionError("passed over");
            }
        }));
        assertEquals(5, heads[0]);
        assertThrows(
                IllegalStateException.class,
                () -> reader.read(batches, record -> {
                    throw new IllegalStateException("the visitor's own");
                }));
    }

    @Test
    void controlBatchesAreKafkas() {
        ByteBuffer marker = ControlBatches.transactionMarker(5, 77, (short) 3, false, 12);
        BatchHeader.assign(marker, 0, 40, 2);
        MutableRecordBatch batch = kafka(marker).iterator().next();
        batch.ensureValid();
        Record record = batch.iterator().next();
        assertTrue(batch.isControlBatch() && batch.isTransactional());
        EndTransactionMarker read = EndTransactionMarker.deserialize(record);
        assertEquals(ControlRecordType.ABORT, read.controlType());
        assertEquals(12, read.coordinatorEpoch());
        BatchSummary summary = BatchSummary.of(marker, 0);
        assertEquals(new BatchSummary.TransactionMarker(false, 12), summary.marker());
        assertEquals(77, summary.producerId());
        assertEquals(40, summary.lastOffset());
        assertTrue(BatchSummary.of(ControlBatches.transactionMarker(5, 1, (short) 0, true, 0), 0)
                .marker()
                .commit());

        ByteBuffer change = ControlBatches.leaderChange(9, 5, 4, 1, List.of(1, 2, 3), List.of(1, 2));
        MutableRecordBatch leader = kafka(change).iterator().next();
        leader.ensureValid();
        LeaderChangeMessage message = ControlRecordUtils.deserializeLeaderChangeMessage(
                leader.iterator().next());
        assertEquals(1, message.leaderId());
        assertEquals(3, message.voters().size());
        assertEquals(2, message.grantingVoters().size());
        assertNull(BatchSummary.of(change, 0).marker());
        assertEquals(9, BatchSummary.of(change, 0).baseOffset());
    }

    @Test
    void builderMakesOneBatch() {
        for (Codec codec : Codec.values()) {
            BatchBuilder builder = new BatchBuilder(codec, 1000, 7);
            for (int i = 0; i < 100; i++) {
                builder.add(i, i % 3 == 0 ? null : new byte[] {(byte) i}, i % 5 == 0 ? null : new byte[i]);
            }
            ByteBuffer batch = builder.build();
            assertTrue(
                    BatchHeader.isFramed(batch, batch.position()) && BatchHeader.isCrcValid(batch, batch.position()));
            assertEquals(batch.remaining(), BatchHeader.sizeInBytes(batch, batch.position()));
            assertEquals(1099, BatchHeader.lastOffset(batch, batch.position()));
            assertEquals(7, BatchHeader.leaderEpoch(batch, batch.position()));
            assertEquals(codec.id(), BatchHeader.codecId(batch, batch.position()));
            List<LogRecord> records = new ArrayList<>();
            assertNull(reader.read(batch, records::add));
            assertEquals(100, records.size());
            assertNull(records.get(3).key());
            assertNull(records.get(5).value());
            assertEquals(99, records.get(99).value().remaining());
        }
    }
}
