package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import records.BatchHeader;
import records.Codec;
import storage.CompactionLab.Entry;
import storage.CompactionLab.Transaction;

/** Rules K1-K4, P4: random histories of all kinds of producers, cleaned again and again, against a map. */
final class CompactionPropertyTest {

    private static final int SEEDS = 60;
    private static final long DELETE_RETENTION = 20_000;

    @Test
    void aLogCompactsToItsMap() {
        int cleanings = 0;
        int dropped = 0;
        int severalPasses = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                Run run = new Run(seed);
                run.all();
                cleanings += run.cleanings;
                dropped += run.tombstonesGone;
                severalPasses += run.fullMaps;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(cleanings > SEEDS * 4, "only " + cleanings + " cleanings");
        assertTrue(dropped > SEEDS, "only " + dropped + " tombstones were dropped");
        assertTrue(severalPasses > SEEDS / 4, "only " + severalPasses + " cleanings ended early");
    }

    private static final class Run {
        private final CompactionLab lab;
        private final long lag;
        /** When the tombstone at an offset was first in a cleaned range. */
        private final Map<Long, Long> firstCleaned = new LinkedHashMap<>();

        /** A crash may forget that a log has been cleaned so far. */
        private long everCleaned;

        int cleanings;
        int tombstonesGone;
        int fullMaps;

        Run(long seed) {
            boolean compressed = seed % 2 == 1;
            lag = seed % 5 == 4 ? 300 : 0;
            List<String> settings = new ArrayList<>(List.of(
                    "cleanup.policy",
                    "compact",
                    "delete.retention.ms",
                    Long.toString(DELETE_RETENTION),
                    "min.compaction.lag.ms",
                    Long.toString(lag)));
            if (seed % 3 == 0) {
                settings.addAll(List.of("flush.messages", "1"));
            }
            if (seed % 4 == 3) {
                settings.addAll(List.of("message.timestamp.type", "LogAppendTime"));
            }
            List<Codec> codecs = compressed ? List.of(Codec.values()) : List.of(Codec.NONE);
            lab = new CompactionLab(
                    seed,
                    LogBench.tiny(settings.toArray(new String[0])),
                    codecs,
                    seed % 7 == 0 ? 60 : seed % 4 < 2 ? 8 : 40);
            if (seed % 7 == 0) {
                lab.mapBytes = 24 * 16;
            }
        }

        void all() {
            for (int round = 0; round < 12; round++) {
                int writes = 10 + lab.random.below(30);
                for (int i = 0; i < writes; i++) {
                    lab.write();
                }
                lab.host().runFor(200);
                cleanAndCompare();
                if (lab.random.chance(0.6)) {
                    lab.host().runFor(DELETE_RETENTION / 2);
                }
                if (lab.random.chance(0.25)) {
                    restart();
                }
            }
            finish();
        }

        private void cleanAndCompare() {
            CleaningReport report = lab.clean();
            if (report == null) {
                return;
            }
            cleanings++;
            fullMaps += report.mapUse() == 1 ? 1 : 0;
            assertEquals(report.end(), lab.log().cleanedTo());
            compare(lab.host().clock().wallMillis(), true);
        }

        private void compare(long now, boolean cleaned) {
            long end = lab.log().cleanedTo();
            everCleaned = Math.max(everCleaned, end);
            long stable = lab.log().lastStableOffset();
            List<Entry> got = lab.committed();
            Map<String, Entry> last = new LinkedHashMap<>();
            Map<Long, Entry> byOffset = new LinkedHashMap<>();
            long before = -1;
            for (Entry each : got) {
                assertTrue(each.offset() > before, "K1: order at " + each);
                before = each.offset();
                assertSame(lab.valid.get(each.offset()), each);
                last.put(each.key(), each);
                byOffset.put(each.offset(), each);
            }
            Map<String, Entry> expected = lab.latest(stable);
            Map<String, Entry> latestCleaned = lab.latest(end);
            expected.forEach((key, entry) -> {
                Entry there = last.get(key);
                if (entry.value() != null) {
                    assertNotNull(there, "K1: lost " + entry);
                    assertEquals(entry.offset(), there.offset(), "K1");
                } else if (there != null) {
                    assertEquals(entry.offset(), there.offset(), "K1: a deleted key is alive");
                } else {
                    tombstoneGone(entry, now);
                }
            });
            for (Entry each : lab.valid.values()) {
                if (each.offset() < end
                        && each.offset() != latestCleaned.get(each.key()).offset()) {
                    assertNull(byOffset.get(each.offset()), "obsolete, and still there");
                } else if (each.offset() >= everCleaned && each.offset() < stable) {
                    assertNotNull(byOffset.get(each.offset()), "K2: above the cleaned end");
                }
            }
            if (cleaned) {
                latestCleaned.values().forEach(each -> tombstoneStays(each, byOffset, now));
            }
            aborted(end);
        }

