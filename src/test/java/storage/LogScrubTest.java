package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import sim.QuietLogs;

/** Rules S1, S8: what rots in a closed segment is found by reading it again. */
@ExtendWith(QuietLogs.class)
final class LogScrubTest {

    private static final int BATCHES = 12;

    /** A log of several closed segments, batches of two records. */
    private static LogBench filled() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "600"));
        bench.open();
        for (int i = 0; i < BATCHES; i++) {
            bench.append(2);
        }
        bench.host.runFor(1_000);
        return bench;
    }

    private static int pass(LogBench bench, int maxBytes) {
        int total = 0;
        int bytes = -1;
        while (bytes != 0) {
            bytes = bench.host.await(done -> bench.log.scrub(maxBytes, done));
            total += bytes;
        }
        return total;
    }

    @Test
    void everyFlippedBitOfAClosedSegmentIsFound_S1() {
        LogBench sound = filled();
        String path = sound.segment(0, SegmentFiles.LOG);
        int length = sound.host.disk().content(path).length;
        int batch = BatchHeader.sizeInBytes(ByteBuffer.wrap(sound.host.disk().content(path)), 0);
        assertTrue(length >= 2 * batch, "batches in the first segment");
        assertTrue(pass(sound, 100) >= length);
        assertNull(sound.log.damage());
        for (int at = 0; at < length; at++) {
            int inBatch = at % batch;
            if (inBatch >= 12 && inBatch < 16) {
                // The leader epoch is under no checksum.
                continue;
            }
            LogBench bench = filled();
            bench.host.disk().rot(path, at, at % 8);
            pass(bench, at % 2 == 0 ? 1 : 10_000);
            String where = "byte " + at;
            assertNotNull(bench.log.damage(), where);
            long damaged = 2L * (at / batch);
            assertEquals(FailureCode.CORRUPT_BATCH, bench.readFails(damaged).code(), where);
            long behind = bench.log.damagedOffsets().get(0).to();
            assertTrue(behind > damaged && behind <= damaged + 4, where + ": " + bench.log.damage());
            assertEquals(behind, bench.bases(behind).get(0), where);
            int damages = bench.log.damagedOffsets().size();
            pass(bench, 100);
            assertEquals(damages, bench.log.damagedOffsets().size(), where + ", another pass");
        }
    }
}
