package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import records.Codec;
import sim.DiskFaults;
import sim.QuietLogs;
import sim.SimCrash;
import storage.CompactionLab.Entry;

/**
 * Rules K1, K3, K4, K6, S8 together: random histories whose closed segments rot now and then, cleaned again and again; then everything is whole again, as after
 * the files were brought back from a copy, and the log must be what was written.
 */
@ExtendWith(QuietLogs.class)
final class CompactionDamagePropertyTest {

    private static final int SEEDS = 60;
    private static final long DELETE_RETENTION = 20_000;

    @Test
    void whatIsDamagedCostsNothingElse() {
        int beyond = 0;
        int hidden = 0;
        int crashes = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                Run run = new Run(seed);
                run.all();
                beyond += run.beyond;
                hidden += run.hidden;
                crashes += run.crashes;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(beyond > SEEDS, "only " + beyond + " cleanings went on behind a damaged segment");
        assertTrue(hidden > SEEDS, "only " + hidden + " latest values were in something damaged");
        assertTrue(crashes > SEEDS / 4, "only " + crashes + " cleanings crashed");
    }

    /** A bit that was turned. */
    private record Rot(String path, long position, int bit, byte[] content) {}

    private static final class Run {
        private final CompactionLab lab;
        private final List<Rot> rots = new ArrayList<>();
        int beyond;
        int hidden;
        int crashes;
        /** Up to here, if not further, has been cleaned. */
        private long everCleaned;

        Run(long seed) {
            String retention = Long.toString(DELETE_RETENTION);
            lab = new CompactionLab(
                    seed,
                    LogBench.tiny("cleanup.policy", "compact", "delete.retention.ms", retention, "flush.messages", "1"),
                    seed % 2 == 0 ? List.of(Codec.NONE) : List.of(Codec.values()),
                    seed % 3 == 0 ? 40 : 8);
        }

        void all() {
            for (int round = 0; round < 8; round++) {
                writeSome(true);
                if (lab.random.chance(0.5) && rots.size() < 3) {
                    rot();
                }
                boolean known = lab.random.chance(0.5);
                Map<String, Entry> before = known ? read() : null;
                CleaningReport report = lab.clean();
                stayed();
                Map<String, Entry> after = read();
                if (before != null) {
                    equal(before, after);
                }
                againstModel(after);
                countBeyond(report);
            }
            if (lab.random.chance(0.6)) {
                restartedDamaged();
            }
            mend();
            for (int round = 0; round < 4; round++) {
                againstModel(read());
                writeSome(true);
                lab.clean();
            }
            againstModel(read());
        }

        /** Where markers are not readable, who reads meets another truth; nothing of the right one may go. */
        private void restartedDamaged() {
            restart();
            for (int round = 0; round < 3; round++) {
                writeSome(false);
                if (lab.random.chance(0.5)) {
                    crashedCleaning();
                } else {
                    lab.clean();
                }
                everCleaned = Math.max(everCleaned, lab.log().cleanedTo());
                stayed();
            }
        }

        private void crashedCleaning() {
            int[] left = {lab.random.below(25)};
            lab.host()
                    .disk()
                    .faults((operation, path, number) -> operation != DiskFaults.Operation.READ && left[0]-- == 0
                            ? DiskFaults.Fault.CRASH_AFTER
                            : DiskFaults.Fault.NONE);
            try {
                lab.clean();
            } catch (SimCrash crash) {
                crashes++;
            }
            everCleaned = Math.max(everCleaned, lab.log().lastStableOffset());
            lab.host().disk().faults(DiskFaults.NONE);
            lab.bench.kill();
            lab.log().advanceHighWatermark(lab.log().logEndOffset());
        }

        private void restart() {
            if (lab.random.chance(0.5)) {
                lab.bench.cleanRestart();
            } else {
                lab.bench.checkpoint();
                lab.bench.kill();
            }
            lab.log().advanceHighWatermark(lab.log().logEndOffset());
        }

        private void writeSome(boolean producers) {
            int writes = 10 + lab.random.below(25);
            for (int i = 0; i < writes; i++) {
                if (producers) {
                    lab.write();
                } else {
                    lab.append(-1, false);
                }
            }
            lab.host().runFor(200);
            if (lab.random.chance(0.6)) {
                lab.host().runFor(DELETE_RETENTION * 2 / 3);
            }
        }

        /** A bit of a closed segment turns, one that a checksum or the batches around it tell of. */
        private void rot() {
            List<String> closed = new ArrayList<>();
            for (String line : lab.host().disk().tree()) {
                if (line.contains(".log ")) {
                    closed.add(line.substring(0, line.lastIndexOf(' ')));
                }
            }
            closed.remove(closed.size() - 1);
            rots.forEach(each -> closed.remove(each.path));
            if (closed.isEmpty()) {
                return;
            }
            String path = closed.get(lab.random.below(closed.size()));
            ByteBuffer content = ByteBuffer.wrap(lab.host().disk().content(path));
            List<Integer> starts = new ArrayList<>();
            for (int at = 0; at < content.limit(); at += BatchHeader.sizeInBytes(content, at)) {
                starts.add(at);
            }
            int start = starts.get(lab.random.below(starts.size()));
            int inside =
                    BatchHeader.MAGIC + lab.random.below(BatchHeader.sizeInBytes(content, start) - BatchHeader.MAGIC);
            int bit = lab.random.below(8);
            lab.host().disk().rot(path, start + inside, bit);
            rots.add(new Rot(path, start + inside, bit, lab.host().disk().content(path)));
        }

