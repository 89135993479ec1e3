package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import records.BatchHeader;
import records.Codec;
import sim.DiskFaults;
import sim.QuietLogs;
import storage.CompactionLab.Entry;

/** Rules K1, K3, K6: what compaction may not take away while a segment is damaged, since that may be whole again later. */
@ExtendWith(QuietLogs.class)
final class CompactionDamageTest {

    private static final long DELETE_RETENTION = 20_000;
    private static final int BIT = 3;

    private final CompactionLab lab = new CompactionLab(
            9,
            LogBench.tiny("cleanup.policy", "compact", "delete.retention.ms", "20000", "flush.messages", "1"),
            List.of(Codec.NONE),
            5);

    private void put(String key) {
        lab.append(-1, false, List.of(key), 0);
    }

    private long delete(String key) {
        return lab.append(-1, false, List.of(key), 1).baseOffset();
    }

    /** So that what was written lies in closed segments. */
    private void roll() {
        for (int i = 0; i < 20; i++) {
            put("other" + i % 2);
        }
        lab.host().runFor(100);
    }

    private void later() {
        lab.host().runFor(DELETE_RETENTION * 2);
        roll();
        assertNotNull(lab.clean());
    }

    /** A byte in the records of the batch at {@code offset}, which is in a closed segment; the same again makes it whole. */
    private void rot(long offset) {
        String path = null;
        for (String line : lab.host().disk().tree()) {
            String name = line.split(" ", -1)[0];
            boolean below =
                    name.endsWith(SegmentFiles.LOG) && name.compareTo(lab.bench.segment(offset, SegmentFiles.LOG)) <= 0;
            path = below ? name : path;
        }
        ByteBuffer content = ByteBuffer.wrap(lab.host().disk().content(path));
        int at = 0;
        while (BatchHeader.baseOffset(content, at) < offset) {
            at += BatchHeader.sizeInBytes(content, at);
        }
        assertEquals(offset, BatchHeader.baseOffset(content, at));
        lab.host().disk().rot(path, at + BatchHeader.SIZE + 2L, BIT);
    }

    private void opened() {
        lab.log().advanceHighWatermark(lab.log().logEndOffset());
    }

    /** What lies there of a key, from {@code offset} on. */
    private List<Entry> of(String key, long offset) {
        List<Entry> all = new ArrayList<>();
        long next = offset;
        while (next < lab.log().logEndOffset()) {
            ByteBuffer batches = ByteBuffer.wrap(LogBench.bytes(
                    lab.bench.read(next, 1 << 20, ReadBound.LOG_END).range()));
            for (int at = 0; at < batches.limit(); at += BatchHeader.sizeInBytes(batches, at)) {
                if (!BatchHeader.isControl(batches, at)) {
                    all.addAll(CompactionLab.entries(batches.slice(at, BatchHeader.sizeInBytes(batches, at))));
                }
                next = BatchHeader.nextOffset(batches, at);
            }
        }
        all.removeIf(each -> !each.key().equals(key));
        return all;
    }

    private boolean noted() {
        return lab.host().disk().tree().stream().anyMatch(line -> line.contains(DamageNote.FILE_NAME + " "));
    }

    @Test
    void aTombstoneWaitsUntilWhatItHidesIsGone_K3() {
        put("a");
        roll();
        long tombstone = delete("a");
        roll();
        rot(0);
        assertNotNull(lab.clean());
        later();
        later();
        assertEquals(1, of("a", 1).size(), "the value may come back");
        rot(0);
        lab.bench.cleanRestart();
        opened();
        assertNull(lab.log().damage());
        assertEquals(2, of("a", 0).size());
        assertNotNull(lab.clean());
        assertEquals(tombstone, of("a", 0).get(0).offset(), "a reader may just have met the value");
        later();
        assertEquals(List.of(), of("a", 0));
        assertFalse(noted());
    }

    /** Also when its time had begun before: what is damaged may be brought back from an older copy. */
    @Test
    void aTombstoneWhoseTimeHasPassedStaysBehindDamage_K3() {
        put("kept");
        put("a");
        for (int i = 0; i < 20; i++) {
            put("kept" + i);
        }
        long tombstone = delete("a");
        roll();
        assertNotNull(lab.clean());
        assertEquals(List.of(tombstone), of("a", 0).stream().map(Entry::offset).toList());
        rot(0);
        later();
        later();
        assertEquals(tombstone, of("a", tombstone).get(0).offset());
    }

    /** The marker lies behind the damage, the records in it: without their marker the next one would count for them. */
    @Test
    void aMarkerStaysWhileItsRecordsMayBeDamaged_K4() {
        for (boolean commit : new boolean[] {true, false}) {
            CompactionDamageTest one = new CompactionDamageTest();
            one.recordsOfAMarkerAreDamaged(commit);
        }
    }

    private void recordsOfAMarkerAreDamaged(boolean commit) {
        lab.append(10, true, List.of("a"), 0);
        roll();
        lab.endTransaction(10, commit);
        roll();
        for (int i = 0; i < 7; i++) {
            lab.append(10, true, List.of("b"), 0);
            lab.endTransaction(10, !commit);
        }
        roll();
        rot(0);
        assertNotNull(lab.clean());
        later();
        later();
        rot(0);
        lab.bench.kill();
        opened();
        assertEquals(lab.log().logEndOffset(), lab.log().lastStableOffset());
        later();
        assertEquals(
                commit, lab.committed().stream().anyMatch(each -> each.key().equals("a")));
    }

