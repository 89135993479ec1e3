package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import records.Codec;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;
import sim.LoggedLines;
import sim.SimRandom;

/**
 * A transaction index that is lost or rots: whatever is wrong with it, readers of committed records are told what the batches say, at once and without a restart
 * (rules S9, T8), and somebody is told of the file.
 */
final class DamagedTransactionIndexTest {

    private static final int SEEDS = 25;

    enum Kind {
        MISSING,
        EMPTY,
        CUT,
        ZEROES,
        ZEROES_FROM_SOMEWHERE,
        BIT,
        OF_ANOTHER
    }

    private static void damage(Kind kind, TransactionsBench run, String path) {
        damage(kind, run.bench, run.random, path);
    }

    private static void damage(Kind kind, LogBench bench, SimRandom random, String path) {
        byte[] good = bench.host.disk().content(path);
        byte[] bad = good.clone();
        switch (kind) {
            case MISSING -> {
                DiskJob<Void> delete = files -> {
                    files.delete(path);
                    return null;
                };
                bench.host.<Void>await(done -> bench.host.executor().run(DiskExecutor.Lane.BLOCKING, delete, done));
                return;
            }
            case EMPTY -> bad = new byte[0];
            case CUT -> bad = Arrays.copyOf(good, random.below(good.length));
            case ZEROES -> Arrays.fill(bad, (byte) 0);
            case ZEROES_FROM_SOMEWHERE -> Arrays.fill(bad, random.below(good.length), good.length, (byte) 0);
            case BIT -> bad[random.below(bad.length)] ^= (byte) (1 << random.below(8));
            case OF_ANOTHER -> {
                List<String> all = TransactionsBench.indexes(bench);
                bad = bench.host.disk().content(all.get(random.below(all.size())));
            }
        }
        bench.host.disk().put(path, bad);
    }

    private static TransactionsBench written(long seed) {
        TransactionsBench run = new TransactionsBench(seed, seed % 3 == 0 ? "100000" : seed % 3 == 1 ? "6000" : "900");
        for (int i = 0; i < 250; i++) {
            run.write(1 + (int) (seed % 4));
        }
        // In the active segment too some are in the file.
        run.bench.host.<Void>await(done -> run.bench.log.flush(done));
        run.bench.host.runFor(1_000);
        return run;
    }

    private static Map<String, byte[]> contents(TransactionsBench run) {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        run.indexes().forEach(path -> contents.put(path, run.bench.host.disk().content(path)));
        return contents;
    }

