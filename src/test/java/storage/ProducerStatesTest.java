package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchSummary;
import records.Codec;
import records.ControlBatches;
import records.schemas.ProducerSnapshot;

/** Rules P1-P6 and T8's bookkeeping, against Apache Kafka's ProducerStateManager. */
class ProducerStatesTest {

    private static final long TIME = 1_700_000_000_000L;

    @TempDir
    Path directory;

    private long time = TIME;

    @Test
    void agreesWithKafkaOverRandomHistories() throws IOException {
        int refused = 0;
        int duplicates = 0;
        for (int seed = 1; seed <= 60; seed++) {
            History history = new History(
                    seed, Files.createDirectory(directory.resolve("h" + seed)).toFile());
            history.run(250);
            refused += history.refused;
            duplicates += history.duplicates;
        }
        assertTrue(refused > 500, "refused " + refused);
        assertTrue(duplicates > 500, "duplicates " + duplicates);
    }

    /** One random history of a partition, in both implementations. */
    private final class History {
        private final int seed;
        private final Random random;
        private final File files;
        private KafkaProducers kafka;
        private ProducerStates ours = new ProducerStates(0);
        private final List<ByteBuffer> sent = new ArrayList<>();
        private long end;
        private int refused;
        private int duplicates;

        History(int seed, File files) throws IOException {
            this.seed = seed;
            this.random = new Random(seed);
            this.files = files;
            this.kafka = new KafkaProducers(files);
        }

        void run(int steps) throws IOException {
            // never at offset 0: there P2 is stricter than Kafka, which has its own test
            apply(data(-1, 0, 0, 1, false));
            for (int step = 0; step < steps; step++) {
                String what = "seed " + seed + " step " + step;
                time += random.nextInt(5);
                switch (random.nextInt(20)) {
                    case 0, 1 -> marker();
                    case 2 -> snapshotAndReload(what);
                    case 3 -> undo(what);
                    case 4 -> highWatermark();
                    case 5, 6, 7 -> repeat(what);
                    default -> produce(what);
                }
                assertEquals(kafka.active(), ours.activeProducers(), what);
                assertEquals(kafka.firstUnstableOffset(), ours.firstUnstableOffset(), what);
            }
        }

        private void repeat(String what) {
            if (!sent.isEmpty()) {
                produce(what, sent.get(Math.max(0, sent.size() - 1 - random.nextInt(12))));
            }
        }

        private void produce(String what) {
            int id = random.nextInt(6);
            ActiveProducer known = ours.activeProducers().stream()
                    .filter(p -> p.producerId() == id)
                    .findFirst()
                    .orElse(null);
            int epoch = known == null ? random.nextInt(3) : known.producerEpoch() + near(0);
            int sequence = known == null
                    ? random.nextInt(4) * 10
                    : Math.max(0, known.lastSequence() + 1 + near(0) * random.nextInt(8));
            if (random.nextInt(40) == 0) {
                sequence = Integer.MAX_VALUE - random.nextInt(3);
            }
            boolean transactional = random.nextInt(3) == 0;
            produce(what, data(id, Math.max(0, epoch), sequence, 1 + random.nextInt(3), transactional));
        }

        private void produce(String what, ByteBuffer buffer) {
            RecordBatch batch = KafkaProducers.batch(buffer);
            ProducerVerdict verdict = ours.check(BatchSummary.of(buffer, 0), end);
            Optional<BatchMetadata> duplicate = kafka.duplicate(batch);
            if (duplicate.isPresent()) {
                duplicates++;
                assertEquals(ProducerVerdict.Kind.DUPLICATE, verdict.kind(), what);
                assertEquals(duplicate.get().firstOffset(), verdict.baseOffset(), what);
                assertEquals(duplicate.get().lastOffset(), verdict.lastOffset(), what);
                assertEquals(duplicate.get().timestamp(), verdict.timestamp(), what);
                return;
            }
            FailureCode kafkas = kafkaVerdict(batch);
            FailureCode mine =
                    verdict.failure() == null ? null : verdict.failure().code();
            assertEquals(kafkas, mine, what + ": " + batch + " " + verdict);
            if (mine == null) {
                assertEquals(ProducerVerdict.Kind.OK, verdict.kind(), what);
                apply(buffer);
                sent.add(buffer);
            } else {
                refused++;
            }
        }

