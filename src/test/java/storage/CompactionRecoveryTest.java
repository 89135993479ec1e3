package storage;

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
import records.BatchHeader;
import records.Codec;

/** What a log that was compacted is to the next process, and to producers (rules P1, P4, S8). */
final class CompactionRecoveryTest {

    private static CompactionLab lab(int keys) {
        return new CompactionLab(9, LogBench.tiny("cleanup.policy", "compact"), List.of(Codec.NONE), keys);
    }

    private static List<String> shape(CompactionLab lab) {
        List<String> all = new ArrayList<>();
        for (ByteBuffer batch : lab.batches()) {
            all.add(BatchHeader.baseOffset(batch, 0) + "+" + BatchHeader.recordCount(batch, 0));
        }
        return all;
    }

    /** Holes are no rot, also when nothing says any more that the log was compacted. */
    @Test
    void aLogThatIsNotCompactedAnyMoreIsNotDamaged() {
        CompactionLab lab = lab(3);
        for (int i = 0; i < 60; i++) {
            lab.append(-1, false);
        }
        lab.host().runFor(200);
        assertNotNull(lab.clean());
        List<String> before = shape(lab);
        lab.bench.config = LogBench.tiny();
        lab.host().disk().put("recovery-point-offset-checkpoint", new byte[0]);
        lab.host().disk().put("cleaner-offset-checkpoint", new byte[0]);
        lab.bench.kill();
        assertNull(lab.log().damage());
        assertEquals(-1, lab.log().cleanedTo());
        assertEquals(before, shape(lab));
    }

    /** The last five batches of a producer are known as repeats after all that the log tells of them is their places. */
    @Test
    void repeatsAreKnownFromTheLogAlone() {
        CompactionLab lab = lab(1);
        List<ByteBuffer> sent = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ByteBuffer batch = lab.batch(5, false, List.of("k0", "k0"), 0);
            ByteBuffer copy = ByteBuffer.allocate(batch.remaining())
                    .put(batch.duplicate())
                    .flip();
            sent.add(copy);
            lab.bench.append(batch);
        }
        for (int i = 0; i < 40; i++) {
            lab.append(-1, false);
        }
        lab.host().runFor(200);
        assertNotNull(lab.clean());
        assertEquals(
                5,
                lab.batches().stream()
                        .filter(batch -> BatchHeader.producerId(batch, 0) == 5)
                        .peek(batch -> assertEquals(0, BatchHeader.recordCount(batch, 0)))
                        .count());
        lab.bench.host = lab.host().kill();
        for (String line : lab.host().disk().tree()) {
            if (line.contains(".snapshot ")) {
                lab.host().disk().put(line.substring(0, line.lastIndexOf(' ')), new byte[] {1});
            }
        }
        lab.bench.open();
        for (int i = 2; i < 7; i++) {
            AppendResult again = lab.bench.append(sent.get(i).duplicate());
            assertTrue(again.duplicate(), "batch " + i);
            assertEquals(i * 2L, again.baseOffset());
        }
        assertEquals(
                FailureCode.OUT_OF_ORDER_SEQUENCE,
                lab.bench.appendFails(sent.get(1).duplicate()).code());
    }

    /** Rule T8: else that index would be written over the one of the segment that came in its place. */
    @Test
    void aSegmentWhoseIndexAStartHadNoRoomForIsNotReplacedYet() {
        int cleaned = 0;
        for (long seed = 0; seed < 20; seed++) {
            CompactionLab lab =
                    new CompactionLab(seed, LogBench.tiny("cleanup.policy", "compact"), List.of(Codec.NONE), 4);
            for (int i = 0; i < 120; i++) {
                lab.write();
                if (i == 60) {
                    // So that the next one has small segments to put together, and markers of nothing.
                    lab.host().runFor(200);
                    lab.clean();
                }
            }
            for (long producer : List.copyOf(lab.open.keySet())) {
                lab.endTransaction(producer, false);
            }
            lab.host().runFor(1000);
            lab.bench.checkpoint();
            lab.bench.host = lab.host().kill();
            startWithoutRoomForIndexes(lab);
            boolean beingWritten = seed % 2 == 0;
            if (beingWritten) {
                lab.log().housekeep(lab.host().clock().wallMillis());
            }
            lab.clean();
            lab.log().housekeep(lab.host().clock().wallMillis());
            lab.host().runFor(1000);
            checkCommitted(lab, seed);
            cleaned += lab.clean() == null ? 0 : 1;
            checkCommitted(lab, seed);
            lab.bench.cleanRestart();
            checkCommitted(lab, seed);
        }
        assertTrue(cleaned > 10, "only " + cleaned);
    }

    /** There is room again afterwards. */
    private static void startWithoutRoomForIndexes(CompactionLab lab) {
        for (String line : lab.host().disk().tree()) {
            if (line.contains(SegmentFiles.TRANSACTION_INDEX + ' ')) {
                lab.host().disk().put(line.substring(0, line.lastIndexOf(' ')), new byte[] {1});
            }
        }
        lab.host().disk().capacity(1);
        lab.bench.open();
        lab.host().disk().capacity(Long.MAX_VALUE / 4);
    }

    private static void checkCommitted(CompactionLab lab, long seed) {
        lab.log().advanceHighWatermark(lab.log().logEndOffset());
        Map<String, CompactionLab.Entry> last = new LinkedHashMap<>();
        for (CompactionLab.Entry each : lab.committed()) {
            assertEquals(lab.valid.get(each.offset()), each, "seed " + seed + ": aborted or unknown");
            last.put(each.key(), each);
        }
        lab.latest(Long.MAX_VALUE).forEach((key, entry) -> {
            boolean deleted = entry.value() == null && !last.containsKey(key);
            assertTrue(deleted || entry.equals(last.get(key)), () -> "seed " + seed + ": missed " + entry);
        });
    }
}
