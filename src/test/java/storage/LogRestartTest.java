package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.QuietLogs;
import sim.SimCrash;

/** A log that gives up its records and goes on at a later offset (rules R12, I12). */
@ExtendWith(QuietLogs.class)
final class LogRestartTest {
    private static final int BATCHES = 16;
    private static final long AT = 100;
    private static final int VARIANTS = 6;

    private static LogBench filled() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "600", "flush.messages", "1"));
        bench.open();
        for (int i = 0; i < BATCHES; i++) {
            bench.append(2);
        }
        bench.host.runFor(5_000);
        return bench;
    }

    @Test
    void itHasNothingOfWhatWasBefore() {
        LogBench bench = filled();
        bench.host.<Void>await(done -> bench.log.restartAt(AT, done));
        for (int life = 0; life < 3; life++) {
            assertEquals(AT, bench.log.logStartOffset());
            assertEquals(AT + life, bench.log.logEndOffset());
            assertEquals(life, bench.bases(AT).size());
            assertEquals(AT + life, bench.append(1).baseOffset());
            if (life == 0) {
                bench.powerCut();
            } else {
                bench.cleanRestart();
            }
        }
        Failure back = bench.host.<Void>awaitFailure(done -> bench.log.restartAt(AT - 1, done));
        assertEquals(FailureCode.OFFSET_OUT_OF_RANGE, back.code());
    }

    @Test
    void tornAtAnyOperationItIsAsBeforeOrEmpty() {
        LogBench counted = filled();
        long first = counted.host.disk().operations();
        counted.host.<Void>await(done -> counted.log.restartAt(AT, done));
        long operations = counted.host.disk().operations() - first;
        int[] ends = new int[3];
        for (long at = 0; at < operations; at++) {
            for (int variant = 0; variant < VARIANTS; variant++) {
                ends[tornAt(at, variant)]++;
            }
        }
        assertTrue(ends[0] > 10 && ends[1] > 5 && ends[2] > 1, ends[0] + " " + ends[1] + " " + ends[2]);
    }

    /** 0: nothing was done, 1: it is empty, 2: it is empty and goes on where it shall. */
    private static int tornAt(long at, int variant) {
        String where = "operation " + at + ", variant " + variant;
        LogBench bench = filled();
        Fault fault =
                List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN).get(variant % 3);
        bench.host.disk().faults(DiskFaults.at(bench.host.disk().operations() + at, fault));
        try {
            bench.host.<Void>await(done -> bench.log.restartAt(AT, done));
        } catch (SimCrash | AssertionError crash) {
            // As planned.
        }
        bench.host.disk().faults(DiskFaults.NONE);
        for (int i = 0; i < variant; i++) {
            bench.host.disk().random().nextLong();
        }
        bench.powerCut();
        assertNull(bench.log.damage(), where);
        long start = bench.log.logStartOffset();
        long end = bench.log.logEndOffset();
        int found = start == AT ? 2 : end == 0 ? 1 : 0;
        assertEquals(found == 2 ? AT : found == 1 ? 0 : 2 * BATCHES, end, where);
        assertEquals(found == 0 ? BATCHES : 0, bench.bases(start).size(), where);
        assertEquals(end, bench.append(1).baseOffset(), where);
        bench.kill();
        assertNull(bench.log.damage(), where);
        assertEquals(end + 1, bench.log.logEndOffset(), where);
        assertEquals(start, bench.log.logStartOffset(), where);
        return found;
    }
}