        private FailureCode kafkaVerdict(RecordBatch batch) {
            try {
                kafka.prepare(batch, AppendOrigin.CLIENT);
                return null;
            } catch (OutOfOrderSequenceException e) {
                return FailureCode.OUT_OF_ORDER_SEQUENCE;
            } catch (InvalidProducerEpochException e) {
                return FailureCode.INVALID_PRODUCER_EPOCH;
            } catch (InvalidTxnStateException e) {
                return FailureCode.INVALID_TXN_STATE;
            }
        }

        private void marker() {
            List<ActiveProducer> active = ours.activeProducers();
            if (active.isEmpty()) {
                return;
            }
            ActiveProducer producer = active.get(random.nextInt(active.size()));
            ByteBuffer marker = ControlBatches.transactionMarker(
                    time,
                    producer.producerId(),
                    (short) (producer.producerEpoch() + random.nextInt(2)),
                    random.nextBoolean(),
                    Math.max(0, producer.coordinatorEpoch()) + random.nextInt(2));
            BatchHeader.assign(marker, 0, end, 0);
            apply(marker);
        }

        private void apply(ByteBuffer buffer) {
            BatchHeader.assign(buffer, 0, end, 0);
            CompletedTransaction expected = kafka.apply(KafkaProducers.batch(buffer));
            assertEquals(expected, ours.apply(BatchSummary.of(buffer, 0)), "seed " + seed);
            end = BatchHeader.nextOffset(buffer, 0);
            ours.settled(end);
        }

        private void highWatermark() {
            long mark = random.nextLong(end + 1);
            kafka.manager.onHighWatermarkUpdated(mark);
            ours.advanceHighWatermark(mark);
        }

        /** Each reads the other's file, and goes on with what it read. */
        private void snapshotAndReload(String what) throws IOException {
            kafka.manager.onHighWatermarkUpdated(end);
            ours.advanceHighWatermark(end);
            List<ActiveProducer> before = kafka.active();

            kafka.manager.takeSnapshot();
            File theirs = new File(files, String.format("%020d.snapshot", end));
            ProducerSnapshot.Loaded loaded =
                    ProducerSnapshot.decode(ByteBuffer.wrap(Files.readAllBytes(theirs.toPath())));
            assertNull(loaded.failure(), what);
            assertEquals(before, ProducerStates.of(loaded.entries(), end).activeProducers(), what);

            ByteBuffer image = ours.image().encode();
            File empty = Files.createDirectory(files.toPath().resolve("reload-" + what.replace(' ', '-')))
                    .toFile();
            File file = new File(empty, theirs.getName());
            byte[] bytes = new byte[image.remaining()];
            image.get(0, bytes);
            Files.write(file.toPath(), bytes);
            List<ProducerStateEntry> rows = ProducerStateManager.readSnapshot(file);
            assertTrue(rows.size() >= before.size(), what);
            KafkaProducers reloaded = new KafkaProducers(empty);
            reloaded.manager.truncateAndReload(0, end, TIME);
            assertEquals(before, reloaded.active(), what + ": Kafka reads our snapshot");
            assertEquals(kafka.firstUnstableOffset(), reloaded.firstUnstableOffset(), what);

            ProducerSnapshot.Loaded own = ProducerSnapshot.decode(image);
            assertNull(own.failure(), what);
            ours = ProducerStates.of(own.entries(), end);
            assertEquals(image, ours.image().encode(), what + ": nothing is lost in our own snapshot (P1)");
        }