    /** Both in the part of the damaged segment that can be read: no cleaning has rewritten it. */
    @Test
    void whatWasGoneAroundIsCleanedAnewOnceItIsWhole_K3() {
        put("a");
        long tombstone = delete("a");
        put("rotten");
        roll();
        rot(tombstone + 1);
        assertNotNull(lab.clean());
        long cleaned = lab.log().cleanedTo();
        assertTrue(cleaned > tombstone + 1);
        later();
        lab.bench.checkpoint();
        assertTrue(noted());
        rot(tombstone + 1);
        for (int i = 0; i < 3; i++) {
            // None of these processes gets to write a checkpoint.
            lab.bench.kill();
            opened();
            assertTrue(lab.log().cleanedTo() <= tombstone);
            assertTrue(noted());
        }
        later();
        assertEquals(1, of("a", 0).size());
        assertFalse(noted());
        later();
        assertEquals(List.of(), of("a", 0));
    }

    /** The index of aborted transactions is made anew by a start that cannot read a marker: what it says then must not decide what goes. */
    @Test
    void aMarkerThatCannotBeReadDecidesNothing_K1() {
        for (boolean commit : new boolean[] {true, false}) {
            CompactionDamageTest one = new CompactionDamageTest();
            one.aMarkerIsDamaged(commit);
        }
    }

    private void aMarkerIsDamaged(boolean commit) {
        put("a");
        lab.append(10, true, List.of("a"), 0);
        roll();
        lab.endTransaction(10, commit);
        long marker = lab.log().logEndOffset() - 1;
        roll();
        lab.append(10, true, List.of("b"), 0);
        lab.endTransaction(10, !commit);
        roll();
        rot(marker);
        lab.bench.checkpoint();
        while (lab.host().<Integer>await(done -> lab.log().scrub(1 << 20, done)) > 0) {
            // Goes on.
        }
        lab.bench.kill();
        opened();
        assertNotNull(lab.log().damage());
        assertNotNull(lab.clean());
        rot(marker);
        lab.bench.kill();
        opened();
        assertNull(lab.log().damage());
        long latest = lab.latest(Long.MAX_VALUE).get("a").offset();
        assertEquals(commit ? 1 : 0, latest);
        List<Entry> read = lab.committed();
        read.removeIf(each -> !each.key().equals("a"));
        assertEquals(latest, read.get(read.size() - 1).offset(), "transaction committed: " + commit);
        assertNotNull(lab.clean());
        List<Entry> again = lab.committed();
        again.removeIf(each -> !each.key().equals("a"));
        assertEquals(List.of(lab.latest(Long.MAX_VALUE).get("a")), again);
    }

    /** A process that could not read a producer's last batch has made snapshots without it. */
    @Test
    void whatIsWholeAgainCountsForProducersToo_P4() {
        put("a");
        lab.append(1, false, List.of("b", "c"), 0);
        long last = lab.append(1, false, List.of("b", "c"), 0).baseOffset();
        roll();
        rot(last);
        lab.bench.checkpoint();
        while (lab.host().<Integer>await(done -> lab.log().scrub(1 << 20, done)) > 0) {
            // Goes on.
        }
        lab.bench.kill();
        opened();
        roll();
        lab.bench.cleanStop();
        rot(last);
        for (int i = 0; i < 2; i++) {
            lab.bench.kill();
            opened();
        }
        assertNull(lab.log().damage());
        assertFalse(noted());
        assertFalse(lab.append(1, false, List.of("b"), 0).duplicate());
    }

    /** Offsets are under no checksum. */
    @Test
    void aBatchWithARottenOffsetIsNotRewritten_K6() {
        for (int bit : new int[] {0, 2, 5}) {
            CompactionDamageTest one = new CompactionDamageTest();
            one.anOffsetIsRotten(bit);
        }
    }

    private void anOffsetIsRotten(int bit) {
        for (int i = 0; i < 40; i++) {
            put("k" + i % 3);
        }
        lab.host().runFor(100);
        String path = lab.bench.segment(0, SegmentFiles.LOG);
        ByteBuffer content = ByteBuffer.wrap(lab.host().disk().content(path));
        int second = BatchHeader.sizeInBytes(content, 0);
        lab.host().disk().rot(path, second + 7L, bit);
        byte[] rotten = lab.host().disk().content(path);
        assertNotNull(lab.clean());
        assertArrayEquals(rotten, lab.host().disk().content(path));
        assertNotNull(lab.log().damage());
        assertTrue(lab.log().cleanedTo() > 20);
    }

    /** Without the note a later start would not know what was gone around. */
    @Test
    void whatCannotBeNotedIsNotGoneAround() {
        put("a");
        roll();
        rot(0);
        lab.host()
                .disk()
                .faults((operation, path, number) ->
                        path.contains(DamageNote.FILE_NAME) && operation != DiskFaults.Operation.READ
                                ? DiskFaults.Fault.ERROR
                                : DiskFaults.Fault.NONE);
        assertEquals(
                FailureCode.STORAGE_ERROR,
                lab.host()
                        .<CleaningReport>awaitFailure(done -> lab.log().clean(lab.tools(), done))
                        .code());
        assertEquals(-1, lab.log().cleanedTo());
        lab.host().disk().faults(DiskFaults.NONE);
        assertNotNull(lab.clean());
        assertTrue(noted());
    }
}