        private void stayed() {
            for (Rot each : rots) {
                assertArrayEquals(each.content, lab.host().disk().content(each.path), "K6: " + each.path);
            }
        }

        /** The last record of each key that a read_committed consumer gets; what is damaged it passes over, so all rot is found first: readers check no checksums. */
        private Map<String, Entry> read() {
            while (lab.host().<Integer>await(done -> lab.log().scrub(1 << 20, done)) > 0) {
                // Goes on.
            }
            Map<String, Entry> last = new LinkedHashMap<>();
            long next = lab.log().logStartOffset();
            while (next < lab.log().lastStableOffset()) {
                long from = next;
                var outcome = lab.host()
                        .<ReadResult>awaitOutcome(
                                done -> lab.log().read(from, 400, true, ReadBound.LAST_STABLE_OFFSET, done));
                if (outcome.failure() != null) {
                    assertEquals(FailureCode.CORRUPT_BATCH, outcome.failure().code());
                    next = behindDamage(next);
                    continue;
                }
                assertNotNull(
                        outcome.value().range(),
                        () -> "nothing at " + from + ", " + lab.log().damage());
                next = take(outcome.value(), last);
                assertTrue(next > from);
            }
            return last;
        }

        private long behindDamage(long offset) {
            for (OffsetRange each : lab.log().damagedOffsets()) {
                if (each.from() <= offset && offset < each.to()) {
                    return each.to();
                }
            }
            throw new AssertionError("no damage at " + offset + ": " + lab.log().damage());
        }

        private static long take(ReadResult result, Map<String, Entry> last) {
            ByteBuffer all = ByteBuffer.wrap(LogBench.bytes(result.range()));
            long next = -1;
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                long base = BatchHeader.baseOffset(all, at);
                long producer = BatchHeader.producerId(all, at);
                boolean aborted = BatchHeader.isTransactional(all, at)
                        && result.aborted().stream()
                                .anyMatch(each -> each.producerId() == producer
                                        && each.firstOffset() <= base
                                        && !endsBetween(all, each.firstOffset(), producer, base));
                if (!aborted && !BatchHeader.isControl(all, at)) {
                    CompactionLab.entries(all.slice(at, BatchHeader.sizeInBytes(all, at)))
                            .forEach(each -> last.put(each.key(), each));
                }
                next = BatchHeader.nextOffset(all, at);
            }
            return next;
        }

        /** Whether the producer's transaction that began at {@code first} has its marker in the range before {@code base}. */
        private static boolean endsBetween(ByteBuffer all, long first, long producer, long base) {
            for (int at = 0; at < all.limit(); at += BatchHeader.sizeInBytes(all, at)) {
                boolean marker = BatchHeader.isControl(all, at) && BatchHeader.producerId(all, at) == producer;
                long offset = BatchHeader.baseOffset(all, at);
                if (marker && offset > first && offset < base) {
                    return true;
                }
            }
            return false;
        }

        /** Rule K1: what could be read before can be read, but for tombstones. */
        private static void equal(Map<String, Entry> before, Map<String, Entry> after) {
            before.forEach((key, entry) -> {
                Entry now = after.get(key);
                if (entry.value() != null || now != null) {
                    assertEquals(entry, now, "K1: " + key);
                }
            });
            after.forEach((key, entry) -> assertEquals(before.get(key), entry, "K1: " + key));
        }

        private void againstModel(Map<String, Entry> read) {
            if (lab.log().lastStableOffset() < everCleaned) {
                // A process that could not read the beginning of a transaction did not know that it is open (T8).
                return;
            }
            List<OffsetRange> damaged = lab.log().damagedOffsets();
            lab.latest(lab.log().lastStableOffset()).forEach((key, latest) -> {
                Entry now = read.get(key);
                boolean lost = damaged.stream()
                        .anyMatch(each -> each.from() <= latest.offset() && latest.offset() < each.to());
                hidden += lost ? 1 : 0;
                if (lost) {
                    assertTrue(now == null || now.equals(lab.valid.get(now.offset())), () -> "never written: " + now);
                } else if (latest.value() == null) {
                    assertTrue(now == null || now.equals(latest), () -> "K3: deleted, but " + now);
                } else {
                    assertEquals(latest, now, "K1: " + key);
                }
            });
        }

        private void countBeyond(CleaningReport report) {
            List<OffsetRange> damaged = lab.log().damagedOffsets();
            boolean behind = report != null
                    && !damaged.isEmpty()
                    && report.end() > damaged.get(0).to();
            beyond += behind ? 1 : 0;
        }

        /** All is whole again at the next start; and at the one after it, if that one did not last. */
        private void mend() {
            for (Rot each : rots) {
                lab.host().disk().rot(each.path, each.position, each.bit);
            }
            restart();
            if (lab.random.chance(0.3)) {
                lab.bench.kill();
                lab.log().advanceHighWatermark(lab.log().logEndOffset());
            }
            assertNull(lab.log().damage());
        }
    }
}
