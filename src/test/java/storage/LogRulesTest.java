package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import sim.DiskFaults;
import sim.DiskFaults.Fault;
import sim.DiskFaults.Operation;

/** The S, I and P rules that a log keeps, each attacked once. */
final class LogRulesTest {

    private static final String[] DURABLE = {"flush.messages", "1", "internal.segment.bytes", "100000"};

    private static BatchBuilder.Producer producer(int sequence) {
        return new BatchBuilder.Producer(9, (short) 1, sequence, false);
    }

    @Test
    void failedWriteLeavesNoTrace_S2() {
        LogBench bench = new LogBench(3, LogBench.tiny("internal.segment.bytes", "100000")).open();
        bench.append(bench.batch(2, producer(0)));
        long size = bench.log.sizeBytes();
        bench.host.disk().faults(DiskFaults.nth(Operation.WRITE, ".log", 1, Fault.ERROR));
        List<Failure> failures = new ArrayList<>();
        bench.log.append(bench.batch(2, producer(2)), 0, (result, failure) -> failures.add(failure));
        bench.log.append(bench.batch(2, producer(4)), 0, (result, failure) -> failures.add(failure));
        bench.host.runFor(100);
        assertEquals(2, failures.size());
        failures.forEach(failure -> assertEquals(FailureCode.STORAGE_ERROR, failure.code()));
        assertNull(bench.offline);
        assertEquals(2, bench.log.logEndOffset());
        assertEquals(size, bench.log.sizeBytes());
        assertEquals(size, bench.host.disk().content(bench.segment(0, SegmentFiles.LOG)).length, "cut back");
        AppendResult retried = bench.append(bench.batch(2, producer(2)));
        assertEquals(2, retried.baseOffset(), "producer state went back too");
        assertFalse(retried.duplicate());
    }

    @Test
    void failedCutBackTakesTheDirectoryOffline_S2() {
        LogBench bench = new LogBench(3, LogBench.tiny()).open();
        bench.append(1);
        bench.host
                .disk()
                .faults((operation, path, number) ->
                        operation == Operation.WRITE || operation == Operation.TRUNCATE ? Fault.ERROR : Fault.NONE);
        bench.appendFails(bench.batch(1));
        assertNotNull(bench.offline);
        bench.host.disk().faults(DiskFaults.NONE);
        assertEquals(
                FailureCode.STORAGE_ERROR, bench.appendFails(bench.batch(1)).code());
    }

    @Test
    void failedSyncIsFinal_S3() {
        LogBench bench = new LogBench(5, LogBench.tiny(DURABLE)).open();
        bench.append(2);
        bench.host.disk().faults(DiskFaults.nth(Operation.SYNC, ".log", 1, Fault.ERROR));
        assertEquals(FailureCode.SYNC_FAILED, bench.appendFails(bench.batch(2)).code());
        assertEquals(2, bench.log.durableEndOffset());
        assertNotNull(bench.offline);
        assertEquals(
                FailureCode.STORAGE_ERROR, bench.appendFails(bench.batch(2)).code(), "never tried again");
        bench.powerCut();
        assertEquals(List.of(0L), bench.bases0To(2));
    }

    @Test
    void mutantRetriesTheSync() {
        LogBench bench = new LogBench(5, LogBench.tiny(DURABLE)).open(TornTailTest.mutation("retried-fsync"));
        bench.append(2);
        bench.host.disk().faults(DiskFaults.nth(Operation.SYNC, ".log", 1, Fault.ERROR));
        bench.append(2);
        assertNull(bench.offline);
    }

    @Test
    void nameIsDurableBeforeTheAck_S4() {
        for (long seed = 0; seed < 40; seed++) {
            LogBench bench = new LogBench(seed, LogBench.tiny("flush.messages", "1")).open();
            for (int i = 0; i < 12; i++) {
                bench.append(2);
            }
            long end = bench.log.logEndOffset();
            bench.powerCut();
            assertEquals(end, bench.log.logEndOffset(), "seed " + seed);
            assertEquals(12, bench.bases(0).size(), "seed " + seed);
        }
    }

    @Test
    void mutantsLoseAckedBatchesInAPowerCut() {
        assertTrue(losesAcked("no-directory-fsync"));
        assertTrue(losesAcked("ack-before-write"));
    }