        private static void assertSame(Entry written, Entry got) {
            assertNotNull(written, "never written, or aborted: " + got);
            assertEquals(written, got);
        }

        private void tombstoneGone(Entry tombstone, long now) {
            Long since = firstCleaned.get(tombstone.offset());
            assertNotNull(since, "K3: gone at once: " + tombstone);
            assertTrue(now - since >= DELETE_RETENTION - 1000, "K3: gone after " + (now - since));
            tombstonesGone++;
        }

        private void tombstoneStays(Entry latest, Map<Long, Entry> there, long now) {
            if (latest.value() != null) {
                return;
            }
            Long since = firstCleaned.putIfAbsent(latest.offset(), now);
            if (since == null || now - since < DELETE_RETENTION) {
                boolean superseded =
                        lab.latest(Long.MAX_VALUE).get(latest.key()).offset() != latest.offset();
                assertTrue(
                        superseded
                                || there.containsKey(latest.offset())
                                || latest.offset() < lab.log().logStartOffset(),
                        "K3: " + latest);
            } else if (now - since > DELETE_RETENTION + 10_000) {
                assertFalse(there.containsKey(latest.offset()), "K3: stays for ever: " + latest);
            }
        }

        /** Rule K4: what was aborted in the cleaned range is gone, and a transaction with data left has its marker. */
        private void aborted(long end) {
            Map<Long, ByteBuffer> byLast = new LinkedHashMap<>();
            for (ByteBuffer batch : lab.batches()) {
                byLast.put(BatchHeader.lastOffset(batch, 0), batch);
            }
            List<Entry> all = new ArrayList<>();
            byLast.values().stream()
                    .filter(batch -> !BatchHeader.isControl(batch, 0))
                    .forEach(batch -> all.addAll(CompactionLab.entries(batch.duplicate())));
            Map<Long, Entry> there = new LinkedHashMap<>();
            all.forEach(each -> there.put(each.offset(), each));
            for (Transaction each : lab.transactions) {
                boolean any = false;
                for (Entry record : each.records) {
                    any |= there.containsKey(record.offset());
                    if (each.aborted && each.marker < end) {
                        assertFalse(there.containsKey(record.offset()), "K4: aborted record " + record);
                    }
                }
                if (any || each.marker >= everCleaned) {
                    assertTrue(byLast.containsKey(each.marker), "K4: marker " + each.marker + " is gone");
                }
            }
        }

        private void restart() {
            long end = lab.log().logEndOffset();
            long start = lab.log().logStartOffset();
            long cleaned = lab.log().cleanedTo();
            boolean checkpointed = lab.random.chance(0.5);
            if (lab.random.chance(0.3)) {
                lab.bench.cleanRestart();
                checkpointed = true;
            } else {
                if (checkpointed) {
                    lab.bench.checkpoint();
                }
                lab.bench.kill();
            }
            lab.log().advanceHighWatermark(lab.log().logEndOffset());
            assertNull(lab.log().damage());
            assertEquals(end, lab.log().logEndOffset());
            assertEquals(start, lab.log().logStartOffset());
            if (checkpointed) {
                assertEquals(cleaned, lab.log().cleanedTo());
                compare(lab.host().clock().wallMillis(), false);
            }
        }

        /** Rule P4: the producers are the same when nothing but the log tells of them. */
        private void finish() {
            List<ActiveProducer> before = lab.log().activeProducers();
            long stable = lab.log().lastStableOffset();
            lab.bench.checkpoint();
            lab.bench.host = lab.bench.host.kill();
            for (String line : lab.host().disk().tree()) {
                String path = line.split(" ", -1)[0];
                if (path.endsWith(".snapshot") || path.endsWith(".txnindex")) {
                    lab.host()
                            .await(done -> lab.host()
                                    .executor()
                                    .run(
                                            DiskExecutor.Lane.BLOCKING,
                                            files -> {
                                                files.delete(path);
                                                return 0;
                                            },
                                            done));
                }
            }
            lab.bench.open();
            lab.log().advanceHighWatermark(lab.log().logEndOffset());
            assertEquals(stable, lab.log().lastStableOffset(), "P4: last stable offset");
            List<ActiveProducer> after = lab.log().activeProducers();
            assertEquals(before.size(), after.size(), "P4: " + before + " " + after);
            for (int i = 0; i < before.size(); i++) {
                assertEquals(before.get(i).producerId(), after.get(i).producerId());
                assertEquals(before.get(i).producerEpoch(), after.get(i).producerEpoch());
                assertEquals(before.get(i).lastSequence(), after.get(i).lastSequence());
                assertEquals(
                        before.get(i).currentTransactionStartOffset(),
                        after.get(i).currentTransactionStartOffset());
            }
        }
    }
}
