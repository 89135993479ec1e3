package records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.junit.jupiter.api.Test;

/** The flyweight against Kafka's batch class. */
class BatchHeaderTest {

    private static final int GAP = 13;

    private static MutableRecordBatch kafka(ByteBuffer batch) {
        ByteBuffer copy =
                ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
        return MemoryRecords.readableRecords(copy).batches().iterator().next();
    }

    @Test
    void readsAndPatchesAsKafka() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            ByteBuffer sent = new RandomBatches(random).next();
            MutableRecordBatch kafka = kafka(sent);
            ByteBuffer ours = (random.nextBoolean()
                    ? ByteBuffer.allocateDirect(sent.remaining() + GAP)
                    : ByteBuffer.allocate(sent.remaining() + GAP));
            ours.position(GAP).put(sent.duplicate());
            ours.flip();
            compare(seed, kafka, ours);

            long offset = random.nextLong() >>> 8;
            int epoch = random.nextInt(1000);
            kafka.setLastOffset(offset + BatchHeader.lastOffsetDelta(ours, GAP));
            kafka.setPartitionLeaderEpoch(epoch);
            BatchHeader.assign(ours, GAP, offset, epoch);
            compare(seed, kafka, ours);

            long time = random.nextInt(5) == 0 ? -1 : random.nextLong() >>> 20;
            if (random.nextBoolean()) {
                kafka.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, time);
                BatchHeader.setLogAppendTime(ours, GAP, time);
            } else {
                kafka.setMaxTimestamp(TimestampType.CREATE_TIME, time);
                BatchHeader.setMaxTimestamp(ours, GAP, time);
            }
            compare(seed, kafka, ours);
            assertEquals(0, ours.position(), "absolute access only");
        }
    }

    private static void compare(int seed, MutableRecordBatch kafka, ByteBuffer ours) {
        String what = "seed " + seed;
        assertTrue(BatchHeader.isFramed(ours, GAP), what);
        assertTrue(BatchHeader.isCrcValid(ours, GAP), what);
        assertEquals(kafka.checksum(), BatchHeader.crc(ours, GAP) & 0xffffffffL, what);
        assertEquals(kafka.sizeInBytes(), BatchHeader.sizeInBytes(ours, GAP), what);
        assertEquals(kafka.baseOffset(), BatchHeader.baseOffset(ours, GAP), what);
        assertEquals(kafka.lastOffset(), BatchHeader.lastOffset(ours, GAP), what);
        assertEquals(kafka.nextOffset(), BatchHeader.nextOffset(ours, GAP), what);
        assertEquals(kafka.partitionLeaderEpoch(), BatchHeader.leaderEpoch(ours, GAP), what);
        assertEquals(kafka.maxTimestamp(), BatchHeader.maxTimestamp(ours, GAP), what);
        assertEquals(
                kafka.timestampType() == TimestampType.LOG_APPEND_TIME, BatchHeader.isLogAppendTime(ours, GAP), what);
        assertEquals(kafka.producerId(), BatchHeader.producerId(ours, GAP), what);
        assertEquals(kafka.hasProducerId(), BatchHeader.hasProducerId(ours, GAP), what);
        assertEquals(kafka.producerEpoch(), BatchHeader.producerEpoch(ours, GAP), what);
        assertEquals(kafka.baseSequence(), BatchHeader.baseSequence(ours, GAP), what);
        assertEquals(kafka.lastSequence(), BatchHeader.lastSequence(ours, GAP), what);
        assertEquals(kafka.countOrNull(), BatchHeader.recordCount(ours, GAP), what);
        assertEquals(kafka.isTransactional(), BatchHeader.isTransactional(ours, GAP), what);
        assertEquals(kafka.isControlBatch(), BatchHeader.isControl(ours, GAP), what);
        assertEquals(kafka.deleteHorizonMs().isPresent(), BatchHeader.hasDeleteHorizon(ours, GAP), what);
        assertEquals(kafka.compressionType().id, BatchHeader.codecId(ours, GAP), what);
        BatchSummary summary = BatchSummary.of(ours, GAP);
        assertEquals(kafka.lastOffset(), summary.lastOffset(), what);
        assertEquals(kafka.lastSequence(), summary.lastSequence(), what);
    }

    @Test
    void sequenceWraps() {
        assertEquals(0, BatchHeader.plusSequence(Integer.MAX_VALUE, 1));
        assertEquals(2, BatchHeader.plusSequence(Integer.MAX_VALUE - 1, 4));
        assertEquals(7, BatchHeader.plusSequence(3, 4));
    }

    /** For recovery: no bytes make these two throw, whatever stands in the length. */
    @Test
    void anyBytesCanBeAsked() {
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            ByteBuffer junk = ByteBuffer.allocate(random.nextInt(120));
            random.nextBytes(junk.array());
            if (junk.capacity() > 20 && random.nextInt(4) > 0) {
                junk.put(BatchHeader.MAGIC, (byte) 2);
                junk.putInt(
                        BatchHeader.LENGTH,
                        random.nextInt(3) == 0 ? Integer.MAX_VALUE - random.nextInt(20) : 40 + random.nextInt(70));
            }
            int at = random.nextInt(40) - 5;
            if (BatchHeader.isFramed(junk, at)) {
                assertTrue(at + BatchHeader.sizeInBytes(junk, at) <= junk.limit());
                BatchHeader.isCrcValid(junk, at);
                BatchSummary.of(junk, at);
            }
        }
        assertFalse(BatchHeader.isPlausible(ByteBuffer.allocate(60), 0));
    }
}
