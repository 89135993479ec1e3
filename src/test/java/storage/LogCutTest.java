package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.QuietLogs;
import sim.SimCrash;

/** Truncation over several segments (rule I3): torn by a crash, and over something rotten that nobody knew of. */
@ExtendWith(QuietLogs.class)
final class LogCutTest {

    private static final int BATCHES = 16;
    private static final int VARIANTS = 12;

    /** A durable log of many segments, batches of two records. */
    private static LogBench filled(String... settings) {
        List<String> all = new ArrayList<>(List.of("internal.segment.bytes", "600", "flush.messages", "1"));
        all.addAll(List.of(settings));
        LogBench bench = new LogBench(1, LogBench.tiny(all.toArray(new String[0])));
        bench.open();
        for (int i = 0; i < BATCHES; i++) {
            bench.append(2);
        }
        bench.host.runFor(5_000);
        return bench;
    }

    /** The recovery point is where the log will end, as the caller has to see to. */
    private static LogStart known(long offset) {
        return new LogStart(true, false, offset, 0, 0);
    }

    @Test
    void tornAtAnyOperationItIsDoneOrNot_I3() {
        int cut = 0;
        int whole = 0;
        for (boolean room : new boolean[] {false, true}) {
            String preallocate = Boolean.toString(room);
            for (long target : new long[] {3, 8, 30}) {
                LogBench counted = filled("preallocate", preallocate);
                long first = counted.host.disk().operations();
                counted.host.<Void>await(done -> counted.log.truncateTo(target, done));
                long operations = counted.host.disk().operations() - first;
                for (long at = 0; at < operations; at++) {
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        String where = "room " + room + ", to " + target + ", operation " + at + ", variant " + variant;
                        long end = tornAt(target, at, variant, preallocate, where);
                        cut += end < 2 * BATCHES ? 1 : 0;
                        whole += end == 2 * BATCHES ? 1 : 0;
                    }
                }
            }
        }
        assertTrue(cut > 100 && whole > 100, cut + " were cut, " + whole + " were not");
    }

    private static long tornAt(long target, long at, int variant, String preallocate, String where) {
        LogBench bench = filled("preallocate", preallocate);
        Fault fault =
                List.of(Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.CRASH_TORN).get(variant % 3);
        bench.host.disk().faults(DiskFaults.at(bench.host.disk().operations() + at, fault));
        try {
            bench.host.<Void>await(done -> bench.log.truncateTo(target, done));
        } catch (SimCrash | AssertionError crash) {
            // As planned.
        }
        bench.host.disk().faults(DiskFaults.NONE);
        for (int i = 0; i < variant; i++) {
            bench.host.disk().random().nextLong();
        }
        bench.host = bench.host.powerCut();
        bench.open(known(target));
        assertNull(bench.log.damage(), where);
        long end = bench.log.logEndOffset();
        assertTrue(end == 2 * BATCHES || end == target / 2 * 2, where + ": ends at " + end);
        assertEquals(end / 2, bench.bases(0).size(), where);
        assertTrue(bench.host.disk().tree().stream().noneMatch(line -> line.contains(TruncationNote.FILE_NAME)), where);
        assertEquals(end, bench.append(1).baseOffset(), where);
        return end;
    }

    /** What lies before the cut stays but for the rotten batch, whichever byte of it is wrong. */
    @Test
    void rotThatNobodyKnewOfIsNotInTheWay_S8() {
        int size = BatchHeader.sizeInBytes(
                ByteBuffer.wrap(filled().host.disk().content(filled().segment(0, SegmentFiles.LOG))), 0);
        for (int victim = 0; victim < 2; victim++) {
            for (int at = 0; at < size; at++) {
                LogBench bench = filled("internal.segment.bytes", "900");
                bench.cleanRestart();
                bench.host.disk().rot(bench.segment(0, SegmentFiles.LOG), victim * size + at, at % 8);
                bench.host.<Void>await(done -> bench.log.truncateTo(8, done));
                String where = "batch " + victim + ", byte " + at;
                assertNull(bench.offline, where);
                assertEquals(8, bench.log.logEndOffset(), where);
                for (long offset = 0; offset < 8; offset += 2) {
                    long asked = offset;
                    ReadResult read = bench.host
                            .<ReadResult>awaitOutcome(done -> bench.log.read(asked, 1, true, ReadBound.LOG_END, done))
                            .value();
                    boolean got = read != null && read.range() != null;
                    assertTrue(got || offset == 2L * victim, where + ": nothing at " + offset);
                    if (got) {
                        read.range().release();
                    }
                }
                assertEquals(8, bench.append(1).baseOffset(), where);
            }
        }
    }
}
