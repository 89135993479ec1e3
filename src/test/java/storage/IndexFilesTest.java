package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.TimestampOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sim.SimHost;

/** The three index files against Apache Kafka's readers and writers (rule S9). */
class IndexFilesTest {

    private static final int MAX_BYTES = 8 * 1024;

    @TempDir
    Path directory;

    private File write(String name, ByteBuffer content) throws IOException {
        File file = directory.resolve(name).toFile();
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        Files.write(file.toPath(), bytes);
        return file;
    }

    private static ByteBuffer read(File file) throws IOException {
        return !file.exists() ? ByteBuffer.allocate(0) : ByteBuffer.wrap(Files.readAllBytes(file.toPath()));
    }

    @Test
    void kafkaReadsOurOffsetIndexAndWeKafkas() throws IOException {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            long base = random.nextInt(3) * 1_000_000_000_000L;
            OffsetIndex ours = new OffsetIndex(base, MAX_BYTES);
            File file = directory.resolve(seed + "k.index").toFile();
            var kafka = new org.apache.kafka.storage.internals.log.OffsetIndex(file, base, MAX_BYTES);
            long offset = base;
            int position = 0;
            for (int i = random.nextInt(600); i >= 0; i--) {
                offset += 1 + random.nextInt(100);
                position += 1 + random.nextInt(5000);
                assertTrue(ours.append(offset, position));
                kafka.append(offset, position);
            }
            boolean truncated = random.nextBoolean();
            if (truncated) {
                long cut = base + random.nextInt((int) (offset - base) + 2);
                ours.truncateTo(cut);
                kafka.truncateTo(cut);
            }
            compare(seed, ours, kafka, offset);

            File mine = write(seed + "o.index", ours.image(0));
            var reread = new org.apache.kafka.storage.internals.log.OffsetIndex(mine, base, MAX_BYTES, false);
            if (ours.count() > 0) {
                reread.sanityCheck();
            }
            compare(seed, ours, reread, offset);

            kafka.flush();
            if (truncated) {
                // Kafka leaves the entries that it dropped in the mapped file until it closes it
                kafka.close();
                continue;
            }
            IndexLoad<OffsetIndex> preallocated = OffsetIndex.load(base, MAX_BYTES, read(file), 1L << 40, offset + 1);
            assertNull(preallocated.problem(), "seed " + seed);
            compare(seed, preallocated.index(), kafka, offset);
            kafka.close();
            IndexLoad<OffsetIndex> closed = OffsetIndex.load(base, MAX_BYTES, read(file), 1L << 40, offset + 1);
            compare(seed, closed.index(), reread, offset);
        }
    }

    private static void compare(
            int seed, OffsetIndex ours, org.apache.kafka.storage.internals.log.OffsetIndex kafka, long end) {
        assertEquals(kafka.entries(), ours.count(), "seed " + seed);
        assertEquals(kafka.lastOffset(), ours.lastOffset(), "seed " + seed);
        for (long offset = ours.baseOffset(); offset < end + 10; offset += 7) {
            OffsetPosition expected = kafka.lookup(offset);
            assertEquals(expected.position(), ours.positionFor(offset), "seed " + seed);
            int entry = ours.floor(offset);
            assertEquals(expected.offset(), entry < 0 ? ours.baseOffset() : ours.offsetAt(entry), "seed " + seed);
        }
    }

    @Test
    void kafkaReadsOurTimeIndexAndWeKafkas() throws IOException {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            long base = random.nextInt(3) * 1_000_000_000_000L;
            TimeIndex ours = new TimeIndex(base, MAX_BYTES);
            File file = directory.resolve(seed + "k.timeindex").toFile();
            var kafka = new org.apache.kafka.storage.internals.log.TimeIndex(file, base, MAX_BYTES);
            long offset = base;
            long time = 1_000;
            for (int i = random.nextInt(400); i >= 0; i--) {
                offset += random.nextInt(100);
                time += random.nextInt(10) - 3;
                assertTrue(ours.append(time, offset));
                if (time >= kafka.lastEntry().timestamp()) {
                    kafka.maybeAppend(time, offset, true);
                }
            }
            boolean truncated = random.nextBoolean();
            if (truncated) {
                long cut = base + random.nextInt((int) (offset - base) + 2);
                ours.truncateTo(cut);
                kafka.truncateTo(cut);
            }
            compare(seed, ours, kafka, time);

            File mine = write(seed + "o.timeindex", ours.image(0));
            var reread = new org.apache.kafka.storage.internals.log.TimeIndex(mine, base, MAX_BYTES, false);
            if (ours.count() > 0) {
                reread.sanityCheck();
            }
            compare(seed, ours, reread, time);

            kafka.flush();
            if (truncated) {
                kafka.close();
                continue;
            }
            IndexLoad<TimeIndex> preallocated = TimeIndex.load(base, MAX_BYTES, read(file), offset + 1);
            assertNull(preallocated.problem(), "seed " + seed);
            compare(seed, preallocated.index(), kafka, time);
            kafka.close();
        }
    }

    private static void compare(
            int seed, TimeIndex ours, org.apache.kafka.storage.internals.log.TimeIndex kafka, long end) {
        assertEquals(kafka.entries(), ours.count(), "seed " + seed);
        assertEquals(kafka.lastEntry().timestamp(), ours.lastTimestamp(), "seed " + seed);
        assertEquals(kafka.lastEntry().offset(), ours.lastOffset(), "seed " + seed);
        for (long time = 900; time < end + 10; time++) {
            TimestampOffset expected = kafka.lookup(time);
            int entry = ours.floor(time);
            assertEquals(expected.timestamp(), entry < 0 ? -1 : ours.timestampAt(entry), "seed " + seed);
            assertEquals(expected.offset(), entry < 0 ? ours.baseOffset() : ours.offsetAt(entry), "seed " + seed);
            long from = ours.offsetFor(time);
            assertTrue(from <= expected.offset(), "seed " + seed + ": " + from + " skips a record");
        }
    }

    @Test
    void kafkaReadsOurTransactionIndexAndWeKafkas() throws IOException {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            TransactionIndex ours = new TransactionIndex();
            File file = directory.resolve(seed + "k.txnindex").toFile();
            var kafka = new org.apache.kafka.storage.internals.log.TransactionIndex(100, file);
            long marker = 100;
            for (int i = random.nextInt(50); i > 0; i--) {
                marker += 2 + random.nextInt(20);
                long first = Math.max(0, marker - 1 - random.nextInt(60));
                long stable = random.nextBoolean() ? marker + 1 : first;
                long id = random.nextInt(5);
                ours.append(new CompletedTransaction(id, first, marker, true, stable));
                kafka.append(new AbortedTxn()
                        .setProducerId(id)
                        .setFirstOffset(first)
                        .setLastOffset(marker)
                        .setLastStableOffset(stable));
            }
            if (random.nextInt(3) == 0) {
                long cut = 100L + random.nextInt((int) marker);
                ours.truncateTo(cut);
                kafka.truncateTo(cut);
            }
            kafka.flush();
            assertEquals(ours.image(ours.count()), read(file), "seed " + seed);
            assertEquals(ours.count(), load(read(file), 100).count(), "seed " + seed);
            SimHost host = new SimHost(seed);
            host.disk().put("aborted", read(file).array());
            int filed = random.nextInt(ours.count() + 1);
            AbortedView loaded = new AbortedView("aborted", 100, known(ours, filed), ours.from(filed));
            for (int round = 0; round < 50; round++) {
                long from = random.nextInt((int) marker + 10);
                long to = from + random.nextInt(100);
                var expected = kafka.collectAbortedTxns(from, to);
                List<ReadResult.AbortedTransaction> found = new ArrayList<>();
                assertEquals(expected.isComplete(), loaded.collect(host.files(), from, to, found), "seed " + seed);
                List<ReadResult.AbortedTransaction> theirs = new ArrayList<>();
                for (AbortedTxn txn : expected.abortedTransactions()) {
                    theirs.add(new ReadResult.AbortedTransaction(txn.producerId(), txn.firstOffset()));
                }
                assertEquals(theirs, found, "seed " + seed);
            }
            kafka.close();
        }
    }

    @Test
    void damagedIndexesAreToBeRebuilt() throws IOException {
        OffsetIndex index = new OffsetIndex(0, MAX_BYTES);
        TimeIndex times = new TimeIndex(0, MAX_BYTES);
        TransactionIndex transactions = new TransactionIndex();
        for (long i = 1; i < 20; i++) {
            index.append(i * 10, (int) i * 1000);
            times.append(i * 100, i * 10);
            transactions.append(new CompletedTransaction(1, i * 10 - 5, i * 10, true, i * 10 + 1));
        }
        assertNotNull(
                OffsetIndex.load(0, MAX_BYTES, cut(index.image(0)), 20_000, 191).problem());
        assertNotNull(TimeIndex.load(0, MAX_BYTES, cut(times.image(0)), 191).problem());
        ByteBuffer whole = transactions.image(transactions.count());
        assertThrows(DamagedIndexException.class, () -> load(cut(whole.duplicate()), 0));
        assertThrows(DamagedIndexException.class, () -> load(whole.duplicate(), 20));
        assertNull(OffsetIndex.load(0, MAX_BYTES, index.image(0), 19_001, 191).problem());
        assertNotNull(
                OffsetIndex.load(0, MAX_BYTES, index.image(0), 19_000, 191).problem());
        assertNotNull(
                OffsetIndex.load(0, MAX_BYTES, index.image(0), 19_001, 190).problem());
        assertNull(TimeIndex.load(0, MAX_BYTES, times.image(0), 191).problem());
        assertNotNull(TimeIndex.load(0, MAX_BYTES, times.image(0), 190).problem());

        Random random = new Random(3);
        for (int round = 0; round < 3000; round++) {
            // whatever is loaded from a damaged file keeps the order on which lookups rely
            OffsetIndex loaded = OffsetIndex.load(0, MAX_BYTES, flip(index.image(0), random), 20_000, 191)
                    .index();
            for (int i = 1; loaded != null && i < loaded.count(); i++) {
                assertTrue(
                        loaded.offsetAt(i) > loaded.offsetAt(i - 1) && loaded.positionAt(i) > loaded.positionAt(i - 1));
            }
            TimeIndex loadedTimes = TimeIndex.load(0, MAX_BYTES, flip(times.image(0), random), 191)
                    .index();
            for (int i = 1; loadedTimes != null && i < loadedTimes.count(); i++) {
                assertTrue(loadedTimes.timestampAt(i) > loadedTimes.timestampAt(i - 1));
                assertTrue(loadedTimes.offsetAt(i) < 191);
            }
            try {
                load(flip(transactions.image(transactions.count()), random), 0);
            } catch (DamagedIndexException refused) {
                assertTrue(refused.getMessage().contains("entry"), refused.getMessage());
            }
        }
    }

    /** Whatever has rotted since it was written, in one entry or many: a lookup gives what was written, or says that it cannot. */
    @Test
    void whatHasRottedSinceItWasWrittenIsNoticed() throws IOException {
        Random random = new Random(5);
        int noticed = 0;
        for (int round = 0; round < 2_000; round++) {
            TransactionIndex index = new TransactionIndex();
            int count = 1 + random.nextInt(round % 2 == 0 ? 20 : 3 * FiledAborted.PIECE);
            for (int i = 0; i < count; i++) {
                long marker = (i + 1) * 10L;
                index.append(new CompletedTransaction(random.nextInt(5), marker - 7, marker, true, marker + 1));
            }
            ByteBuffer content = index.image(count);
            int from = random.nextInt(content.limit());
            switch (random.nextInt(3)) {
                case 0 -> flip(content, random);
                case 1 -> content.putLong(Math.min(from, content.limit() - 8), random.nextInt(count * 10));
                default -> content.put(from, new byte[content.limit() - from]);
            }
            SimHost host = new SimHost(1);
            byte[] file = new byte[content.remaining()];
            content.duplicate().get(file);
            host.disk().put("aborted", file);
            AbortedView view = new AbortedView("aborted", 0, known(index, count), new TransactionIndex());
            for (int i = 0; i < 20; i++) {
                long first = random.nextInt(count * 10 + 5);
                long to = first + random.nextInt(200);
                List<ReadResult.AbortedTransaction> expected = new ArrayList<>();
                boolean complete = index.collect(first, to, expected);
                List<ReadResult.AbortedTransaction> found = new ArrayList<>();
                try {
                    assertEquals(complete, view.collect(host.files(), first, to, found), "round " + round);
                    assertEquals(expected, found, "round " + round);
                } catch (DamagedIndexException seen) {
                    assertTrue(seen.getMessage().startsWith("aborted is damaged: "), seen.getMessage());
                    noticed++;
                }
            }
        }
        assertTrue(noticed > 5_000, "only " + noticed);
    }

    private static FiledAborted.View known(TransactionIndex index, int entries) {
        FiledAborted known = new FiledAborted();
        for (int i = 0; i < entries; i++) {
            known.add(index.at(i));
        }
        return known.view();
    }

    private static TransactionTail load(ByteBuffer content, long baseOffset) throws IOException {
        MemoryFile file = new MemoryFile();
        file.append(content);
        return TransactionTail.load(file, baseOffset, null);
    }

    private static ByteBuffer cut(ByteBuffer image) {
        return image.limit(image.limit() - 1);
    }

    private static ByteBuffer flip(ByteBuffer image, Random random) {
        int i = random.nextInt(image.limit());
        return image.put(i, (byte) (image.get(i) ^ 1 << random.nextInt(8)));
    }

    @Test
    void fullIndexesSayTimeToRoll() {
        OffsetIndex index = new OffsetIndex(5, 20);
        assertTrue(index.append(6, 1) && index.append(7, 2));
        assertTrue(index.isFull());
        assertFalse(index.append(8, 3));
        assertFalse(new OffsetIndex(0, 100).append(1L << 31, 3));
        TimeIndex times = new TimeIndex(5, 25);
        assertTrue(times.append(1, 5));
        assertTrue(times.isFull());
        assertTrue(times.append(2, 6));
        assertFalse(times.append(3, 7));
        assertTrue(times.append(2, 9), "nothing new, nothing needed");
    }
}
