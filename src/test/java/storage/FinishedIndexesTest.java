package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A snapshot at a segment's end says that its indexes are finished (rule S9): a start that finds one does not look at them again. */
class FinishedIndexesTest {
    private static final long NOT_THERE = -1;

    private final LogBench bench = new LogBench(1, LogBench.tiny("index.interval.bytes", "100000"));

    @Test
    void aStopFinishesThemBeforeItWritesTheSnapshot() {
        long base = stopped();
        long end = bench.log.logEndOffset();
        assertEquals(end, newestSnapshot());
        ByteBuffer times = ByteBuffer.wrap(
                bench.host.disk().content(SegmentFiles.path(LogBench.DIRECTORY, base, SegmentFiles.TIME_INDEX)));
        assertNotEquals(0, times.remaining());
        assertNotEquals(
                0, times.getLong(times.limit() - TimeIndex.ENTRY_BYTES), "the time of the segment's last record");
    }

    @Test
    void aStartThatMakesThemAnewLeavesNoSnapshotBehindTheActiveSegmentsBase() {
        long base = stopped();
        bench.kill();
        assertEquals(base, newestSnapshot(), "that of the active segment's base");
        long end = bench.log.logEndOffset();
        bench.append(bench.batch(3));
        assertEquals(end + 3, bench.log.logEndOffset());
    }

    /** A stop without the clean mark, in the middle of a segment; its base. */
    private long stopped() {
        bench.open();
        while (bench.log.sizeBytes() < 5_000) {
            bench.append(bench.batch(3));
        }
        bench.host.<Void>await(done -> bench.log.close(done));
        bench.checkpoint();
        return newest(SegmentFiles.LOG);
    }

    private long newestSnapshot() {
        return newest(SegmentFiles.SNAPSHOT);
    }

    private long newest(String suffix) {
        List<String> names = bench.host.await(done ->
                bench.host.executor().run(DiskExecutor.Lane.BLOCKING, files -> files.list(LogBench.DIRECTORY), done));
        return names.stream()
                .mapToLong(each -> SegmentFiles.baseOffset(each, suffix))
                .max()
                .orElse(NOT_THERE);
    }
}
