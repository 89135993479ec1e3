package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import common.Mutations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import records.BatchHeader;
import records.Codec;
import sim.LoggedLines;
import storage.CompactionLab.Entry;

/** Everything that can go on while a log is cleaned: reads, appends, look-ups by time, deletion of a prefix, retention, stops. Disk jobs come in any order. */
final class CompactionRacesTest {

    private static final int SEEDS = 80;
    private static final int MOST_READS = 20_000;

    @Test
    void readersMissNothing() {
        int cleaned = 0;
        int held = 0;
        try (LoggedLines told = new LoggedLines("storage.LogScrub")) {
            for (long seed = 0; seed < SEEDS; seed++) {
                try {
                    Run run = new Run(seed, Mutations.NONE);
                    run.all();
                    cleaned += run.cleaned;
                    held += run.held;
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed, e);
                }
            }
            assertEquals(List.of(), told.lines());
        }
        assertTrue(cleaned > SEEDS * 3, "only " + cleaned + " cleanings");
        assertTrue(held > SEEDS, "only " + held + " ranges were read after their segments had gone");
    }

    @Test
    void aSwapThatDoesNotMindReadersIsFound() {
        Throwable found = null;
        for (long seed = 0; seed < SEEDS && found == null; seed++) {
            try {
                new Run(seed, "swap-under-readers"::equals).all();
            } catch (RuntimeException | AssertionError e) {
                found = e;
            }
        }
        assertNotNull(found);
    }

    /** They look into the indexes of aborted transactions by name, and come faster than the last one ends. */
    @Test
    void readersThatNeverPauseHoldUpNoSwap() {
        CompactionLab lab = new CompactionLab(
                3, LogBench.tiny("cleanup.policy", "compact"), List.of(Codec.NONE), 4, Mutations.NONE);
        for (int i = 0; i < 12; i++) {
            lab.append(10, true, List.of("k0", "k1"), 0);
            lab.endTransaction(10, false);
            lab.append(-1, false, List.of("k0", "k1"), 0);
        }
        lab.host().runFor(200);
        List<CleaningReport> reports = new ArrayList<>();
        int[] reads = {0};
        for (int i = 0; i < 40; i++) {
            readUntil(lab, reports, reads);
        }
        lab.cleanAsync((report, failure) -> {
            assertNull(failure);
            reports.add(report);
        });
        lab.host().runFor(60_000);
        assertTrue(reads[0] < MOST_READS, "the cleaning waits until nobody reads");
        assertTrue(reports.get(0).bytesAfter() < reports.get(0).bytesBefore());
        assertEquals(2, lab.committed().stream().map(Entry::key).distinct().count());
    }

    private static void readUntil(CompactionLab lab, List<CleaningReport> reports, int[] reads) {
        lab.log().read(0, 400, true, ReadBound.LAST_STABLE_OFFSET, (result, failure) -> {
            assertNull(failure);
            result.range().release();
            if (++reads[0] < MOST_READS && reports.isEmpty()) {
                readUntil(lab, reports, reads);
            }
        });
    }

    private static final class Run {
        private final CompactionLab lab;
        private final List<FileRange> ranges = new ArrayList<>();
        private final List<byte[]> heldBytes = new ArrayList<>();
        private boolean cleaning;
        private boolean scrubbing;
        int cleaned;
        int held;

        Run(long seed, Mutations mutations) {
            String[] settings = seed % 2 == 0
                    ? new String[] {"cleanup.policy", "compact", "delete.retention.ms", "5000"}
                    : new String[] {"cleanup.policy", "compact,delete", "retention.bytes", "4000"};
            lab = new CompactionLab(seed, LogBench.tiny(settings), List.of(Codec.NONE), 8, mutations);
            lab.rate = seed % 3 == 0 ? 200_000 : Double.MAX_VALUE;
        }

        void all() {
            for (int i = 0; i < 30; i++) {
                lab.write();
            }
            lab.host().runFor(200);
            for (int i = 0; i < 180; i++) {
                if (!cleaning && lab.random.chance(0.3)) {
                    beginCleaning();
                }
                step();
            }
            letGo();
            lab.host().runFor(5_000);
            assertNull(lab.log().damage());
            int before = lab.host().disk().openHandles();
            assertTrue(before <= lab.bench.limits.openFiles(), before + " files are open");
            stop();
        }

        private void beginCleaning() {
            cleaning = true;
            lab.cleanAsync((report, failure) -> {
                cleaning = false;
                boolean harmless = failure == null
                        || failure.code() == FailureCode.OVERLOADED
                        || failure.code() == FailureCode.SHUTTING_DOWN;
                assertTrue(harmless, () -> failure.toString());
                cleaned += report == null ? 0 : 1;
            });
        }

        private void step() {
            switch (lab.random.below(11)) {
                case 0, 1, 2 -> lab.write();
                case 3, 4 -> readAll();
                case 5 -> hold();
                case 6 -> lookUp();
                case 8, 9 -> scrub();
                case 7 -> lab.log().housekeep(lab.host().clock().wallMillis());
                default -> {
                    if (lab.random.chance(0.2)) {
                        long to = lab.log().logStartOffset()
                                + lab.random.below((int) (lab.log().highWatermark()
                                                        - lab.log().logStartOffset())
                                                / 4
                                        + 1);
                        lab.host().<Long>await(done -> lab.log().deleteBefore(to, done));
                    } else {
                        lab.host().runFor(lab.random.below(20));
                    }
                }
            }
        }

        private void scrub() {
            if (!scrubbing) {
                scrubbing = true;
                lab.log().scrub(1 + lab.random.below(2_000), (bytes, failure) -> {
                    scrubbing = false;
                    assertNull(lab.log().damage());
                });
            }
        }

        /** One reader from the start to the end, whatever is replaced meanwhile: of each key it ends with the last. */
        private void readAll() {
            Map<String, Entry> before = lab.latest(lab.log().lastStableOffset());
            Map<String, Entry> last = new LinkedHashMap<>();
            List<Entry> got;
            try {
                got = lab.committed();
            } catch (AssertionError e) {
                if (String.valueOf(e.getMessage()).contains("OFFSET_OUT_OF_RANGE")) {
                    return;
                }
                throw e;
            }
            for (Entry each : got) {
                assertNotNull(lab.valid.get(each.offset()), () -> "aborted or unknown: " + each);
                assertEquals(lab.valid.get(each.offset()), each);
                last.put(each.key(), each);
            }
            before.forEach((key, entry) -> {
                boolean deleted = entry.offset() < lab.log().logStartOffset() || entry.value() == null;
                assertTrue(deleted || entry.equals(last.get(key)), () -> "missed " + entry + ", got " + last.get(key));
            });
        }

        /** A range that is still being sent while its segment is replaced. */
        private void hold() {
            if (ranges.size() > 5) {
                letGo();
            }
            long from = lab.log().logStartOffset();
            FileRange range = read(from);
            if (range != null) {
                ByteBuffer copy = ByteBuffer.allocate(range.length());
                readInto(range, copy);
                ranges.add(range);
                heldBytes.add(copy.array());
            }
        }

        /** Null: the log starts behind it by now, or there is nothing. */
        private FileRange read(long from) {
            var outcome = lab.host()
                    .<ReadResult>awaitOutcome(
                            done -> lab.log().read(from, 2_000, true, ReadBound.HIGH_WATERMARK, done));
            assertTrue(
                    outcome.failure() == null || outcome.failure().code() == FailureCode.OFFSET_OUT_OF_RANGE,
                    () -> outcome.failure().toString());
            return outcome.failure() == null ? outcome.value().range() : null;
        }

        private static void readInto(FileRange range, ByteBuffer target) {
            try {
                assertEquals(range.length(), PartitionFiles.readFully(range.file(), target, range.position()));
            } catch (java.io.IOException e) {
                throw new AssertionError(e);
            }
        }

        private void letGo() {
            for (int i = 0; i < ranges.size(); i++) {
                ByteBuffer again = ByteBuffer.allocate(ranges.get(i).length());
                readInto(ranges.get(i), again);
                assertEquals(ByteBuffer.wrap(heldBytes.get(i)), again.flip(), "what is being sent has changed");
                ranges.get(i).release();
                held++;
            }
            ranges.clear();
            heldBytes.clear();
        }

        /** A time finds a record that is not before the latest one of that time. */
        private void lookUp() {
            Map<String, Entry> latest = lab.latest(lab.log().lastStableOffset());
            for (Entry each : latest.values()) {
                if (each.value() == null || each.offset() < lab.log().logStartOffset()) {
                    continue;
                }
                var outcome = lab.host()
                        .<TimestampOffset>awaitOutcome(
                                done -> lab.log().offsetForTimestamp(each.timestamp(), ReadBound.LOG_END, done));
                assertNull(outcome.failure());
                if (each.offset() >= lab.log().logStartOffset()) {
                    assertTrue(
                            outcome.value().offset() >= 0 && outcome.value().offset() <= each.offset(),
                            () -> "time of " + each + " found " + outcome.value());
                }
                return;
            }
        }

        /** A stop in the midst of a cleaning ends it, and the next process finds a whole log. */
        private void stop() {
            for (int i = 0; i < 20; i++) {
                lab.write();
            }
            lab.host().runFor(100);
            beginCleaning();
            lab.host().scheduler().runFor(lab.random.below(2_000_000));
            lab.bench.cleanRestart();
            lab.log().advanceHighWatermark(lab.log().logEndOffset());
            assertNull(lab.log().damage());
            readAll();
            for (String line : lab.host().disk().tree()) {
                assertTrue(!line.contains(".cleaned") && !line.contains(".swap"), line);
            }
            long before = -1;
            for (ByteBuffer batch : lab.batches()) {
                assertTrue(BatchHeader.baseOffset(batch, 0) > before);
                before = BatchHeader.lastOffset(batch, 0);
            }
        }
    }
}