    private static boolean losesAcked(String mutation) {
        for (long seed = 0; seed < 100; seed++) {
            LogBench bench =
                    new LogBench(seed, LogBench.tiny("flush.messages", "1")).open(TornTailTest.mutation(mutation));
            long[] acked = {0};
            for (int i = 0; i < 12; i++) {
                bench.log.append(bench.batch(2), 0, (result, failure) -> acked[0] = result.lastOffset() + 1);
                if (i < 11) {
                    bench.host.runFor(5);
                }
            }
            bench.powerCut();
            if (bench.log.logEndOffset() < acked[0]) {
                return true;
            }
        }
        return false;
    }

    @Test
    void cleanMarkIsTakenBeforeLogsOpen_S6() {
        LogBench bench = new LogBench(1, LogBench.tiny()).open();
        bench.append(1);
        bench.cleanRestart();
        assertTrue(bench.opened.cleanStop());
        bench.powerCut();
        assertFalse(bench.opened.cleanStop());
        LogBench mutant = new LogBench(1, LogBench.tiny()).open(TornTailTest.mutation("clean-mark-kept"));
        mutant.append(1);
        mutant.host.<Void>await(done -> mutant.log.close(done));
        mutant.host.<Void>await(
                done -> mutant.host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(-1), done));
        mutant.host = mutant.host.kill();
        mutant.open(TornTailTest.mutation("clean-mark-kept"));
        mutant.kill();
        assertTrue(mutant.opened.cleanStop());
    }

    @Test
    void cleanStartReadsNoClosedSegment() {
        LogBench bench = new LogBench(1, LogBench.tiny("internal.segment.bytes", "20000")).open();
        while (bench.log.sizeBytes() < 1_000_000) {
            bench.append(bench.batch(5, 300, BatchBuilder.Producer.NONE));
        }
        bench.cleanRestart();
        bench.host.<Void>await(done -> bench.log.close(done));
        bench.checkpoint();
        bench.host.<Void>await(
                done -> bench.host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(-1), done));
        bench.host = bench.host.kill();
        long before = bench.host.disk().bytesRead();
        bench.open();
        assertTrue(
                bench.host.disk().bytesRead() - before < 40_000,
                "read " + (bench.host.disk().bytesRead() - before));
        bench.checkpoint();
        bench.host = bench.host.kill();
        before = bench.host.disk().bytesRead();
        bench.open();
        assertTrue(
                bench.host.disk().bytesRead() - before < 60_000,
                "read " + (bench.host.disk().bytesRead() - before));
    }

    @Test
    void indexesAreHints_S9() {
        for (int damage = 0; damage < 5; damage++) {
            LogBench bench = new LogBench(2, LogBench.tiny("internal.segment.bytes", "5000")).open();
            while (bench.log.logEndOffset() < 120) {
                bench.append(3);
                bench.host.runFor(3);
            }
            List<Long> bases = bench.bases(0);
            bench.host.<Void>await(done -> bench.log.close(done));
            bench.checkpoint();
            bench.host.<Void>await(
                    done -> bench.host.executor().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(-1), done));
            bench.host = bench.host.kill();
            for (String line : bench.host.disk().tree()) {
                String path = line.substring(0, Math.max(0, line.lastIndexOf(' ')));
                if (path.endsWith(".index") && bench.host.disk().content(path).length > 0) {
                    bench.host.disk().put(path, spoil(damage, bench.host.disk().content(path)));
                }
            }
            bench.open();
            assertEquals(bases, bench.bases(0), "damage " + damage);
            for (long base : bases) {
                ReadResult result = bench.read(base + 1, 1, ReadBound.LOG_END);
                assertEquals(
                        base, ByteBuffer.wrap(LogBench.bytes(result.range())).getLong(), "damage " + damage);
            }
        }
    }

    private static byte[] spoil(int how, byte[] index) {
        byte[] spoilt = index.clone();
        switch (how) {
            case 0 -> Arrays.fill(spoilt, (byte) 0);
            case 1 -> Arrays.fill(spoilt, (byte) 0x11);
            case 2 -> spoilt = Arrays.copyOf(spoilt, spoilt.length - 3);
            case 3 -> spoilt = Arrays.copyOf(spoilt, spoilt.length + 800);
            default -> {
                for (int i = 7; i < spoilt.length; i += 8) {
                    spoilt[i] = (byte) (spoilt[i] + 13);
                }
            }
        }
        return spoilt;
    }

    @Test
    void fullDiskRefusesAppendsAndHeals_S10() {
        LogBench bench = new LogBench(4, LogBench.tiny());
        bench.limits = new LogLimits(4, 8 << 20, 20_000, 1 << 20);
        bench.host.disk().capacity(24_000);
        bench.open();
        Failure failure = null;
        for (int i = 0; i < 200 && failure == null; i++) {
            Failure[] seen = {null};
            bench.log.append(bench.batch(2), 0, (result, failed) -> seen[0] = failed);
            bench.host.runFor(1100);
            failure = seen[0];
        }
        assertNotNull(failure);
        assertEquals(FailureCode.DISK_FULL, failure.code());
        assertEquals(bench.log.logEndOffset() / 2, bench.bases(0).size(), "reads go on");
        bench.log.advanceHighWatermark(bench.log.logEndOffset());
        assertEquals(4L, bench.host.<Long>await(done -> bench.log.deleteBefore(4, done)));
        bench.host.disk().capacity(10_000_000);
        bench.host.runFor(2000);
        bench.log.housekeep(bench.host.clock().wallMillis());
        bench.host.runFor(2000);
        long end = bench.log.logEndOffset();
        assertEquals(end, bench.append(1).baseOffset(), "heals by itself");
    }

    @Test
    void enospcInTheWriteRefusesOnlyWhatDidNotFit_S10() {
        LogBench bench = new LogBench(4, LogBench.tiny("internal.segment.bytes", "100000")).open();
        bench.append(1);
        bench.host.disk().capacity(bench.host.disk().usedBytes() + 50);
        assertEquals(FailureCode.DISK_FULL, bench.appendFails(bench.batch(1)).code());
        bench.host.disk().capacity(10_000_000);
        bench.host.runFor(2000);
        bench.log.housekeep(bench.host.clock().wallMillis());
        bench.host.runFor(2000);
        assertEquals(1, bench.append(1).baseOffset());
        bench.kill();
        assertEquals(List.of(0L, 1L), bench.bases(0));
    }

    /** Without a reserve a disk of no free byte is as full as before, one second later: no write is tried in vain. */
    @Test
    void fullDiskWithoutReserveStaysFull_S10() {
        LogBench bench = new LogBench(4, LogBench.tiny("internal.segment.bytes", "100000"));
        bench.limits = new LogLimits(4, 8 << 20, 0, 1 << 20);
        bench.open();
        bench.append(1);
        bench.host.disk().capacity(bench.host.disk().usedBytes());
        Failure written = bench.appendFails(bench.batch(1));
        for (int second = 0; second < 3; second++) {
            bench.host.runFor(1100);
            bench.log.housekeep(bench.host.clock().wallMillis());
            bench.host.runFor(1100);
            Failure refused = bench.appendFails(bench.batch(1));
            assertEquals(FailureCode.DISK_FULL, refused.code());
            assertNotEquals(written.message(), refused.message(), "it was tried");
        }
        bench.host.disk().capacity(10_000_000);
        bench.host.runFor(1100);
        bench.log.housekeep(bench.host.clock().wallMillis());
        bench.host.runFor(1100);
        assertEquals(1, bench.append(1).baseOffset());
    }

    @Test
    void startNeedsNoFreeSpace_S7() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        for (int i = 0; i < 20; i++) {
            bench.append(3);
        }
        bench.host = bench.host.kill();
        bench.host.disk().capacity(1);
        bench.open();
        assertEquals(60, bench.log.logEndOffset());
        assertEquals(20, bench.bases(0).size());
    }

    @Test
    void groupCommitSharesTheSync() {
        LogBench bench = new LogBench(4, LogBench.tiny(DURABLE)).open();
        bench.append(1);
        int[] syncs = {0};
        bench.host.disk().faults((operation, path, number) -> {
            syncs[0] += operation == Operation.SYNC ? 1 : 0;
            return Fault.NONE;
        });
        List<Long> acked = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            bench.log.append(bench.batch(1), 0, (result, failure) -> acked.add(result.baseOffset()));
        }
        bench.host.runFor(100);
        assertEquals(50, acked.size());
        assertEquals(2, syncs[0], "the first alone, the others together");
        assertEquals(acked.stream().sorted().toList(), acked, "answers in order");
    }

    @Test
    void epochIsPersistedBeforeItsFirstBatch_I1() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        bench.host.<Void>await(done -> bench.log.beginEpoch(5, done));
        assertEquals(
                0,
                bench.host.disk().tree().stream()
                        .filter(path -> path.contains("orders-3"))
                        .count());
        bench.append(2);
        bench.host.<Void>await(done -> bench.log.beginEpoch(8, done));
        bench.append(2);
        bench.kill();
        assertEquals(new EpochEnd(5, 2), bench.log.endOfEpoch(6));
        assertEquals(new EpochEnd(8, 4), bench.log.endOfEpoch(8));
        assertEquals(8, bench.log.latestEpoch());
        bench.host.disk().put("orders-3/leader-epoch-checkpoint", "junk".getBytes(StandardCharsets.UTF_8));
        bench.kill();
        assertEquals(new EpochEnd(5, 2), bench.log.endOfEpoch(6), "rebuilt from batches");
    }

    @Test
    void logStartIsPersistedFirst_I12() {
        for (long seed = 0; seed < 20; seed++) {
            LogBench bench = new LogBench(seed, LogBench.tiny("flush.messages", "1")).open();
            for (int i = 0; i < 12; i++) {
                bench.append(2);
            }
            bench.log.advanceHighWatermark(24);
            assertEquals(15L, bench.host.<Long>await(done -> bench.log.deleteBefore(15, done)));
            assertEquals(FailureCode.OFFSET_OUT_OF_RANGE, bench.readFails(14).code());
            assertEquals(
                    FailureCode.OFFSET_OUT_OF_RANGE,
                    bench.host
                            .<Long>awaitFailure(done -> bench.log.deleteBefore(25, done))
                            .code());
            bench.powerCut();
            assertEquals(15, bench.log.logStartOffset());
            assertEquals(24, bench.log.logEndOffset());
            bench.log.advanceHighWatermark(24);
            bench.log.housekeep(bench.host.clock().wallMillis());
            bench.host.runFor(5000);
            assertEquals(15, bench.log.logStartOffset());
            assertFalse(bench.host.disk().tree().toString().contains("orders-3/00000000000000000000.log"));
        }
    }

    @Test
    void retentionByTimeKeepsTheFutureAndRollsTheActive() {
        LogBench bench = new LogBench(4, LogBench.tiny("retention.ms", "10000")).open();
        for (int i = 0; i < 12; i++) {
            bench.append(2);
        }
        bench.log.advanceHighWatermark(24);
        bench.log.housekeep(bench.host.clock().wallMillis());
        bench.host.runFor(5000);
        assertEquals(0, bench.log.logStartOffset());
        bench.cleanRestart();
        bench.log.advanceHighWatermark(24);
        bench.log.housekeep(bench.host.clock().wallMillis() + 20_000);
        bench.host.runFor(5000);
        assertEquals(24, bench.log.logStartOffset());
        assertEquals(0, bench.log.sizeBytes());
        assertEquals(24, bench.append(1).baseOffset());
        bench.kill();
        assertEquals(25, bench.log.logEndOffset());
    }

    @Test
    void deletedPartitionLeavesItsNameAtOnceAndItsFilesLater() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        bench.append(2);
        bench.host.<Void>await(done -> bench.log.delete(done));
        List<String> tree = bench.host.disk().tree();
        assertTrue(tree.stream().anyMatch(path -> path.matches("orders-3\\.[0-9a-f]{32}-delete/.*")), tree.toString());
        assertTrue(tree.stream().noneMatch(path -> path.startsWith("orders-3/")), tree.toString());
        assertEquals(
                FailureCode.STORAGE_ERROR, bench.appendFails(bench.batch(1)).code());
        bench.host.runFor(3000);
        assertTrue(bench.host.disk().tree().stream().noneMatch(path -> path.contains("orders-3")));
    }

    @Test
    void newTopicDoesNotGetIntoTheDirectoryOfTheOld_C7() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        bench.append(2);
        LogIdentity next = new LogIdentity("orders", 3, "AAAAAAAAQAGAAAAAAAAAAw");
        PartitionLog log = bench.host.await(done -> bench.context.open(next, bench.config, LogStart.NEW, done));
        Failure early = bench.host.<AppendResult>awaitFailure(done -> log.append(bench.batch(1), 0, done));
        assertEquals(FailureCode.STORAGE_ERROR, early.code());
        bench.host.<Void>await(done -> bench.log.delete(done));
        assertEquals(
                0,
                bench.host
                        .<AppendResult>await(done -> log.append(bench.batch(1), 0, done))
                        .baseOffset());
    }

    @Test
    void newPartitionTouchesNoDisk() {
        LogBench bench = new LogBench(4, LogBench.tiny()).open();
        long before = bench.host.disk().operations();
        for (int i = 0; i < 100; i++) {
            LogIdentity identity = new LogIdentity("t" + i, 0, LogBench.IDENTITY.topicId());
            PartitionLog log = bench.host.await(done -> bench.context.open(identity, bench.config, LogStart.NEW, done));
            bench.host.<Void>await(done -> log.beginEpoch(0, done));
        }
        assertEquals(before, bench.host.disk().operations());
    }
}
