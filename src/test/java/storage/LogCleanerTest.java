package storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Ports;
import config.CleanerConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import records.BatchBuilder;
import records.Codec;
import sim.DiskFaults;
import sim.LoggedLines;

/** Which log is cleaned when, and what becomes of one that cannot be. */
final class LogCleanerTest {

    private static final LogIdentity OTHER = new LogIdentity("others", 0, "AAAAAAAAQAGAAAAAAAAABQ");

    private static CompactionLab lab() {
        return new CompactionLab(
                3,
                LogBench.tiny("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.3"),
                List.of(Codec.NONE),
                5);
    }

    private static PartitionLog other(CompactionLab lab, String policy) {
        PartitionLog log = lab.host()
                .await(done -> lab.bench.context.open(
                        OTHER,
                        LogBench.tiny("cleanup.policy", policy, "min.cleanable.dirty.ratio", "0"),
                        LogStart.NEW,
                        done));
        fill(lab, log);
        return log;
    }

    private static void fill(CompactionLab lab, PartitionLog log) {
        for (int i = 0; i < 30; i++) {
            BatchBuilder batch =
                    new BatchBuilder(Codec.NONE, 0, 0).add(100 + i, new byte[] {(byte) (i % 3)}, new byte[50]);
            lab.host().<AppendResult>await(done -> log.append(batch.build(), 0, done));
        }
        log.advanceHighWatermark(log.logEndOffset());
        lab.host().runFor(100);
    }

    private static LogCleaner cleaner(CompactionLab lab, List<PartitionLog> logs, double rate) {
        Ports ports = lab.host().ports();
        CleanerConfig config = new CleanerConfig(true, 1_000, 1 << 20, 0.9, 1 << 13, rate);
        return new LogCleaner(ports, () -> logs, new CleanerTools(ports.clock(), config, 1 << 30, 1), 0);
    }

    private static double gauge(CompactionLab lab, String name) {
        return lab.host().metrics().gauge(name, "shard", "0");
    }

