package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/** Rule T8: what readers are told of aborted transactions, whatever their number and wherever the index has them; memory holds only those of late. */
final class AbortedTransactionsTest {

    private static final int SEEDS = 40;
    private static final int RETENTION_MILLIS = TransactionsBench.RETENTION_MILLIS;

    @Test
    void readersGetThoseThatOverlap() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                TransactionsBench run = new TransactionsBench(seed, seed % 2 == 0 ? "1500" : "20000");
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
        TransactionsBench run = new TransactionsBench(1, "1000000");
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
            TransactionsBench run = new TransactionsBench(seed, "1500");
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
            TransactionsBench run = new TransactionsBench(1, "1500");
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
        TransactionsBench run = new TransactionsBench(1, "1500");
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

    private static void housekeep(TransactionsBench run) {
        for (int i = 0; i < 3; i++) {
            run.bench.log.housekeep(run.bench.host.clock().wallMillis());
            run.bench.host.runFor(10_000);
        }
    }
}
