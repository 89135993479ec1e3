package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import common.Mutations;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;

/** Rules S7 and S8: what is torn is cut, what is rotten is not, nothing valid is dropped. */
final class TornTailTest {

    /** A log of five batches of two records (offsets 0 to 9) in one segment; the process is dead. */
    private static LogBench stopped() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "1000000"));
        bench.open();
        for (int i = 0; i < 5; i++) {
            bench.append(bench.batch(2, new BatchBuilder.Producer(7, (short) 0, i * 2, false)));
        }
        bench.host = bench.host.kill();
        return bench;
    }

    private static byte[] content(LogBench bench) {
        return bench.host.disk().content(bench.segment(0, SegmentFiles.LOG));
    }

    @Test
    void tailCutAtEachByteOfTheLastBatch_S7() {
        LogBench first = stopped();
        byte[] whole = content(first);
        int size = whole.length / 5;
        for (int cut = size * 4 + 1; cut < whole.length; cut++) {
            for (Tail tail : Tail.values()) {
                byte[] torn = tail.of(whole, cut);
                boolean sameByChance =
                        torn.length >= whole.length && Arrays.equals(torn, 0, whole.length, whole, 0, whole.length);
                if (sameByChance) {
                    continue;
                }
                LogBench bench = stopped();
                bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), torn);
                bench.open();
                assertEquals(8, bench.log.logEndOffset(), tail + " from byte " + cut);
                assertNull(bench.log.damage(), tail + " from byte " + cut);
                assertEquals(List.of(0L, 2L, 4L, 6L), bench.bases(0));
                assertEquals(size * 4, content(bench).length, "cut off and gone");
                assertEquals(7, bench.log.activeProducers().get(0).lastSequence(), "P4");
                AppendResult next = bench.append(bench.batch(2, new BatchBuilder.Producer(7, (short) 0, 8, false)));
                assertEquals(8, next.baseOffset());
            }
        }
    }

    private enum Tail {
        SHORT,
        ZEROES,
        JUNK;

        byte[] of(byte[] whole, int cut) {
            byte[] torn = Arrays.copyOf(whole, cut);
            return switch (this) {
                case SHORT -> torn;
                case ZEROES -> Arrays.copyOf(torn, whole.length + 5000);
                case JUNK -> {
                    byte[] junk = Arrays.copyOf(torn, whole.length + 100);
                    for (int i = cut; i < junk.length; i++) {
                        junk[i] = (byte) (i * 31 + (i >> 3) + 2);
                    }
                    yield junk;
                }
            };
        }
    }

    @Test
    void bitFlippedAnywhereInAMiddleBatchIsNoTornTail_S8() {
        LogBench first = stopped();
        byte[] whole = content(first);
        int size = whole.length / 5;
        for (int at = size * 2; at < size * 3; at++) {
            byte[] rotten = whole.clone();
            rotten[at] ^= 0x40;
            LogBench bench = stopped();
            bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), rotten);
            bench.open();
            assertNotNull(bench.log.damage(), "byte " + at);
            assertEquals(10, bench.log.logEndOffset(), "byte " + at);
            assertEquals(List.of(0L, 2L), bench.bases0To(4), "byte " + at);
            assertEquals(List.of(6L, 8L), bench.bases(6), "byte " + at);
            assertEquals(FailureCode.CORRUPT_BATCH, bench.readFails(4).code());
            assertEquals(FailureCode.CORRUPT_BATCH, bench.readFails(5).code());
            assertEquals(10, bench.append(1).baseOffset(), "appends go on");
            assertEquals(List.of(6L, 8L, 10L), bench.bases(6));
            assertEquals(whole.length, content(bench).length - bench.batch(1).remaining(), "nothing was cut");
        }
    }

    /**
     * A lost page may end inside of a batch's header: base offset and epoch are not under the checksum, so the batch is valid, at another offset. What is
     * read at an offset is what was written there, or nothing.
     */
    @Test
    void pageLostUpToAnyByteOfAHeaderMovesNoBatch_S8() {
        byte[] whole = content(stopped());
        int size = whole.length / 5;
        for (int torn = 1; torn < 5; torn++) {
            for (int from = 0; from < torn; from++) {
                for (int cut = 0; cut <= BatchHeader.SIZE; cut++) {
                    byte[] lost = whole.clone();
                    Arrays.fill(lost, from * size, torn * size + cut, (byte) 0);
                    String where = "batches " + from + " to " + torn + ", byte " + cut;
                    LogBench bench = stopped();
                    bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), lost);
                    bench.open();
                    int read = unmoved(bench, where);
                    boolean restRead = cut == 0 || torn < 4;
                    assertTrue(read >= (restRead ? from + 4 - torn : from), where + ": only " + read + " are read");
                }
            }
        }
    }

    /** How many batches are read; each must be at the offset that its sequence, which is under the checksum, tells. */
    private static int unmoved(LogBench bench, String where) {
        int read = 0;
        for (long offset = 0; offset < bench.log.logEndOffset(); offset += 2) {
            long at = offset;
            ReadResult found = bench.host
                    .<ReadResult>awaitOutcome(done -> bench.log.read(at, 1, true, ReadBound.LOG_END, done))
                    .value();
            if (found != null && found.range() != null) {
                ByteBuffer batch = ByteBuffer.wrap(LogBench.bytes(found.range()));
                assertEquals(BatchHeader.baseSequence(batch, 0), BatchHeader.baseOffset(batch, 0), where);
                assertEquals(offset, BatchHeader.baseOffset(batch, 0), where);
                read++;
            }
        }
        return read;
    }

    /** Room made in advance, behind a segment that was rolled: cut off, and the next segment keeps what it has. */
    @Test
    void zeroesBehindASegmentThatTheNextContinuesCostNothing_S7() {
        for (int zeroes : new int[] {1, 61, 5000, 600_000}) {
            LogBench bench = new LogBench(1, LogBench.tiny()).open();
            for (int i = 0; i < 20; i++) {
                bench.append(2);
            }
            List<Long> bases = bench.bases(0);
            bench.host = bench.host.kill();
            byte[] whole = content(bench);
            bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), Arrays.copyOf(whole, whole.length + zeroes));
            bench.open();
            assertEquals(40, bench.log.logEndOffset(), zeroes + " zeroes");
            assertEquals(bases, bench.bases(0), zeroes + " zeroes");
            assertNull(bench.log.damage());
            assertEquals(whole.length, content(bench).length, "cut off and gone");
        }
    }

    @Test
    void rotBelowTheRecoveryPointIsNotCutAtTheEnd_S8() {
        LogBench bench = new LogBench(1, LogBench.tiny("flush.messages", "1"));
        bench.open();
        for (int i = 0; i < 3; i++) {
            bench.append(2);
        }
        bench.checkpoint();
        bench.host = bench.host.kill();
        byte[] rotten = content(bench);
        rotten[rotten.length - 3] ^= 1;
        bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), rotten);
        bench.open();
        // The recovery point stands behind the rotten batch: bytes below it are only walked by header, so this is found
        // by a reader, not by the start.
        assertEquals(6, bench.log.logEndOffset());
        bench.host = bench.host.kill();
        bench.host.disk().put(bench.segment(0, SegmentFiles.LOG), Arrays.copyOf(rotten, rotten.length - 3));
        bench.open();
        assertNotNull(bench.log.damage());
        assertEquals(6, bench.log.logEndOffset(), "no offset is used twice (I11)");
        assertEquals(FailureCode.CORRUPT_BATCH, bench.readFails(4).code());
        assertEquals(6, bench.append(1).baseOffset());
        assertEquals(List.of(6L), bench.bases(6));
    }

    @Test
    void mutantsAreSeen() {
        LogBench first = stopped();
        byte[] whole = content(first);
        int size = whole.length / 5;
        byte[] rotten = whole.clone();
        rotten[size * 2 + 70] ^= 1;
        first.host.disk().put(first.segment(0, SegmentFiles.LOG), rotten);
        first.open(mutation("cut-at-rot"));
        assertEquals(4, first.log.logEndOffset());

        LogBench dropped = stopped();
        dropped.open(mutation("valid-tail-batch-dropped"));
        assertEquals(8, dropped.log.logEndOffset());

        LogBench stale = stopped();
        stale.open(mutation("stale-producer-snapshot"));
        assertTrue(stale.log.activeProducers().isEmpty());
    }

    static Mutations mutation(String name) {
        return asked -> asked.equals(name);
    }
}