    private static void assertWhole(Map<String, byte[]> expected, TransactionsBench run) {
        assertEquals(List.copyOf(expected.keySet()), run.indexes());
        expected.forEach(
                (path, good) -> assertArrayEquals(good, run.bench.host.disk().content(path), path));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void isMadeAnewWhileTheLogGoesOn(Kind kind) {
        int told = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (LoggedLines lines = new LoggedLines("storage.AbortedRepair")) {
                TransactionsBench run = written(seed);
                if (run.random.chance(0.5)) {
                    run.bench.cleanRestart();
                }
                Map<String, byte[]> good = contents(run);
                String path = run.indexes().get(run.random.below(good.size()));
                damage(kind, run, path);
                boolean same = run.indexes().contains(path)
                        && Arrays.equals(good.get(path), run.bench.host.disk().content(path));
                run.readAll();
                assertWhole(good, run);
                assertEquals(same ? 0 : 1, lines.lines().size(), () -> path + ": " + lines.lines());
                told += lines.lines().size();
                for (String line : lines.lines()) {
                    assertTrue(line.contains(path) && line.contains("check the disk"), line);
                }
                for (int i = 0; i < 30; i++) {
                    run.write(3);
                }
                run.readAll();
                run.bench.cleanRestart();
                run.readAll();
                assertEquals(same ? 0 : 1, lines.lines().size(), "told again");
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(told > SEEDS / 2, "only " + told + " were damaged");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void isMadeAnewAtAStart(Kind kind) {
        int damaged = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (LoggedLines lines = new LoggedLines("storage.Recovery")) {
                TransactionsBench run = written(seed);
                boolean clean = seed % 2 == 0;
                if (clean) {
                    run.bench.cleanStop();
                } else {
                    run.bench.checkpoint();
                }
                run.bench.host = run.bench.host.kill();
                Map<String, byte[]> good = contents(run);
                String path = run.indexes().get(run.random.below(good.size()));
                damage(kind, run, path);
                boolean same = run.indexes().contains(path)
                        && Arrays.equals(good.get(path), run.bench.host.disk().content(path));
                run.bench.open();
                run.readAll();
                if (clean) {
                    assertWhole(good, run);
                }
                // What is not below the recovery point is made anew after a crash in any case.
                boolean must = clean && !same;
                damaged += must ? 1 : 0;
                assertTrue(!must || lines.lines().size() == 1, () -> path + ": " + lines.lines());
                assertTrue(lines.lines().size() <= 1, () -> lines.lines().toString());
                run.bench.cleanRestart();
                run.readAll();
                assertTrue(lines.lines().size() <= 1, "told again");
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(damaged > SEEDS / 4, "only " + damaged + " were damaged");
    }

    /** With everything else that happens to a log. */
    @Test
    void readersAreToldTheTruthWhateverHappens() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (LoggedLines lines = new LoggedLines("storage.AbortedRepair");
                    LoggedLines starts = new LoggedLines("storage.Recovery")) {
                TransactionsBench run = new TransactionsBench(seed, seed % 2 == 0 ? "1500" : "20000");
                int damaged = 0;
                for (int i = 0; i < 400; i++) {
                    List<String> indexes = run.indexes();
                    switch (run.random.below(60)) {
                        case 0 -> run.bench.cleanRestart();
                        case 1 -> {
                            run.bench.checkpoint();
                            run.bench.kill();
                        }
                        case 2, 3 -> run.bench.host.<Void>await(done -> run.bench.log.flush(done));
                        case 4 -> {
                            run.bench.host.<Void>await(done -> run.bench.log.flush(done));
                            run.bench.powerCut();
                        }
                        case 5, 6, 7, 8, 9, 10 -> run.read();
                        case 11, 12 -> {
                            if (!indexes.isEmpty()) {
                                Kind kind = Kind.values()[run.random.below(Kind.values().length)];
                                damage(kind, run, indexes.get(run.random.below(indexes.size())));
                                damaged++;
                                if (run.random.chance(0.5)) {
                                    run.bench.cleanRestart();
                                }
                            }
                        }
                        default -> run.write(4);
                    }
                }
                run.readAll();
                int most = damaged;
                assertTrue(
                        lines.lines().size() + starts.lines().size() <= most,
                        () -> most + " damaged, told: " + lines.lines() + starts.lines());
                assertTrue(damaged > 0);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** Many readers share one making, and appends go on meanwhile. */
    @Test
    void oneMakingServesAllThatWait() {
        try (LoggedLines lines = new LoggedLines("storage.AbortedRepair")) {
            TransactionsBench run = written(1);
            run.bench.cleanRestart();
            run.stable();
            String path = run.indexes().get(0);
            damage(Kind.BIT, run, path);
            List<ReadResult> came = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                run.bench.log.read(0, 400, true, ReadBound.LAST_STABLE_OFFSET, (result, failure) -> came.add(result));
            }
            run.data(1);
            run.bench.host.runFor(10_000);
            assertEquals(20, came.size());
            came.forEach(each -> run.check(0, each));
            assertEquals(1, lines.lines().size(), () -> lines.lines().toString());
        }
    }

    /** Reads need no room, nor does a log without room forget what it could not write. */
    @Test
    void aFullDiskDoesNotKeepReadersWaiting() {
        TransactionsBench run = written(1);
        run.bench.cleanRestart();
        run.bench.checkpoint();
        Map<String, byte[]> good = contents(run);
        String path = run.indexes().get(0);
        damage(Kind.MISSING, run, path);
        run.bench.host.disk().capacity(1);
        run.readAll();
        assertTrue(!run.indexes().contains(path) || run.bench.host.disk().content(path).length == 0);
        assertEquals(0, run.bench.log.recoveryPoint(), "the next start must look again");
        run.bench.host.disk().capacity(Long.MAX_VALUE / 4);
        run.bench.log.housekeep(run.bench.host.clock().wallMillis());
        run.bench.host.runFor(1_000);
        assertWhole(good, run);
        run.readAll();
        run.bench.cleanRestart();
        run.readAll();
    }

    /** While the batches cannot be read either the read fails, which is told once; then it works. */
    @Test
    void whatCannotBeMadeAnewNowIsTriedByTheNextReader() {
        try (LoggedLines lines = new LoggedLines("storage.AbortedRepair")) {
            TransactionsBench run = written(1);
            run.bench.cleanRestart();
            run.stable();
            damage(Kind.CUT, run, run.indexes().get(0));
            boolean[] failing = {true};
            run.bench
                    .host
                    .disk()
                    .faults((operation, path, number) ->
                            failing[0] && operation == Operation.WRITE && path.endsWith(SegmentFiles.TRANSACTION_INDEX)
                                    ? Fault.ERROR
                                    : Fault.NONE);
            for (int i = 0; i < 3; i++) {
                Failure failure = run.bench.host.<ReadResult>awaitFailure(
                        done -> run.bench.log.read(0, 400, true, ReadBound.LAST_STABLE_OFFSET, done));
                assertEquals(FailureCode.STORAGE_ERROR, failure.code());
                assertTrue(failure.message().contains("cannot be made anew"), failure.message());
            }
            assertEquals(1, lines.lines().size(), () -> lines.lines().toString());
            failing[0] = false;
            run.readAll();
            assertEquals(2, lines.lines().size(), () -> lines.lines().toString());
        }
    }

    /** Rule S8: what is damaged is refused, the rest is served, and an index is made from the rest. */
    @Test
    void damagedBatchesArePassedOver() {
        try (LoggedLines lines = new LoggedLines("storage.AbortedRepair");
                LoggedLines rot = new LoggedLines("storage.LogScrub")) {
            TransactionsBench run = new TransactionsBench(1, "6000");
            for (int i = 0; i < 60; i++) {
                run.data(1);
                run.end(1, false);
            }
            run.bench.cleanRestart();
            run.stable();
            // The data of the fourth transaction, at offset 6; its marker is whole.
            String segment = run.bench.segment(0, SegmentFiles.LOG);
            ReadResult before = run.bench.read(0, 1, ReadBound.LOG_END);
            int pair = before.range().length();
            before.range().release();
            ReadResult marker = run.bench.read(1, 1, ReadBound.LOG_END);
            int position = 3 * (pair + marker.range().length());
            marker.range().release();
            run.bench.host.disk().rot(segment, position + pair - 2, 3);
            damage(Kind.MISSING, run, run.indexes().get(0));
            for (long from : new long[] {0, 2, 8, 10}) {
                ReadResult result = run.bench.read(from, 250, ReadBound.LAST_STABLE_OFFSET);
                assertTrue(result.aborted().stream().anyMatch(each -> each.firstOffset() == from), "from " + from);
                result.range().release();
            }
            Failure failure = run.bench.host.<ReadResult>awaitFailure(
                    done -> run.bench.log.read(6, 400, true, ReadBound.LAST_STABLE_OFFSET, done));
            assertEquals(FailureCode.CORRUPT_BATCH, failure.code());
            assertEquals(1, lines.lines().size(), () -> lines.lines().toString());
            assertEquals(1, rot.lines().size(), () -> rot.lines().toString());
        }
    }

    /** A cleaning needs the indexes too, and writes new ones. */
    @Test
    void compactedLogsAreNotMisled() {
        int all = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (LoggedLines lines = new LoggedLines("storage.AbortedRepair");
                    LoggedLines starts = new LoggedLines("storage.Recovery")) {
                CompactionLab lab =
                        new CompactionLab(seed, LogBench.tiny("cleanup.policy", "compact"), List.of(Codec.NONE), 8);
                int damaged = 0;
                for (int round = 0; round < 12; round++) {
                    for (int i = 0; i < 30; i++) {
                        lab.write();
                    }
                    lab.host().runFor(200);
                    List<String> indexes = TransactionsBench.indexes(lab.bench);
                    indexes.removeIf(path -> lab.host().disk().content(path).length == 0);
                    if (!indexes.isEmpty()) {
                        Kind kind = Kind.values()[lab.random.below(Kind.values().length)];
                        damage(kind, lab.bench, lab.random, indexes.get(lab.random.below(indexes.size())));
                        damaged++;
                    }
                    switch (lab.random.below(5)) {
                        case 0 -> lab.bench.cleanRestart();
                        case 2 -> {
                            lab.clean();
                            lab.host().runFor(100);
                            lab.bench.checkpoint();
                            lab.bench.kill();
                        }
                        case 1 -> compare(lab);
                        default -> lab.clean();
                    }
                    lab.log().advanceHighWatermark(lab.log().logEndOffset());
                    compare(lab);
                }
                assertTrue(lines.lines().size() + starts.lines().size() <= damaged);
                all += damaged;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(all > SEEDS * 5, "only " + all + " were damaged");
    }

    private static void compare(CompactionLab lab) {
        Map<String, CompactionLab.Entry> last = new LinkedHashMap<>();
        for (CompactionLab.Entry each : lab.committed()) {
            assertEquals(lab.valid.get(each.offset()), each, "an aborted record is shown");
            last.put(each.key(), each);
        }
        lab.latest(lab.log().lastStableOffset()).forEach((key, entry) -> {
            if (entry.value() != null) {
                assertEquals(entry, last.get(key), "K1");
            }
        });
    }
}