    /** Rule K6: its damaged segment only. */
    @Test
    void aDamagedSegmentStaysAsItIsAndHoldsUpNothing() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        PartitionLog other = other(lab, "compact");
        String path = lab.bench.segment(0, ".log");
        lab.host().disk().rot(path, 100, 2);
        byte[] before = lab.host().disk().content(path);
        long bytes = lab.log().sizeBytes();
        LogCleaner cleaner = cleaner(lab, List.of(lab.log(), other), Double.MAX_VALUE);
        try (LoggedLines told = new LoggedLines("storage.Cleaning")) {
            cleaner.start();
            lab.host().runFor(10_000);
            assertTrue(other.cleanedTo() > 20, "the other is cleaned to " + other.cleanedTo());
            assertTrue(
                    lab.log().cleanedTo() > 20, "it is cleaned to " + lab.log().cleanedTo());
            assertTrue(lab.log().sizeBytes() < bytes, "what lies behind is compacted");
            assertTrue(lab.log().sizeBytes() >= before.length);
            for (int i = 0; i < 5; i++) {
                fill(lab, lab.log());
                lab.host().runFor(10_000);
            }
            assertEquals(1, told.lines().size(), told.lines().toString());
        }
        assertEquals(0, gauge(lab, "kafka_log_logcleanermanager_uncleanable_partitions_count"));
        assertTrue(gauge(lab, "highwater_log_cleaner_damaged_bytes") >= before.length);
        assertArrayEquals(before, lab.host().disk().content(path));
        cleaner.stop();
    }

    @Test
    void aLogThatCannotBeReadIsTriedAgainAndHoldsUpNoOther() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        PartitionLog other = other(lab, "compact");
        lab.host()
                .disk()
                .faults((operation, path, number) ->
                        operation == DiskFaults.Operation.READ && path.equals(lab.bench.segment(0, ".log"))
                                ? DiskFaults.Fault.ERROR
                                : DiskFaults.Fault.NONE);
        LogCleaner cleaner = cleaner(lab, List.of(lab.log(), other), Double.MAX_VALUE);
        cleaner.start();
        lab.host().runFor(10_000);
        assertTrue(other.cleanedTo() > 20, "the other is cleaned to " + other.cleanedTo());
        assertEquals(-1, lab.log().cleanedTo());
        assertEquals(1, gauge(lab, "kafka_log_logcleanermanager_uncleanable_partitions_count"));
        assertTrue(gauge(lab, "kafka_log_logcleanermanager_uncleanable_bytes") > 900);
        assertEquals(100, gauge(lab, "kafka_log_logcleanermanager_max_dirty_percent"));
        lab.host().disk().faults(DiskFaults.NONE);
        lab.host().runFor(40_000);
        assertTrue(lab.log().cleanedTo() > 20);
        assertEquals(0, gauge(lab, "kafka_log_logcleanermanager_uncleanable_partitions_count"));
        cleaner.stop();
    }

    @Test
    void aLogWithoutThePolicyIsLeftAlone() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        PartitionLog other = other(lab, "delete");
        long bytes = other.sizeBytes();
        LogCleaner cleaner = cleaner(lab, List.of(other, lab.log()), Double.MAX_VALUE);
        cleaner.start();
        lab.host().runFor(10_000);
        assertTrue(lab.log().cleanedTo() > 20);
        assertEquals(-1, other.cleanedTo());
        assertEquals(bytes, other.sizeBytes());
        cleaner.stop();
    }

    @Test
    void theDirtiestIsFirst() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        lab.clean();
        long cleaned = lab.log().cleanedTo();
        for (int i = 0; i < 40; i++) {
            fill(lab, lab.log());
        }
        PartitionLog other = other(lab, "compact");
        LogCleaner cleaner = cleaner(lab, List.of(lab.log(), other), 20_000);
        cleaner.start();
        while (other.cleanedTo() < 0) {
            lab.host().runFor(10);
            assertEquals(cleaned, lab.log().cleanedTo(), "the less dirty one was first");
        }
        lab.host().runFor(60_000);
        assertTrue(lab.log().cleanedTo() > cleaned);
        cleaner.stop();
    }

    @Test
    void itKeepsToItsRate() {
        CompactionLab lab = lab();
        lab.rate = 10_000;
        for (int i = 0; i < 5; i++) {
            fill(lab, lab.log());
        }
        long bytes = lab.log().sizeBytes();
        CleaningReport report = lab.clean();
        long least = (bytes + report.bytesBefore()) * 1000 / 10_000 * 8 / 10;
        assertTrue(report.millis() >= least, report + " for " + bytes + " bytes, at least " + least + " ms");
    }

    @Test
    void aStopEndsIt() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        LogCleaner cleaner = cleaner(lab, List.of(lab.log()), Double.MAX_VALUE);
        cleaner.start();
        cleaner.stop();
        lab.host().runFor(10_000);
        assertEquals(-1, lab.log().cleanedTo());
    }

    @Test
    void aFullDiskIsNoReasonToLoseAnything() {
        CompactionLab lab = lab();
        fill(lab, lab.log());
        long records = lab.batches().size();
        lab.host().disk().capacity(lab.host().disk().usedBytes() + 500);
        LogCleaner cleaner = cleaner(lab, List.of(lab.log()), Double.MAX_VALUE);
        cleaner.start();
        lab.host().runFor(10_000);
        assertEquals(-1, lab.log().cleanedTo());
        assertEquals(records, lab.batches().size());
        assertTrue(lab.host().disk().tree().stream().noneMatch(line -> line.contains(".cleaned")));
        lab.host().disk().unbounded();
        lab.host().runFor(40_000);
        assertTrue(lab.log().cleanedTo() > 20);
        cleaner.stop();
    }
}
