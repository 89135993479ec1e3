package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import sim.SimRandom;

/** Random histories of a log against a list of batches. Prints the seed when one fails. */
final class LogModelTest {

    private static final int SEEDS = 150;
    private static final int STEPS = 120;

    @Test
    void memoryLogEqualsItsModel() {
        run(false);
    }

    @Test
    void durableLogEqualsItsModelAlsoAfterPowerCuts() {
        run(true);
    }

    private void run(boolean durable) {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                new History(seed, durable).run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " durable " + durable, e);
            }
        }
    }

    /** What was appended; {@code acked} false: nobody was told. */
    private static final class Batch {
        long base;
        long last;
        byte[] bytes;
        boolean acked;
        long producer;
        int sequence;
        int records;
        long maxTimestamp;
    }

    private static final class History {
        private final SimRandom random;
        private final boolean durable;
        private final LogBench bench;
        /** From the log start on. */
        private final List<Batch> batches = new ArrayList<>();
        /** Also those that were deleted, but not those that were cut off. */
        private final List<Batch> ever = new ArrayList<>();

        private final int[] nextSequence = new int[4];
        private int epoch;

        History(long seed, boolean durable) {
            this.random = new SimRandom(seed * 31 + 7);
            this.durable = durable;
            this.bench = new LogBench(seed, durable ? LogBench.tiny("flush.messages", "1") : LogBench.tiny());
        }

        void run() {
            bench.open();
            beginEpoch();
            for (int i = 0; i < STEPS; i++) {
                step();
                check();
            }
            bench.host.<Void>await(done -> bench.log.close(done));
            assertEquals(0, bench.host.disk().openHandles(), "handles leak");
        }

        private void step() {
            switch (random.below(20)) {
                case 0, 1, 2, 3, 4, 5, 6 -> append(1 + random.below(4));
                case 7, 8 -> advance();
                case 9 -> repeat();
                case 10 -> bench.host.<Void>await(done -> bench.log.flush(done));
                case 11 -> bench.checkpoint();
                case 12 -> retain();
                case 13 -> deleteBefore();
                case 14 -> truncate();
                case 15 -> beginEpoch();
                case 16 -> restart();
                case 17 -> crash();
                default -> times();
            }
        }

        private void beginEpoch() {
            epoch++;
            bench.host.<Void>await(done -> bench.log.beginEpoch(epoch, done));
        }

        private Batch start() {
            Batch batch = new Batch();
            batch.producer = random.below(5) - 1L;
            batch.records = 1 + random.below(4);
            boolean idempotent = batch.producer >= 0 && batch.producer < nextSequence.length;
            batch.sequence = idempotent ? nextSequence[(int) batch.producer] : -1;
            BatchBuilder.Producer producer = idempotent
                    ? new BatchBuilder.Producer(batch.producer, (short) 0, batch.sequence, false)
                    : BatchBuilder.Producer.NONE;
            if (idempotent) {
                nextSequence[(int) batch.producer] += batch.records;
            }
            ByteBuffer bytes = bench.batch(batch.records, random.below(120), producer);
            ByteBuffer view = bytes.duplicate();
            bench.log.append(bytes, epoch, (result, failure) -> {
                if (failure != null) {
                    throw new AssertionError("append: " + failure);
                }
                batch.acked = true;
                assertEquals(batch.base, result.baseOffset());
                assertEquals(batch.last, result.lastOffset());
            });
            batch.base = BatchHeader.baseOffset(view, view.position());
            batch.last = BatchHeader.lastOffset(view, view.position());
            batch.maxTimestamp = BatchHeader.maxTimestamp(view, view.position());
            batch.bytes = new byte[view.remaining()];
            view.duplicate().get(batch.bytes);
            batches.add(batch);
            ever.add(batch);
            return batch;
        }

        private void append(int count) {
            for (int i = 0; i < count; i++) {
                start();
                bench.host.runFor(random.below(2));
            }
            Batch last = batches.get(batches.size() - 1);
            for (int i = 0; i < 1000 && !last.acked; i++) {
                bench.host.runFor(1);
            }
            assertTrue(last.acked, "append is answered");
        }

        private void advance() {
            long end = durable ? bench.log.durableEndOffset() : bench.log.logEndOffset();
            bench.log.advanceHighWatermark(end);
        }

        /** Rule P1 and P2. */
        private void repeat() {
            for (int i = batches.size() - 1; i >= 0; i--) {
                Batch batch = batches.get(i);
                if (batch.sequence >= 0 && batch.sequence + batch.records == nextSequence[(int) batch.producer]) {
                    AppendResult again = bench.append(ByteBuffer.wrap(batch.bytes.clone()));
                    assertTrue(again.duplicate());
                    assertEquals(batch.base, again.baseOffset());
                    BatchBuilder.Producer gap = new BatchBuilder.Producer(
                            batch.producer, (short) 0, batch.sequence + batch.records + 3, false);
                    assertEquals(
                            FailureCode.OUT_OF_ORDER_SEQUENCE,
                            bench.appendFails(bench.batch(1, gap)).code());
                    return;
                }
            }
        }

        private void retain() {
            bench.log.updateConfig(
                    durable
                            ? LogBench.tiny("flush.messages", "1", "retention.bytes", "3000")
                            : LogBench.tiny("retention.bytes", "3000"));
            long before = bench.log.logStartOffset();
            bench.log.housekeep(bench.host.clock().wallMillis());
            bench.host.runFor(random.below(2000));
            bench.log.updateConfig(bench.config);
            assertTrue(bench.log.logStartOffset() >= before, "I12");
            assertTrue(bench.log.logStartOffset() <= bench.log.highWatermark(), "K6");
        }

        private void deleteBefore() {
            long span = bench.log.highWatermark() - bench.log.logStartOffset();
            long offset = bench.log.logStartOffset() + random.belowLong(Math.max(1, span / 4));
            assertEquals(offset, bench.host.<Long>await(done -> bench.log.deleteBefore(offset, done)));
        }

        private void truncate() {
            if (batches.isEmpty() || random.chance(0.5)) {
                return;
            }
            Batch from = batches.get(Math.max(0, batches.size() - 1 - random.below(6)));
            if (from.base < bench.log.highWatermark()) {
                return;
            }
            bench.host.<Void>await(done -> bench.log.truncateTo(from.base, done));
            batches.removeIf(batch -> batch.base >= from.base);
            ever.removeIf(batch -> batch.base >= from.base);
            assertEquals(from.base, bench.log.logEndOffset());
            recount();
            beginEpoch();
        }

        private void recount() {
            Arrays.fill(nextSequence, 0);
            for (Batch batch : ever) {
                if (batch.sequence >= 0) {
                    nextSequence[(int) batch.producer] = batch.sequence + batch.records;
                }
            }
        }

        private void restart() {
            long end = bench.log.logEndOffset();
            long read = bench.host.disk().bytesRead();
            long size = bench.log.sizeBytes();
            bench.cleanRestart();
            assertTrue(bench.opened.cleanStop());
            assertEquals(end, bench.log.logEndOffset(), "S6");
            assertEquals(end, bench.log.durableEndOffset());
            assertTrue(size < 4000 || bench.host.disk().bytesRead() - read < size + 4000, "reads no closed segment");
            beginEpoch();
        }

        private void crash() {
            if (random.chance(0.5)) {
                for (int i = random.below(3); i > 0; i--) {
                    start();
                }
                if (random.chance(0.5)) {
                    bench.host.runFor(0);
                }
            }
            boolean power = durable && random.chance(0.5);
            if (power) {
                bench.powerCut();
            } else {
                bench.kill();
            }
            adoptUnacked(power);
            recount();
            beginEpoch();
        }

        /** What nobody was told of may be there or not; if it is, from the front. */
        private void adoptUnacked(boolean power) {
            long end = bench.log.logEndOffset();
            for (Batch batch : new ArrayList<>(batches)) {
                if (batch.acked) {
                    assertTrue(batch.last < end, "acked batch at " + batch.base + " lost, log ends at " + end);
                }
            }
            if (bench.log.damage() != null) {
                assertTrue(power, "a kill damages nothing: " + bench.log.damage());
                Batch first = batches.stream()
                        .filter(batch -> !batch.acked)
                        .findFirst()
                        .orElseThrow();
                bench.host.<Void>await(done -> bench.log.truncateTo(first.base, done));
            }
            long known = bench.log.logEndOffset();
            batches.removeIf(batch -> batch.last >= known);
            ever.removeIf(batch -> batch.last >= known);
            batches.forEach(batch -> batch.acked = true);
            long last = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).last + 1;
            assertEquals(Math.max(last, bench.log.logStartOffset()), known, "log ends behind its last batch");
        }

        private void times() {
            if (batches.isEmpty()) {
                return;
            }
            long at = batches.get(random.below(batches.size())).maxTimestamp - random.below(3);
            long expected = -1;
            for (Batch batch : batches) {
                for (int i = 0; i < batch.records && expected < 0; i++) {
                    long time = batch.maxTimestamp - (batch.records - 1) + i;
                    if (time >= at && batch.base + i >= bench.log.logStartOffset()) {
                        expected = batch.base + i;
                    }
                }
            }
            TimestampOffset found = bench.host.await(done -> bench.log.offsetForTimestamp(at, ReadBound.LOG_END, done));
            assertEquals(expected, found.offset(), "first at or after " + at);
        }

        /** A random read, byte by byte. */
        private void check() {
            batches.removeIf(batch -> batch.last < bench.log.logStartOffset());
            long end = batches.isEmpty() ? bench.log.logStartOffset() : batches.get(batches.size() - 1).last + 1;
            assertEquals(Math.max(end, bench.log.logStartOffset()), bench.log.logEndOffset(), "LEO");
            ReadBound bound = random.chance(0.5) ? ReadBound.LOG_END : ReadBound.HIGH_WATERMARK;
            long span = bench.log.logEndOffset() - bench.log.logStartOffset() + 1;
            long offset = random.chance(0.3)
                    ? Math.max(bench.log.logStartOffset(), bench.log.logEndOffset() - 1 - random.below(4))
                    : bench.log.logStartOffset() + random.belowLong(span);
            int maxBytes = 1 + random.below(random.chance(0.5) ? 400 : 4000);
            long limit = bound == ReadBound.LOG_END ? bench.log.logEndOffset() : bench.log.highWatermark();
            ReadResult result = bench.readUnlessDeleted(offset, maxBytes, bound);
            if (result != null) {
                checkRead(result, offset, maxBytes, limit);
            }
            Failure beyond = bench.readFails(bench.log.logEndOffset() + 1);
            assertEquals(FailureCode.OFFSET_OUT_OF_RANGE, beyond.code(), "I13");
        }

        private void checkRead(ReadResult result, long offset, int maxBytes, long limit) {
            byte[] expected = expected(offset, maxBytes, limit);
            byte[] got = result.range() == null ? new byte[0] : LogBench.bytes(result.range());
            boolean isPrefix = got.length <= expected.length
                    && Arrays.equals(got, 0, got.length, expected, 0, got.length)
                    && (got.length > 0 || expected.length == 0);
            assertTrue(
                    isPrefix,
                    "read of " + offset + " max " + maxBytes + " up to " + limit + ": " + got.length
                            + " bytes, expected " + expected.length);
        }

        /** All whole batches from the one that holds the offset; a read may give fewer at the end of a segment. */
        private byte[] expected(long offset, int maxBytes, long limit) {
            ByteBuffer all = ByteBuffer.allocate(1 << 20);
            for (Batch batch : batches) {
                if (batch.last < offset || batch.last >= limit || offset >= limit) {
                    continue;
                }
                if (all.position() > 0 && all.position() + batch.bytes.length > maxBytes) {
                    break;
                }
                all.put(batch.bytes);
                if (all.position() > maxBytes) {
                    break;
                }
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }
}
