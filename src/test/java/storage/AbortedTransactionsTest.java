package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.ControlBatches;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;
import sim.SimRandom;

/** Rule T8: what readers are told of aborted transactions, whatever their number and wherever the index has them; memory holds only those of late. */
final class AbortedTransactionsTest {

    private static final int SEEDS = 40;
    private static final int RETENTION_MILLIS = 3_600_000;

    /** One that was aborted. */
    private record Aborted(long producerId, long firstOffset, long marker) {}

    /** A log, and a model of its transactions. */
    private static final class Run {
        final LogBench bench;
        final SimRandom random;
        final List<Aborted> aborted = new ArrayList<>();
        final Map<Long, Long> open = new LinkedHashMap<>();
        final Map<Long, Integer> sequences = new LinkedHashMap<>();

        Run(long seed, String segmentBytes) {
            random = new SimRandom(seed);
            bench = new LogBench(
                    seed,
                    LogBench.tiny(
                            "internal.segment.bytes",
                            segmentBytes,
                            "retention.ms",
                            Integer.toString(RETENTION_MILLIS)));
            bench.open(Mutations.NONE);
        }

        void write(int producers) {
            long producer = random.below(producers);
            if (open.containsKey(producer) && random.chance(0.7)) {
                end(producer, random.chance(0.1));
            } else {
                data(producer);
            }
        }

        void data(long producer) {
            int sequence = sequences.merge(producer, 1, Integer::sum) - 1;
            BatchBuilder.Producer as = new BatchBuilder.Producer(producer, (short) 0, sequence, true);
            long offset = bench.append(bench.batch(1, 5, as)).baseOffset();
            open.putIfAbsent(producer, offset);
        }

        void end(long producer, boolean commit) {
            ByteBuffer marker =
                    ControlBatches.transactionMarker(bench.host.clock().wallMillis(), producer, (short) 0, commit, 3);
            long offset = bench.append(marker).lastOffset();
            long first = open.remove(producer);
            if (!commit) {
                aborted.add(new Aborted(producer, first, offset));
            }
        }

        /** Exactly those that end at or behind the first offset of what is read, and begin before its end. */
        void read() {
            bench.log.advanceHighWatermark(bench.log.logEndOffset());
            long stable = bench.log.lastStableOffset();
            if (stable == 0) {
                return;
            }
            long from = random.below((int) stable);
            check(from, bench.read(from, 150 + random.below(2000), ReadBound.LAST_STABLE_OFFSET));
        }

