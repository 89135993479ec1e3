package records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;

/** The validator against Apache Kafka's own code, over random batches and ways to damage them (rules S1, P2). */
class BatchValidatorTest {

    private static final short VERSION = 11;
    private static final int ROUNDS = 10_000;

    private final BatchValidator validator = new BatchValidator();

    private record Judged(Failure failure, List<RecordError> recordErrors) {}

    /** A way to change a batch, and whether it is one where we say why we are stricter than Kafka. */
    private enum Change {
        NONE(false),
        FLIP_BIT(false),
        FLIP_BIT_FIX_CRC(false),
        CUT(false),
        TRAILING_BYTES(true),
        TWO_BATCHES(false),
        LENGTH(false),
        MAGIC(false),
        COUNT(false),
        COUNT_AND_DELTA(false),
        LAST_OFFSET_DELTA(false),
        BASE_OFFSET(false),
        CODEC(false),
        CONTROL(false),
        LOG_APPEND_TIME(true),
        HIGH_ATTRIBUTES(true),
        PRODUCER(true),
        MAX_TIMESTAMP(false),
        BASE_TIMESTAMP(false);

        final boolean stricter;

        Change(boolean stricter) {
            this.stricter = stricter;
        }
    }

    @Test
    void decidesAsKafkaOverRandomDamage() {
        Map<String, Integer> seen = new TreeMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            long seed = 7_000_000L + round;
            Random random = new Random(seed);
            Change change = Change.values()[random.nextInt(Change.values().length)];
            ByteBuffer batch = change(new RandomBatches(random).next(), change, random);
            LogConfig config = config(random);
            boolean old = (change == Change.NONE || change == Change.CODEC) && random.nextInt(4) == 0;
            short version = (short) (old ? 3 + random.nextInt(5) : VERSION);
            String what = "seed " + seed + " " + change;

            KafkaJudge.Outcome kafka = KafkaJudge.judge(batch, config, version, RandomBatches.NOW);
            ByteBuffer direct = ByteBuffer.allocateDirect(batch.remaining()).put(batch.duplicate());
            Judged inDirectMemory = judge(direct.flip(), config, version);
            Judged ours = judge(batch, config, version);
            assertEquals(ours.failure(), inDirectMemory.failure(), what);
            assertEquals(batch, direct, what);
            seen.merge(
                    change
                            + (ours.failure() == null
                                    ? " ok"
                                    : " " + ours.failure().code()),
                    1,
                    Integer::sum);
            compare(what, change, kafka, ours, batch, config);
        }
        assertTrue(seen.size() > 30, "the generator reaches too little: " + seen);
        assertTrue(seen.keySet().stream().anyMatch(key -> key.equals("NONE ok")), seen.toString());
    }

    private static void compare(
            String what, Change change, KafkaJudge.Outcome kafka, Judged ours, ByteBuffer batch, LogConfig config) {
        if (kafka.error() == Errors.NONE) {
            if (ours.failure() == null) {
                compareAccepted(what, kafka, batch, config);
                return;
            }
            boolean deltas = ours.failure().message().contains("has offset delta");
            assertTrue(
                    change.stricter || deltas || isStricter(batch) || isPoison(kafka),
                    what + ": Kafka accepts, we say " + ours.failure());
            return;
        }
        if (ours.failure() == null && Recompressor.needed(batch, config)) {
            assertNotNull(Recompressor.recompress(batch, config).failure(), what + " " + kafka.message());
            return;
        }
        assertNotNull(ours.failure(), what + ": Kafka refuses with " + kafka.error() + " " + kafka.message());
        boolean structure =
                (change == Change.FLIP_BIT_FIX_CRC && ours.recordErrors().isEmpty()) || change == Change.LENGTH;
        boolean unknownCodec = ours.failure().message().contains("unknown codec");
        boolean comparable = kafka.error() != Errors.UNKNOWN_SERVER_ERROR && !unknownCodec && !structure;
        if (comparable && !change.stricter && !isStricter(batch)) {
            assertEquals(
                    kafka.error(),
                    error(ours.failure().code()),
                    what + ": " + ours.failure() + " / " + kafka.message());
            int shown = Math.min(kafka.badRecords().size(), BatchValidator.MAX_RECORD_ERRORS);
            assertEquals(
                    kafka.badRecords().subList(0, shown),
                    ours.recordErrors().stream().map(RecordError::batchIndex).toList(),
                    what);
        }
    }

    /** Kafka passes over the records of a compressed batch without checking that their parts fill them, and stores what no consumer can read. */
    private static boolean isPoison(KafkaJudge.Outcome kafka) {
        try {
            kafka.records().records().forEach(record -> {});
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }

    /** Fields that a flipped bit may have brought into one of the states that we alone refuse. */
    private static boolean isStricter(ByteBuffer batch) {
        int at = batch.position();
        if (!BatchHeader.isFramed(batch, at)) {
            return false;
        }
        int attributes = BatchHeader.attributes(batch, at);
        boolean transactional = BatchHeader.isTransactional(batch, at);
        boolean noEpoch = BatchHeader.hasProducerId(batch, at) && BatchHeader.producerEpoch(batch, at) < 0;
        return (attributes & 0xffc8) != 0
                || noEpoch
                || BatchHeader.producerId(batch, at) < -1
                || (transactional && !BatchHeader.hasProducerId(batch, at));
    }

    private static void compareAccepted(String what, KafkaJudge.Outcome kafka, ByteBuffer batch, LogConfig config) {
        ByteBuffer stored = batch.duplicate();
        if (Recompressor.needed(batch, config)) {
            Recompressor.Result rebuilt = Recompressor.recompress(batch, config);
            assertNull(rebuilt.failure(), what);
            stored = rebuilt.batch();
            BatchSummary before = BatchSummary.of(batch, batch.position());
            BatchSummary after = BatchSummary.of(stored, stored.position());
            assertEquals(before.producerId(), after.producerId(), what);
            assertEquals(before.producerEpoch(), after.producerEpoch(), what);
            assertEquals(before.baseSequence(), after.baseSequence(), what);
            assertEquals(before.transactional(), after.transactional(), what);
        }
        int at = stored.position();
        BatchHeader.assign(stored, at, KafkaJudge.BASE_OFFSET, KafkaJudge.LEADER_EPOCH);
        if (config.logAppendTime()) {
            BatchHeader.setLogAppendTime(stored, at, RandomBatches.NOW);
        }
        if (!Recompressor.needed(batch, config)) {
            assertEquals(kafka.records().buffer(), stored, what + ": the stored bytes differ");
        }
        assertEquals(
                kafka.records().batches().iterator().next().maxTimestamp(), BatchHeader.maxTimestamp(stored, at), what);
        List<Record> expected = new ArrayList<>();
        kafka.records().records().forEach(expected::add);
        List<LogRecord> actual = new ArrayList<>();
        assertNull(new BatchReader().read(stored, actual::add), what);
        assertEquals(expected.size(), actual.size(), what);
        for (int i = 0; i < actual.size(); i++) {
            assertEquals(expected.get(i).offset(), actual.get(i).offset(), what);
            assertEquals(expected.get(i).timestamp(), actual.get(i).timestamp(), what);
            assertEquals(expected.get(i).key(), actual.get(i).key(), what);
            assertEquals(expected.get(i).value(), actual.get(i).value(), what);
            assertEquals(
                    expected.get(i).headers().length, actual.get(i).headers().size(), what);
        }
    }

    private Judged judge(ByteBuffer batch, LogConfig config, short version) {
        Failure header = BatchValidator.checkHeader(batch, config, version);
        if (header != null) {
            return new Judged(header, List.of());
        }
        BatchValidator.Verdict verdict = validator.check(batch, config, RandomBatches.NOW);
        return new Judged(verdict.failure(), verdict.recordErrors());
    }

    private static LogConfig config(Random random) {
        Map<String, String> settings = new TreeMap<>();
        if (random.nextInt(4) == 0) {
            settings.put("message.timestamp.type", "LogAppendTime");
        }
        if (random.nextInt(4) == 0) {
            settings.put("cleanup.policy", "compact");
        }
        if (random.nextInt(3) == 0) {
            settings.put("message.timestamp.after.max.ms", Integer.toString(random.nextInt(1200)));
            settings.put("message.timestamp.before.max.ms", Integer.toString(random.nextInt(1200)));
        }
        if (random.nextInt(4) == 0) {
            settings.put("compression.type", new RandomBatches(random).codec().configName());
        }
        if (random.nextInt(8) == 0) {
            settings.put("max.message.bytes", Integer.toString(100 + random.nextInt(3000)));
        }
        if (random.nextInt(8) == 0) {
            settings.put("max.decompressed.message.bytes", Integer.toString(10 + random.nextInt(300)));
        }
        return LogConfig.of(settings);
    }

    private static ByteBuffer change(ByteBuffer batch, Change change, Random random) {
        int at = batch.position();
        int size = batch.remaining();
        switch (change) {
            case NONE -> {}
            case FLIP_BIT -> {
                int i = at + random.nextInt(size);
                batch.put(i, (byte) (batch.get(i) ^ (1 << random.nextInt(8))));
            }
            case FLIP_BIT_FIX_CRC -> {
                int i = at + BatchHeader.ATTRIBUTES + random.nextInt(size - BatchHeader.ATTRIBUTES);
                batch.put(i, (byte) (batch.get(i) ^ (1 << random.nextInt(8))));
                RandomBatches.fixCrc(batch);
            }
            case CUT -> batch.limit(at + random.nextInt(size));
            case TRAILING_BYTES -> batch = join(batch, ByteBuffer.allocate(1 + random.nextInt(16)));
            case TWO_BATCHES -> batch = join(batch, new RandomBatches(random).next());
            case LENGTH -> batch.putInt(at + BatchHeader.LENGTH, anInt(random, size - 12));
            case MAGIC -> batch.put(at + BatchHeader.MAGIC, (byte) random.nextInt(256));
            case COUNT -> set(batch, BatchHeader.RECORD_COUNT, random);
            case COUNT_AND_DELTA -> {
                int count = anInt(random, BatchHeader.recordCount(batch, at));
                batch.putInt(at + BatchHeader.RECORD_COUNT, count);
                batch.putInt(at + BatchHeader.LAST_OFFSET_DELTA, count - 1);
            }
            case LAST_OFFSET_DELTA -> set(batch, BatchHeader.LAST_OFFSET_DELTA, random);
            case BASE_OFFSET -> batch.putLong(at, random.nextInt(3) - 1);
            case CODEC -> attributes(batch, (BatchHeader.attributes(batch, at) & ~7) | random.nextInt(8));
            case CONTROL -> attributes(batch, BatchHeader.attributes(batch, at) | 0x20);
            case LOG_APPEND_TIME -> attributes(batch, BatchHeader.attributes(batch, at) | 0x08);
            case HIGH_ATTRIBUTES ->
                attributes(batch, BatchHeader.attributes(batch, at) | 1 << (6 + random.nextInt(10)));
            case PRODUCER -> {
                batch.putLong(at + BatchHeader.PRODUCER_ID, random.nextInt(4) - 2);
                batch.putShort(at + BatchHeader.PRODUCER_EPOCH, (short) (random.nextInt(4) - 2));
                batch.putInt(at + BatchHeader.BASE_SEQUENCE, random.nextInt(4) - 2);
            }
            case MAX_TIMESTAMP ->
                batch.putLong(at + BatchHeader.MAX_TIMESTAMP, random.nextBoolean() ? random.nextLong() : -1);
            case BASE_TIMESTAMP ->
                batch.putLong(
                        at + BatchHeader.BASE_TIMESTAMP, random.nextBoolean() ? random.nextLong() : RandomBatches.NOW);
        }
        boolean header = change.compareTo(Change.COUNT) >= 0;
        if (header) {
            RandomBatches.fixCrc(batch);
        }
        return batch;
    }

    private static void attributes(ByteBuffer batch, int attributes) {
        batch.putShort(batch.position() + BatchHeader.ATTRIBUTES, (short) attributes);
    }

    private static void set(ByteBuffer batch, int field, Random random) {
        int at = batch.position() + field;
        batch.putInt(at, anInt(random, batch.getInt(at)));
    }

    private static int anInt(Random random, int near) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextInt(100) - 20;
            default -> near + random.nextInt(5) - 2;
        };
    }

    private static ByteBuffer join(ByteBuffer first, ByteBuffer second) {
        ByteBuffer both = ByteBuffer.allocate(first.remaining() + second.remaining());
        return both.put(first.duplicate()).put(second.duplicate()).flip();
    }

    private static Errors error(FailureCode code) {
        Map<FailureCode, Errors> map = new EnumMap<>(FailureCode.class);
        map.put(FailureCode.CORRUPT_BATCH, Errors.CORRUPT_MESSAGE);
        map.put(FailureCode.INVALID_RECORD, Errors.INVALID_RECORD);
        map.put(FailureCode.INVALID_TIMESTAMP, Errors.INVALID_TIMESTAMP);
        map.put(FailureCode.BATCH_TOO_LARGE, Errors.MESSAGE_TOO_LARGE);
        map.put(FailureCode.UNSUPPORTED_COMPRESSION, Errors.UNSUPPORTED_COMPRESSION_TYPE);
        return map.get(code);
    }
}