        /** Appends that were not written leave no trace (S2). */
        private void undo(String what) {
            ByteBuffer image = ours.image().encode();
            long unstable = ours.firstUnstableOffset();
            long at = end;
            for (int i = random.nextInt(5); i >= 0; i--) {
                int id = random.nextInt(7) - 1;
                ByteBuffer batch = random.nextInt(4) == 0 && id >= 0
                        ? ControlBatches.transactionMarker(time, id, (short) random.nextInt(9), true, 9)
                        : data(id, random.nextInt(9), random.nextInt(50), 1 + random.nextInt(3), random.nextBoolean());
                BatchHeader.assign(batch, 0, at, 0);
                ours.apply(BatchSummary.of(batch, 0));
                at = BatchHeader.nextOffset(batch, 0);
            }
            ours.undoFrom(end);
            assertEquals(image, ours.image().encode(), what);
            assertEquals(unstable, ours.firstUnstableOffset(), what);
            assertEquals(end, ours.endOffset(), what);
        }

        private int near(int zero) {
            return random.nextInt(3) == 0 ? zero + random.nextInt(3) - 1 : zero;
        }
    }

    private ByteBuffer data(int producerId, int epoch, int sequence, int count, boolean transactional) {
        boolean none = producerId < 0;
        BatchBuilder.Producer producer = none
                ? BatchBuilder.Producer.NONE
                : new BatchBuilder.Producer(producerId, (short) epoch, sequence, transactional);
        BatchBuilder builder = new BatchBuilder(Codec.NONE, 0, 0, producer);
        for (int i = 0; i < count; i++) {
            builder.add(time + i, null, new byte[] {1});
        }
        return builder.build();
    }

    private ProducerVerdict check(ProducerStates states, ByteBuffer batch, long logEnd) {
        return states.check(BatchSummary.of(batch, 0), logEnd);
    }

    private long append(ProducerStates states, ByteBuffer batch) {
        BatchHeader.assign(batch, 0, states.endOffset(), 0);
        states.apply(BatchSummary.of(batch, 0));
        return BatchHeader.baseOffset(batch, 0);
    }