        void check(long from, ReadResult result) {
            ByteBuffer all = ByteBuffer.wrap(LogBench.bytes(result.range()));
            long next = from;
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                next = BatchHeader.nextOffset(all, at);
            }
            long to = next;
            List<ReadResult.AbortedTransaction> expected = aborted.stream()
                    .filter(each -> each.marker >= from && each.firstOffset < to)
                    .map(each -> new ReadResult.AbortedTransaction(each.producerId, each.firstOffset))
                    .toList();
            assertEquals(expected, result.aborted(), "from " + from + " to " + to);
        }
    }

    @Test
    void readersGetThoseThatOverlap() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                Run run = new Run(seed, seed % 2 == 0 ? "1500" : "20000");
                for (int i = 0; i < 300; i++) {
                    switch (run.random.below(40)) {
                        case 0 -> run.bench.cleanRestart();
                        case 1 -> run.bench.kill();
                        case 2, 3 -> run.bench.host.<Void>await(done -> run.bench.log.flush(done));
                        case 4, 5, 6, 7, 8 -> run.read();
                        default -> run.write(4);
                    }
                }
                assertTrue(run.aborted.size() > 30, "only " + run.aborted.size());
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @Test
    void manyOfOneSegmentAreInItsFile() {
        Run run = new Run(1, "1000000");
        for (int i = 0; i < 1000; i++) {
            run.data(1);
            run.end(1, false);
        }
        run.bench.host.runFor(1000);
        int filed = run.bench.host.disk().content(run.bench.segment(0, SegmentFiles.TRANSACTION_INDEX)).length
                / TransactionIndex.ENTRY_BYTES;
        int left = run.aborted.size() - filed;
        assertTrue(left * TransactionIndex.ENTRY_BYTES < 2 * TransactionTail.FILING_BYTES, left + " not filed");
        for (int i = 0; i < 100; i++) {
            run.read();
        }
        run.bench.kill();
        for (int i = 0; i < 100; i++) {
            run.read();
        }
    }

    /** A range of a segment that goes meanwhile is not given out without what its index said. */
    @Test
    void deletionsBetweenRangeAndIndexAreNoticed() {
        int read = 0;
        int gone = 0;
        for (long seed = 0; seed < SEEDS / 4; seed++) {
            Run run = new Run(seed, "1500");
            for (int i = 0; i < 60; i++) {
                run.write(4);
            }
            run.bench.kill();
            run.bench.log.advanceHighWatermark(run.bench.log.logEndOffset());
            int stable = (int) run.bench.log.lastStableOffset();
            int from = run.random.below(stable / 2);
            run.bench.host.runFor(RETENTION_MILLIS + 10_000);
            run.bench.log.housekeep(run.bench.host.clock().wallMillis());
            List<ReadResult> came = new ArrayList<>();
            List<Failure> failed = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                run.bench.log.read(from, 500, true, ReadBound.LAST_STABLE_OFFSET, (result, failure) -> {
                    if (failure == null) {
                        came.add(result);
                    } else {
                        failed.add(failure);
                    }
                });
                run.bench.host.scheduler().runFor(100_000);
            }
            run.bench.host.runFor(10_000);
            for (ReadResult each : came) {
                run.check(from, each);
            }
            for (Failure each : failed) {
                assertEquals(FailureCode.OFFSET_OUT_OF_RANGE, each.code(), "seed " + seed + ": " + each);
            }
            read += came.size();
            gone += failed.size();
        }
        assertTrue(read > 3 && gone > 3, read + " read, " + gone + " gone");
    }

    /** A start needs no room; what it could not write is written once there is some, and until then a crash finds it missing. */
    @Test
    void anIndexThatAStartHadNoRoomForIsWrittenLater() {
        for (boolean clean : new boolean[] {true, false}) {
            Run run = new Run(1, "1500");
            for (int i = 0; i < 40; i++) {
                run.data(1);
                run.end(1, false);
            }
            run.bench.host.runFor(1000);
            run.bench.checkpoint();
            run.bench.host = run.bench.host.kill();
            String index = run.bench.segment(0, SegmentFiles.TRANSACTION_INDEX);
            byte[] whole = run.bench.host.disk().content(index);
            assertTrue(whole.length > 0);
            run.bench.host.disk().put(index, new byte[] {1});
            run.bench.host.disk().capacity(1);
            run.bench.open();
            assertTrue(run.bench.log.recoveryPoint() == 0, "the next start must look again");
            run.bench.host.disk().capacity(Long.MAX_VALUE / 4);
            if (clean) {
                run.bench.cleanRestart();
            } else {
                run.bench.log.housekeep(run.bench.host.clock().wallMillis());
                run.bench.host.runFor(1000);
                assertTrue(run.bench.log.recoveryPoint() > 0);
                run.bench.checkpoint();
                run.bench.powerCut();
            }
            assertArrayEquals(whole, run.bench.host.disk().content(index));
            for (int i = 0; i < 50; i++) {
                run.read();
            }
        }
    }

    /** Nobody looks for the index of a segment that retention has taken meanwhile. */
    @Test
    void whatAStartHadNoRoomForGoesWithItsSegment() {
        Run run = new Run(1, "1500");
        for (int i = 0; i < 40; i++) {
            run.data(1);
            run.end(1, false);
        }
        run.bench.host.runFor(1000);
        run.bench.checkpoint();
        run.bench.host = run.bench.host.kill();
        run.bench.host.disk().put(run.bench.segment(0, SegmentFiles.TRANSACTION_INDEX), new byte[] {1});
        run.bench.host.disk().capacity(1);
        run.bench.open();
        assertEquals(0, run.bench.log.recoveryPoint());
        run.bench.host.disk().capacity(Long.MAX_VALUE / 4);
        run.bench.host.disk().faults((operation, path, number) -> {
            boolean written = operation == Operation.CREATE || operation == Operation.WRITE;
            return written && path.endsWith(SegmentFiles.TRANSACTION_INDEX) ? Fault.ERROR : Fault.NONE;
        });
        run.bench.log.advanceHighWatermark(run.bench.log.logEndOffset());
        run.bench.host.runFor(RETENTION_MILLIS + 10_000);
        housekeep(run);
        assertTrue(run.bench.log.logStartOffset() > 0, "what cannot be written holds up no deletion");
        run.bench.host.disk().faults(DiskFaults.NONE);
        housekeep(run);
        assertTrue(run.bench.log.recoveryPoint() >= run.bench.log.logStartOffset());
        List<String> names = run.bench.host.disk().tree();
        for (String line : names) {
            int end = line.lastIndexOf(SegmentFiles.TRANSACTION_INDEX + ' ');
            String segment = end < 0 ? null : line.substring(0, end) + SegmentFiles.LOG + ' ';
            assertTrue(segment == null || names.stream().anyMatch(each -> each.startsWith(segment)), names::toString);
        }
    }

    private static void housekeep(Run run) {
        for (int i = 0; i < 3; i++) {
            run.bench.log.housekeep(run.bench.host.clock().wallMillis());
            run.bench.host.runFor(10_000);
        }
    }

    /** So those of closed segments are in no memory; and what the index does not tell is not guessed. */
    @Test
    void aLostOrRottenIndexFailsTheRead() {
        for (boolean lost : new boolean[] {true, false}) {
            Run run = new Run(1, "1500");
            for (int i = 0; i < 40; i++) {
                run.data(1);
                run.end(1, false);
            }
            run.bench.cleanRestart();
            run.bench.log.advanceHighWatermark(run.bench.log.logEndOffset());
            String index = run.bench.segment(0, SegmentFiles.TRANSACTION_INDEX);
            if (lost) {
                run.bench.host.disk().put(index, new byte[0]);
            } else {
                run.bench.host.disk().rot(index, 1, 0);
            }
            Failure failure = run.bench.host.<ReadResult>awaitFailure(
                    done -> run.bench.log.read(0, 500, true, ReadBound.LAST_STABLE_OFFSET, done));
            assertTrue(failure.message().contains("is rebuilt at the next start"), failure.message());
            run.bench.read(0, 500, ReadBound.HIGH_WATERMARK).range().release();
        }
    }
}
