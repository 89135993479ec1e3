package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;
import records.ControlBatches;
import sim.SimRandom;
import storage.ReadResult.AbortedTransaction;

/** Rule T8 for applications that abort all the time: reads list exactly the aborted transactions that overlap what they return, and memory stays small. */
final class AbortedTransactionsPropertyTest {

    private static final int SEEDS = 25;
    private static final int STEPS = 1_500;
    private static final int PRODUCERS = 6;

    private record Aborted(long producerId, long first, long marker) {
        AbortedTransaction shown() {
            return new AbortedTransaction(producerId, first);
        }
    }

    @Test
    void readsListWhatOverlapsThem_T8() {
        int fromFiles = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                fromFiles += new Run(seed).all();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(fromFiles > SEEDS * 10, "only " + fromFiles + " reads went so far back that files had to be asked");
    }

    private static final class Run {
        private final LogBench bench;
        private final SimRandom random;
        private final List<Aborted> aborted = new ArrayList<>();
        private final Map<Long, Long> open = new LinkedHashMap<>();
        private final Map<Long, Integer> sequences = new LinkedHashMap<>();
        private int fromFiles;

        Run(long seed) {
            random = new SimRandom(seed);
            String segmentBytes = random.chance(0.5) ? "10000000" : "30000";
            bench = new LogBench(
                            seed,
                            LogBench.tiny(
                                    "internal.segment.bytes",
                                    segmentBytes,
                                    "index.interval.bytes",
                                    random.chance(0.5) ? "4096" : "150",
                                    "flush.messages",
                                    random.chance(0.5) ? "1" : "1000000",
                                    "retention.bytes",
                                    "60000"))
                    .open();
        }

        int all() {
            for (int i = 0; i < STEPS; i++) {
                write();
                if (random.chance(0.05)) {
                    read(random.chance(0.5));
                }
                if (random.chance(0.004)) {
                    begin(random.below(3));
                }
                if (random.chance(0.004)) {
                    trim();
                }
            }
            for (int i = 0; i < 40; i++) {
                read(true);
            }
            truncate();
            for (int i = 0; i < 20; i++) {
                read(false);
            }
            bench.cleanStop();
            assertEquals(0, bench.host.disk().openHandles(), "files that are open after the stop");
            return fromFiles;
        }

        private void write() {
            long producer = random.below(PRODUCERS);
            if (random.chance(0.05)) {
                bench.append(1);
            } else if (!open.containsKey(producer) || random.chance(0.2)) {
                int sequence = sequences.getOrDefault(producer, 0);
                AppendResult result = bench.append(bench.batch(
                        1, random.below(40), new BatchBuilder.Producer(producer, (short) 0, sequence, true)));
                sequences.put(producer, sequence + 1);
                open.putIfAbsent(producer, result.baseOffset());
            } else {
                end(producer, random.chance(0.1));
            }
            bench.log.advanceHighWatermark(bench.log.logEndOffset());
        }

        private void end(long producer, boolean commit) {
            ByteBuffer marker =
                    ControlBatches.transactionMarker(bench.host.clock().wallMillis(), producer, (short) 0, commit, 3);
            long first = open.remove(producer);
            AppendResult result = bench.append(marker);
            if (!commit) {
                aborted.add(new Aborted(producer, first, result.lastOffset()));
            }
        }

        /** Another process, after an end of some kind that loses nothing. */
        private void begin(int kind) {
            if (kind == 0) {
                bench.cleanRestart();
            } else if (kind == 1) {
                bench.kill();
            } else {
                bench.host.<Void>await(done -> bench.log.flush(done));
                bench.powerCut();
            }
            bench.log.advanceHighWatermark(bench.log.logEndOffset());
        }

        private void trim() {
            if (random.chance(0.5)) {
                long upTo = bench.log.logStartOffset()
                        + random.belowLong(1 + bench.log.logEndOffset() - bench.log.logStartOffset()) / 2;
                bench.host.<Long>await(done -> bench.log.deleteBefore(upTo, done));
            }
            bench.log.housekeep(bench.host.clock().wallMillis());
            bench.host.runFor(2_000);
        }

        private void truncate() {
            long from = Math.max(bench.log.logStartOffset(), bench.log.lastStableOffset());
            long end = from + random.belowLong(1 + bench.log.logEndOffset() - from);
            bench.checkpoint();
            bench.host.<Void>await(done -> bench.log.truncateTo(end, done));
            aborted.removeIf(each -> each.marker >= bench.log.logEndOffset());
        }

        /** @param writers more may be written meanwhile */
        private void read(boolean writers) {
            long start = bench.log.logStartOffset();
            long stable = bench.log.lastStableOffset();
            if (stable <= start) {
                return;
            }
            long from = start + random.belowLong(stable - start);
            List<ReadResult> answers = new ArrayList<>();
            bench.log.read(from, 1 + random.below(6_000), true, ReadBound.LAST_STABLE_OFFSET, (read, failure) -> {
                assertNull(failure);
                answers.add(read);
            });
            for (int i = writers ? random.below(300) : 0; i > 0 && answers.isEmpty(); i--) {
                write();
            }
            while (answers.isEmpty()) {
                bench.host.runFor(1);
            }
            ReadResult result = answers.get(0);
            ByteBuffer bytes = ByteBuffer.wrap(LogBench.bytes(result.range()));
            long next = from;
            for (int at = 0; at < bytes.limit(); at += BatchHeader.sizeInBytes(bytes, at)) {
                next = BatchHeader.nextOffset(bytes, at);
            }
            assertTrue(next <= bench.log.lastStableOffset(), next + " is above the last stable offset");
            long to = next;
            List<AbortedTransaction> expected = aborted.stream()
                    .filter(each -> each.marker >= from && each.first < to)
                    .map(Aborted::shown)
                    .toList();
            assertEquals(expected, result.aborted(), "from " + from + " to " + to);
            fromFiles += aborted.stream().filter(each -> each.marker > to).count() > 300 ? 1 : 0;
        }
    }

    @Test
    void aCleaningKnowsThoseThatAreInFilesOnly_K4() {
        CompactionLab lab = new CompactionLab(
                7,
                LogBench.tiny("cleanup.policy", "compact", "internal.segment.bytes", "100000"),
                List.of(Codec.NONE),
                20);
        for (int i = 0; i < 1_000; i++) {
            lab.append(10, true, List.of("k" + i % 20), 0);
            lab.endTransaction(10, i % 10 == 0);
        }
        for (int i = 0; i < 400; i++) {
            lab.append(-1, false, List.of("other" + i % 7, "more"), 0);
        }
        lab.host().runFor(1_000);
        List<CompactionLab.Entry> before = lab.committed();
        CleaningReport report = lab.clean();
        assertTrue(report.bytesAfter() < report.bytesBefore() / 2, report.toString());
        Map<String, CompactionLab.Entry> latest = new LinkedHashMap<>();
        lab.committed().forEach(each -> latest.put(each.key(), each));
        Map<String, CompactionLab.Entry> expected = new LinkedHashMap<>();
        before.forEach(each -> expected.put(each.key(), each));
        assertEquals(expected, latest);
    }
}