    /** P2, beyond Kafka: the first batch of a producer that comes late must not be lost (case h18). */
    @Test
    void onlySequenceZeroBeginsWhereNoRecordEverWas() {
        ProducerStates states = new ProducerStates(0);
        ProducerVerdict gap = check(states, data(1, 0, 5, 1, false), 0);
        assertEquals(FailureCode.OUT_OF_ORDER_SEQUENCE, gap.failure().code());
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(states, data(1, 0, 0, 5, false), 0).kind());
        append(states, data(1, 0, 0, 5, false));
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(states, data(1, 0, 5, 1, false), 5).kind());
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(states, data(2, 0, 41, 1, false), 5).kind());
        // all records deleted: log start > 0, so log end > 0
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(new ProducerStates(9), data(2, 0, 41, 1, false), 9).kind());
    }

    /** P1: the last five batches, also those still being written, also after a restart from our own snapshot. */
    @Test
    void fiveBatchesAreRemembered() {
        ProducerStates states = new ProducerStates(0);
        for (int i = 0; i < 7; i++) {
            append(states, data(1, 0, i * 2, 2, false));
        }
        ProducerStates restarted = ProducerStates.of(
                ProducerSnapshot.decode(states.image().encode()).entries(), 14);
        for (ProducerStates each : List.of(states, restarted)) {
            for (int i = 0; i < 7; i++) {
                ProducerVerdict verdict = check(each, data(1, 0, i * 2, 2, false), 14);
                if (i < 2) {
                    assertEquals(
                            FailureCode.OUT_OF_ORDER_SEQUENCE, verdict.failure().code());
                } else {
                    assertEquals(ProducerVerdict.Kind.DUPLICATE, verdict.kind());
                    assertEquals(i * 2L, verdict.baseOffset());
                    assertEquals(i * 2 + 1, verdict.lastOffset());
                }
            }
            ProducerVerdict half = check(each, data(1, 0, 13, 2, false), 14);
            assertEquals(FailureCode.OUT_OF_ORDER_SEQUENCE, half.failure().code(), "a batch that only partly repeats");
        }
    }

    @Test
    void sequenceWrapsToZero() {
        ProducerStates states = new ProducerStates(1);
        append(states, data(1, 0, Integer.MAX_VALUE - 1, 4, false));
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(states, data(1, 0, 2, 1, false), 5).kind());
        ProducerVerdict again = check(states, data(1, 0, Integer.MAX_VALUE - 1, 4, false), 5);
        assertEquals(ProducerVerdict.Kind.DUPLICATE, again.kind());
        append(states, data(2, 0, Integer.MAX_VALUE, 1, false));
        assertEquals(
                ProducerVerdict.Kind.OK,
                check(states, data(2, 0, 0, 1, false), 6).kind());
    }

    /** P6: by the batch's own time, never with an open transaction. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 1000})
    void idleProducersExpire(int atOnce) {
        ProducerStates states = new ProducerStates(1);
        for (int id = 0; id < 100; id++) {
            time = TIME + id;
            append(states, data(id, 0, 0, 1, id % 10 == 0));
        }
        int before = states.producerCount();
        int calls = 1;
        for (; states.expire(TIME + 1050, 1000, atOnce) == ProducerStates.MORE; calls++) {
            append(states, data(70, 0, calls, 1, false));
            assertTrue(before - states.producerCount() <= atOnce, "too many at once");
            before = states.producerCount();
        }
        assertTrue(calls >= 100 / atOnce && calls <= 1 + 1000 / atOnce, calls + " calls of " + atOnce);
        List<Long> left = new ArrayList<>();
        states.activeProducers().forEach(p -> left.add(p.producerId()));
        List<Long> expected = new ArrayList<>();
        for (long id = 0; id < 100; id++) {
            if (id > 50 || id % 10 == 0) {
                expected.add(id);
            }
        }
        assertEquals(expected, left);
    }

    /** T8: a transaction ends for readers when its marker is below the high watermark. */
    @Test
    void lastStableOffsetWaitsForTheMarkerToBeCommitted() {
        ProducerStates states = new ProducerStates(0);
        append(states, data(1, 0, 0, 1, true));
        append(states, data(2, 0, 0, 1, true));
        assertEquals(0, states.firstUnstableOffset());
        append(states, ControlBatches.transactionMarker(time, 1, (short) 0, false, 3));
        assertEquals(0, states.firstUnstableOffset());
        states.advanceHighWatermark(2);
        assertEquals(0, states.firstUnstableOffset());
        states.advanceHighWatermark(3);
        assertEquals(1, states.firstUnstableOffset());
        append(states, ControlBatches.transactionMarker(time, 2, (short) 0, true, 3));
        states.advanceHighWatermark(4);
        assertEquals(Long.MAX_VALUE, states.firstUnstableOffset());
    }

    @Test
    void damagedSnapshotIsAValue() {
        ProducerStates states = new ProducerStates(0);
        for (int id = 0; id < 4; id++) {
            append(states, data(id, 0, 0, 1, true));
        }
        byte[] good = states.image().encode().array();
        Random random = new Random(5);
        for (int round = 0; round < 2000; round++) {
            byte[] bad = good.clone();
            int length = bad.length;
            if (round % 2 == 0) {
                int i = random.nextInt(bad.length);
                bad[i] ^= (byte) (1 << random.nextInt(8));
            } else {
                length = random.nextInt(bad.length);
            }
            ProducerSnapshot.Loaded loaded = ProducerSnapshot.decode(ByteBuffer.wrap(bad, 0, length));
            assertNull(loaded.entries(), "round " + round);
        }
    }
}
