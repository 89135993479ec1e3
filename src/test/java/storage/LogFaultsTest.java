package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;
import sim.SimRandom;

/**
 * Rules S2, S3, S10, P4: disk errors and a full disk at random moments, retries by an idempotent producer. Whatever fails, an acknowledged batch is there
 * once, at its offset, and none is there twice.
 */
final class LogFaultsTest {

    private static final int SEEDS = 200;

    @Test
    void acknowledgedBatchesAreThereOnce() {
        int failed = 0;
        int offline = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            for (boolean durable : new boolean[] {false, true}) {
                try {
                    Run run = new Run(seed, durable);
                    run.all();
                    failed += run.failures;
                    offline += run.offlines;
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed + " durable " + durable, e);
                }
            }
        }
        assertTrue(failed > SEEDS, "only " + failed + " appends failed");
        assertTrue(offline > SEEDS / 10, "only " + offline + " times offline");
    }

    private static final class Run {
        private final SimRandom random;
        private final boolean durable;
        private final LogBench bench;
        private final TreeMap<Long, byte[]> acked = new TreeMap<>();
        private final List<ByteBuffer> unanswered = new ArrayList<>();
        private int sequence;
        private boolean faulty = true;
        int failures;
        int offlines;

        Run(long seed, boolean durable) {
            this.random = new SimRandom(seed + 1000);
            this.durable = durable;
            this.bench = new LogBench(seed, durable ? LogBench.tiny("flush.messages", "1") : LogBench.tiny());
        }

        void all() {
            bench.open();
            bench.host.disk().faults(this::fault);
            for (int i = 0; i < 60; i++) {
                step();
                if (bench.offline != null) {
                    offlines++;
                    restart();
                }
            }
            faulty = false;
            bench.host.disk().capacity(Long.MAX_VALUE / 4);
            restart();
            while (!unanswered.isEmpty()) {
                retry();
            }
            compare();
        }

        private Fault fault(Operation operation, String path, long number) {
            if (!faulty || !path.startsWith("orders-3")) {
                return Fault.NONE;
            }
            // A failed sync loses pages: memory acks promise nothing then.
            if (!durable && operation == Operation.SYNC) {
                return Fault.NONE;
            }
            double rate = operation == Operation.SYNC || operation == Operation.TRUNCATE ? 0.01 : 0.03;
            return random.chance(rate) ? Fault.ERROR : Fault.NONE;
        }

        private void step() {
            switch (random.below(12)) {
                case 0 -> bench.host.disk().capacity(bench.host.disk().usedBytes() + random.below(3) * 700L);
                case 1, 2 -> bench.host.disk().capacity(Long.MAX_VALUE / 4);
                case 3 -> {
                    bench.log.advanceHighWatermark(durable ? bench.log.durableEndOffset() : bench.log.logEndOffset());
                    bench.log.housekeep(bench.host.clock().wallMillis());
                    bench.host.runFor(1200);
                }
                case 4 -> bench.host.<Void>awaitOutcome(done -> bench.log.flush(done));
                default -> retry();
            }
        }

        /** Sends what is not acknowledged, and up to five in all, in order, as an idempotent producer does. */
        private void retry() {
            while (unanswered.size() < 5 && faulty) {
                int records = 1 + random.below(3);
                unanswered.add(bench.batch(
                        records, random.below(90), new BatchBuilder.Producer(1, (short) 0, sequence, false)));
                sequence = sequence + records;
            }
            List<ByteBuffer> sent = new ArrayList<>(unanswered);
            int[] answers = {0};
            for (ByteBuffer batch : sent) {
                ByteBuffer copy = ByteBuffer.allocate(batch.remaining())
                        .put(batch.duplicate())
                        .flip();
                bench.log.append(copy.duplicate(), 0, (result, failure) -> {
                    answers[0]++;
                    if (failure != null) {
                        failures++;
                        return;
                    }
                    unanswered.remove(batch);
                    BatchHeader.assign(copy, 0, result.baseOffset(), 0);
                    byte[] before = acked.put(result.baseOffset(), copy.array());
                    assertTrue(before == null, "offset " + result.baseOffset() + " acknowledged twice");
                });
            }
            bench.host.runFor(200);
            assertEquals(sent.size(), answers[0], "every append is answered");
        }

        private void restart() {
            boolean wasFaulty = faulty;
            faulty = false;
            if (durable && random.chance(0.5)) {
                bench.host = bench.host.powerCut();
            } else {
                bench.host = bench.host.kill();
            }
            bench.offline = null;
            bench.open();
            compare();
            faulty = wasFaulty;
        }

        private void compare() {
            acked.forEach((base, bytes) -> {
                ReadResult result = bench.read(base, 1, ReadBound.LOG_END);
                assertTrue(result.range() != null, "nothing at " + base);
                assertArrayEquals(bytes, LogBench.bytes(result.range()), "at " + base);
            });
            if (bench.log.damage() == null) {
                List<Long> bases = bench.bases(0);
                int next = 0;
                for (long base : bases) {
                    ReadResult result = bench.read(base, 1, ReadBound.LOG_END);
                    ByteBuffer batch = ByteBuffer.wrap(LogBench.bytes(result.range()));
                    assertEquals(next, BatchHeader.baseSequence(batch, 0), "P7: sequences at " + base);
                    next = BatchHeader.lastSequence(batch, 0) + 1;
                }
            }
        }
    }
}
