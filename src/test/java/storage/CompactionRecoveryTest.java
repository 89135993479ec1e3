package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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
}
