package records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import common.FailureCode;
import config.LogConfig;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What hostile batches may cost: bounded memory, bounded inflation, no allocation by announced sizes. */
class BatchValidatorBoundsTest {

    private static final LogConfig ROOMY = LogConfig.of(Map.of("max.message.bytes", "100000000"));
    private static final int MEBI = 1 << 20;

    private final BatchValidator validator = new BatchValidator();

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "LZ4", "ZSTD"})
    void bombIsRefusedInLittleMemory(Codec codec) {
        ByteBuffer bomb = oneRecord(codec, 300 * MEBI, 300 * MEBI);
        assertNull(BatchValidator.checkHeader(bomb, ROOMY, (short) 11));
        assertTrue(InflatedSource.inflateLimit(bomb.remaining()) < 300L * MEBI, "not a bomb: " + bomb.remaining());
        BatchValidator.Verdict[] verdict = new BatchValidator.Verdict[1];
        long allocated = allocatedBy(() -> verdict[0] = validator.check(bomb, ROOMY, 0));
        assertEquals(FailureCode.INVALID_RECORD, verdict[0].failure().code());
        assertTrue(verdict[0].failure().message().contains("inflate to more than"), verdict[0].toString());
        assertTrue(allocated < 12L * MEBI, "allocated " + allocated);
    }

    /** The context is reused from batch to batch: what one leaves behind, whole, cut or damaged, is not seen by the next. */
    @Test
    void zstdBatchesInDirectMemoryDoNotSeeOneAnother() {
        ByteBuffer good = direct(oneRecord(Codec.ZSTD, 50_000, 50_000));
        ByteBuffer large = direct(oneRecord(Codec.ZSTD, 10 * MEBI, 10 * MEBI));
        ByteBuffer bomb = direct(oneRecord(Codec.ZSTD, 300 * MEBI, 300 * MEBI));
        int payload = good.remaining() - BatchHeader.SIZE;
        for (int cut = 0; cut <= payload; cut++) {
            ByteBuffer part = ByteBuffer.allocate(cut).put(good.slice(BatchHeader.SIZE, cut));
            ByteBuffer torn = direct(withPayload(Codec.ZSTD, part.flip()));
            assertEquals(cut == payload, validator.check(torn, ROOMY, 0).failure() == null, "cut at " + cut);
            assertNull(validator.check(good, ROOMY, 0).failure(), "behind one cut at " + cut);
        }
        ByteBuffer twice = ByteBuffer.allocate(2 * payload)
                .put(good.slice(BatchHeader.SIZE, payload))
                .put(good.slice(BatchHeader.SIZE, payload));
        assertNotNull(validator
                .check(direct(withPayload(Codec.ZSTD, twice.flip())), ROOMY, 0)
                .failure());
        assertNull(validator.check(large, ROOMY, 0).failure());
        assertNotNull(validator.check(bomb, ROOMY, 0).failure());
        assertNull(validator.check(good, ROOMY, 0).failure());
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "SNAPPY", "LZ4", "ZSTD"})
    void aWalkWithALimitLeavesLargeBatchesUndecided(Codec codec) {
        ByteBuffer large = oneRecord(codec, 100_000, 100_000);
        assertNull(validator.checkWithin(64 * 1024, large, ROOMY, 0));
        assertNull(validator.checkWithin(128 * 1024, large, ROOMY, 0).failure());
        ByteBuffer small = oneRecord(codec, 100, 100);
        assertNull(validator.checkWithin(64 * 1024, small, ROOMY, 0).failure());
    }

    private static ByteBuffer direct(ByteBuffer batch) {
        return ByteBuffer.allocateDirect(batch.remaining())
                .put(batch.duplicate())
                .flip();
    }

    @ParameterizedTest
    @EnumSource(names = {"GZIP", "SNAPPY", "LZ4", "ZSTD"})
    void largeHonestRecordIsNotHeldInMemory(Codec codec) {
        ByteBuffer large = oneRecord(codec, 60 * MEBI, 60 * MEBI);
        BatchValidator.Verdict[] verdict = new BatchValidator.Verdict[1];
        long allocated = allocatedBy(() -> verdict[0] = validator.check(large, ROOMY, 0));
        assertNull(verdict[0].failure());
        assertTrue(allocated < 12L * MEBI, "allocated " + allocated);
    }

    @ParameterizedTest
    @EnumSource
    void announcedRecordSizeReservesNothing(Codec codec) {
        ByteBuffer liar = oneRecord(codec, Integer.MAX_VALUE - 100, 10);
        BatchValidator.Verdict[] verdict = new BatchValidator.Verdict[1];
        long allocated = allocatedBy(() -> verdict[0] = validator.check(liar, ROOMY, 0));
        assertEquals(FailureCode.INVALID_RECORD, verdict[0].failure().code());
        assertTrue(allocated < 12L * MEBI, "allocated " + allocated);
    }

    @Test
    void snappyBlockThatAnnouncesTooMuchIsRefusedBeforeTheDecoderAllocates() {
        ByteBuffer framed = ByteBuffer.allocate(16 + 4 + 8);
        framed.putLong(0x82534e4150505900L).putInt(1).putInt(1).putInt(8);
        ByteUtils.writeUnsignedVarint(Integer.MAX_VALUE, framed);
        framed.clear();
        ByteBuffer bare = ByteBuffer.allocate(16);
        ByteUtils.writeUnsignedVarint(Integer.MAX_VALUE, bare);
        bare.clear();
        for (ByteBuffer payload : new ByteBuffer[] {framed, bare}) {
            ByteBuffer batch = withPayload(Codec.SNAPPY, payload);
            BatchValidator.Verdict[] verdict = new BatchValidator.Verdict[1];
            long allocated = allocatedBy(() -> verdict[0] = validator.check(batch, ROOMY, 0));
            assertEquals(FailureCode.INVALID_RECORD, verdict[0].failure().code());
            assertTrue(allocated < MEBI, "allocated " + allocated);
        }
    }

    @Test
    void plainWalkAllocatesNothingPerRecord() {
        RandomBatches batches = new RandomBatches(new Random(1));
        LogConfig config = LogConfig.of(Map.of("max.message.bytes", "100000000"));
        ByteBuffer heap = batches.next(Codec.NONE, 50_000);
        ByteBuffer direct = ByteBuffer.allocateDirect(heap.remaining())
                .put(heap.duplicate())
                .flip();
        for (ByteBuffer batch : new ByteBuffer[] {heap, direct}) {
            allocatedBy(() -> validator.check(batch, config, RandomBatches.NOW));
            BatchValidator.Verdict[] verdict = new BatchValidator.Verdict[1];
            long allocated = allocatedBy(() -> {
                assertNull(BatchValidator.checkHeader(batch, config, (short) 11));
                verdict[0] = validator.check(batch, config, RandomBatches.NOW);
            });
            assertNull(verdict[0].failure());
            assertTrue(allocated < 4096, "allocated " + allocated);
        }
    }

    @Test
    void manyBadRecordsMakeABoundedVerdict() {
        ByteBuffer batch = new RandomBatches(new Random(2)).next(Codec.NONE, 20_000);
        LogConfig strict =
                LogConfig.of(Map.of("max.message.bytes", "100000000", "message.timestamp.before.max.ms", "1"));
        BatchValidator.Verdict verdict = validator.check(batch, strict, RandomBatches.NOW + 10_000);
        assertEquals(FailureCode.INVALID_TIMESTAMP, verdict.failure().code());
        assertEquals(BatchValidator.MAX_RECORD_ERRORS, verdict.recordErrors().size());
        assertTrue(
                verdict.failure().message().startsWith("20000 "),
                verdict.failure().message());
    }

    @Test
    void headerOnlyValidationTrustsTheRecordsButNotTheTime() {
        ByteBuffer garbage = withPayload(Codec.GZIP, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        LogConfig trusting = LogConfig.of(Map.of("record.validation", "header"));
        assertNull(BatchValidator.checkHeader(garbage, trusting, (short) 11));
        assertNull(validator.check(garbage, trusting, 0).failure());
        assertNotNull(validator.check(garbage, LogConfig.defaults(), 0).failure());
        garbage.putLong(BatchHeader.MAX_TIMESTAMP, 7_200_000_000L);
        assertEquals(
                FailureCode.INVALID_TIMESTAMP,
                validator.check(garbage, trusting, 0).failure().code());
    }

    /** Bytes that this thread allocates on the heap while it runs. */
    private static long allocatedBy(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** A batch of one record with a value of {@code announced} zeroes, of which {@code written} are there. */
    private static ByteBuffer oneRecord(Codec codec, int announced, int written) {
        ByteBufferOutputStream out = new ByteBufferOutputStream(MEBI);
        Compression compression =
                Compression.of(CompressionType.forId(codec.id())).build();
        try (DataOutputStream data = new DataOutputStream(compression.wrapForOutput(out, (byte) 2))) {
            ByteUtils.writeVarint(5 + ByteUtils.sizeOfVarint(announced) + announced, data);
            data.writeByte(0);
            ByteUtils.writeVarlong(0, data);
            ByteUtils.writeVarint(0, data);
            ByteUtils.writeVarint(-1, data);
            ByteUtils.writeVarint(announced, data);
            byte[] zeroes = new byte[MEBI];
            for (int left = written; left > 0; left -= MEBI) {
                data.write(zeroes, 0, Math.min(left, MEBI));
            }
            ByteUtils.writeVarint(0, data);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        ByteBuffer payload = out.buffer().flip();
        return withPayload(codec, payload);
    }

    private static ByteBuffer withPayload(Codec codec, ByteBuffer payload) {
        ByteBuffer batch = ByteBuffer.allocate(BatchHeader.SIZE + payload.remaining());
        batch.putInt(BatchHeader.LENGTH, batch.capacity() - 12);
        batch.put(BatchHeader.MAGIC, (byte) 2);
        batch.putShort(BatchHeader.ATTRIBUTES, (short) codec.id());
        batch.putLong(BatchHeader.PRODUCER_ID, -1);
        batch.putShort(BatchHeader.PRODUCER_EPOCH, (short) -1);
        batch.putInt(BatchHeader.BASE_SEQUENCE, -1);
        batch.putInt(BatchHeader.RECORD_COUNT, 1);
        batch.put(BatchHeader.SIZE, payload, payload.position(), payload.remaining());
        RandomBatches.fixCrc(batch);
        return batch;
    }
}
