package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/** Producer snapshots that clean stops leave at the log's end go once there is a newer one; rule P4 keeps those that a recovery goes by. */
final class OldSnapshotsTest {

    private static BatchBuilder.Producer producer(int sequence) {
        return new BatchBuilder.Producer(9, (short) 1, sequence, false);
    }

    private static List<Long> offsets(LogBench bench, String suffix) {
        List<Long> found = new ArrayList<>();
        for (String line : bench.host.disk().tree()) {
            String name = line.substring(line.indexOf('/') + 1, Math.max(line.indexOf('/') + 1, line.lastIndexOf(' ')));
            long offset = line.startsWith(LogBench.DIRECTORY) ? SegmentFiles.baseOffset(name, suffix) : -1;
            if (offset >= 0) {
                found.add(offset);
            }
        }
        return found;
    }

    /** Segments of 900 bytes: with several the log is not tiny, so that each stop writes a snapshot. */
    private static LogBench afterStops(int stops) {
        LogBench bench = new LogBench(3, LogBench.tiny()).open();
        int sequence = 0;
        for (int stop = 0; stop < stops; stop++) {
            for (int i = 0; i < 7; i++) {
                bench.append(bench.batch(2, producer(sequence)));
                sequence += 2;
            }
            bench.cleanRestart();
        }
        return bench;
    }

    @Test
    void thoseOfSegmentsAndTheNewestStay() {
        LogBench bench = afterStops(12);
        List<Long> snapshots = offsets(bench, SegmentFiles.SNAPSHOT);
        List<Long> expected = offsets(bench, SegmentFiles.LOG);
        expected.remove(0L);
        expected.add(bench.log.logEndOffset());
        assertTrue(expected.size() > 4, expected.toString());
        assertEquals(expected.stream().distinct().toList(), snapshots);
    }

    @Test
    void theOneThatIsReadInsteadOfADamagedOneStays() {
        LogBench bench = afterStops(3);
        long first = bench.log.logEndOffset();
        bench.append(bench.batch(2, producer(42)));
        bench.cleanRestart();
        long second = bench.log.logEndOffset();
        bench.host.disk().rot(bench.segment(second, SegmentFiles.SNAPSHOT), 8, 1);
        bench.host.disk().put(bench.segment(first, SegmentFiles.SNAPSHOT), snapshotOf(first));
        for (int i = 0; i < 2; i++) {
            bench.cleanRestart();
            assertTrue(offsets(bench, SegmentFiles.SNAPSHOT).contains(first));
            assertTrue(bench.append(bench.batch(2, producer(42))).duplicate(), "P1");
        }
    }

    /** Any readable snapshot: here that of the first stop, made anew. */
    private static byte[] snapshotOf(long offset) {
        LogBench twin = afterStops(3);
        assertEquals(offset, twin.log.logEndOffset());
        return twin.host.disk().content(twin.segment(offset, SegmentFiles.SNAPSHOT));
    }

    /** One that goes since damage was noted before it is not taken for there: the next stop makes it anew. */
    @Test
    void oneThatGoesForDamageIsMadeAnew() {
        LogBench bench = afterStops(3);
        bench.cleanStop();
        long end = bench.log.logEndOffset();
        bench.host = bench.host.kill();
        assertTrue(offsets(bench, SegmentFiles.SNAPSHOT).contains(end));
        bench.host.<Void>await(done ->
                bench.host.executor().run(DiskExecutor.Lane.BLOCKING, DamageNote.writing(LogBench.DIRECTORY, 0), done));
        // Behind damage at its end the log goes on in a segment of its own.
        bench.host.disk().put(bench.segment(end, SegmentFiles.LOG), new byte[0]);
        bench.open();
        assertFalse(offsets(bench, SegmentFiles.SNAPSHOT).contains(end));
        bench.cleanStop();
        assertTrue(offsets(bench, SegmentFiles.SNAPSHOT).contains(end));
    }

    @Test
    void oneThatCannotBeRemovedDoesNoHarm() {
        LogBench bench = afterStops(2);
        bench.append(bench.batch(2, producer(28)));
        bench.host
                .disk()
                .faults((operation, path, number) ->
                        operation == Operation.DELETE && path.endsWith(SegmentFiles.SNAPSHOT)
                                ? Fault.ERROR
                                : Fault.NONE);
        bench.cleanRestart();
        bench.host.disk().faults(DiskFaults.NONE);
        assertTrue(bench.append(bench.batch(2, producer(28))).duplicate());
    }
}
