package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import sim.LoggedLines;
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

    /** A reader finds it first, after a stop that was clean: no scan has looked at the segment. */
    @Test
    void aRottenHeaderIsCorruptToReadersAndHidesNothingElse_S8() {
        for (boolean closed : new boolean[] {true, false}) {
            for (int victim = 0; victim < 3; victim++) {
                for (int field : new int[] {BatchHeader.LENGTH, BatchHeader.MAGIC}) {
                    LogBench bench = rottenAfterCleanStop(closed, victim, field);
                    String where = "closed " + closed + ", batch " + victim + ", byte " + field;
                    long from = bench.log.logStartOffset();
                    long end = bench.log.logEndOffset();
                    int damaged = 0;
                    for (long offset = from; offset < end; offset++) {
                        long asked = offset;
                        if (offset / 2 == victim) {
                            assertEquals(
                                    FailureCode.CORRUPT_BATCH,
                                    bench.readFails(asked).code(),
                                    where);
                            damaged++;
                        } else {
                            ReadResult read = bench.read(asked, 1, ReadBound.LOG_END);
                            assertNotNull(read.range(), where + ", offset " + asked);
                            ByteBuffer batch = ByteBuffer.wrap(LogBench.bytes(read.range()));
                            assertEquals(offset / 2 * 2, BatchHeader.baseOffset(batch, 0), where + ", offset " + asked);
                            assertTrue(BatchHeader.isCrcValid(batch, 0), where + ", offset " + asked);
                        }
                    }
                    assertEquals(2, damaged, where);
                    assertEquals("damaged offsets: " + 2 * victim + "-" + (2 * victim + 1), bench.log.damage(), where);
                }
            }
        }
    }

    /** Else nothing behind it would ever be compacted again (rule K6). */
    @Test
    void damageGoesWithItsSegment() {
        LogBench bench = rottenAfterCleanStop(true, 1, BatchHeader.MAGIC);
        pass(bench, 10_000);
        assertNotNull(bench.log.damage());
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        long behind = bench.log.logEndOffset() - 2;
        bench.host.<Long>await(done -> bench.log.deleteBefore(behind, done));
        bench.log.housekeep(bench.host.clock().wallMillis());
        bench.host.runFor(10_000);
        assertFalse(bench.host.disk().tree().toString().contains(bench.segment(0, SegmentFiles.LOG)), "still there");
        assertNull(bench.log.damage());
    }

    @Test
    void aSearchByTimeGoesAroundWhatIsRotten_S8() {
        LogBench bench = rottenAfterCleanStop(true, 1, BatchHeader.MAGIC);
        TimestampOffset first = bench.host.await(done -> bench.log.offsetForTimestamp(0, ReadBound.LOG_END, done));
        assertEquals(0, first.offset());
        LogBench at = rottenAfterCleanStop(true, 0, BatchHeader.MAGIC);
        TimestampOffset behind = at.host.await(done -> at.log.offsetForTimestamp(0, ReadBound.LOG_END, done));
        assertEquals(2, behind.offset());
    }

    /** Cuts and retention take files away that are being looked at: that is no damage, and nothing to tell. */
    @Test
    void filesThatGoMeanwhileAreNoTrouble_S8() {
        try (LoggedLines told = new LoggedLines("storage.LogScrub")) {
            for (long seed = 0; seed < 60; seed++) {
                LogBench bench = new LogBench(seed, LogBench.tiny("internal.segment.bytes", "600"));
                bench.open();
                for (int i = 0; i < BATCHES; i++) {
                    bench.append(2);
                }
                bench.host.runFor(1_000);
                bench.log.advanceHighWatermark(bench.log.logEndOffset());
                int[] rounds = {200};
                scrubAgain(bench, rounds);
                bench.host.runFor(seed % 5);
                if (seed % 2 == 0) {
                    bench.host.<Void>await(done -> bench.log.truncateTo(7, done));
                    assertEquals(6, bench.log.logEndOffset());
                } else {
                    bench.host.<Long>await(done -> bench.log.deleteBefore(14, done));
                    bench.log.housekeep(bench.host.clock().wallMillis());
                }
                bench.host.runFor(5_000);
                assertEquals(0, rounds[0], "seed " + seed);
                assertNull(bench.log.damage(), "seed " + seed);
            }
            assertEquals(List.of(), told.lines());
        }
    }

    private static void scrubAgain(LogBench bench, int[] rounds) {
        if (rounds[0] > 0) {
            bench.log.scrub(100, (bytes, failure) -> {
                rounds[0]--;
                bench.host.ports().timers().after(1, () -> scrubAgain(bench, rounds));
            });
        }
    }

    private static LogBench rottenAfterCleanStop(boolean closed, int victim, int field) {
        LogBench bench = new LogBench(1, closed ? LogBench.tiny("internal.segment.bytes", "600") : LogBench.tiny());
        bench.open();
        for (int i = 0; i < BATCHES; i++) {
            bench.append(2);
        }
        bench.host.runFor(10_000);
        bench.cleanRestart();
        String path = bench.segment(0, SegmentFiles.LOG);
        int size = BatchHeader.sizeInBytes(ByteBuffer.wrap(bench.host.disk().content(path)), 0);
        bench.host.disk().rot(path, victim * size + field, 1);
        return bench;
    }
}
