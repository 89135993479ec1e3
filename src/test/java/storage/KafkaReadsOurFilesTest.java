package storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.tools.DumpLogSegments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import records.BatchBuilder;
import records.BatchHeader;
import records.Codec;

/** Apache Kafka's own dump tool verifies every file of a partition's directory: the outside judge of the format. */
final class KafkaReadsOurFilesTest {

    private static final List<String> COMPLAINTS = List.of(
            "mismatch",
            "Found",
            "corrupt",
            "out of order",
            "Non-consecutive",
            "exception",
            "isvalid: false",
            "Skipping",
            "invalid");

    @Test
    void afterACleanStop(@TempDir Path target) throws IOException {
        LogBench bench = written();
        bench.cleanRestart();
        judge(bench, target);
    }

    @Test
    void afterAKillAndRecovery(@TempDir Path target) throws IOException {
        LogBench bench = written();
        bench.kill();
        for (int i = 0; i < 10; i++) {
            bench.append(3);
        }
        bench.host.<Void>await(done -> bench.log.close(done));
        judge(bench, target);
    }

    @Test
    void whileRunning(@TempDir Path target) throws IOException {
        LogBench bench = written();
        bench.host.<Void>await(done -> bench.log.flush(done));
        judge(bench, target);
    }

    @Test
    void afterCompaction(@TempDir Path target) throws IOException {
        String[] settings = {"cleanup.policy", "compact", "delete.retention.ms", "1", "internal.segment.bytes", "3000"};
        CompactionLab lab =
                new CompactionLab(3, LogBench.tiny(settings), List.of(Codec.NONE, Codec.LZ4, Codec.ZSTD), 60);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 60; i++) {
                lab.write();
            }
            lab.host().runFor(500);
            CleaningReport report = lab.clean();
            assertTrue(report.bytesAfter() < report.bytesBefore(), report.toString());
        }
        long records = lab.batches().stream()
                .mapToLong(batch -> BatchHeader.recordCount(batch, 0))
                .sum();
        lab.bench.cleanRestart();
        judge(lab.bench, target, records, batch -> batch.replaceAll("Non-consecutive offsets in .*(\\R  .*)*", ""));
    }

    @Test
    void mutantIsSeen(@TempDir Path target) {
        LogBench bench = written(TornTailTest.mutation("index-past-log"));
        bench.host.<Void>await(done -> bench.log.close(done));
        assertThrows(Throwable.class, () -> judge(bench, target));
    }

    private static LogBench written() {
        return written(Mutations.NONE);
    }

    /** Many segments; idempotent producers, transactions committed and aborted, times that go back and forth. */
    private static LogBench written(Mutations mutations) {
        LogBench bench = new LogBench(11, LogBench.tiny("internal.segment.bytes", "4000")).open(mutations);
        bench.host.<Void>await(done -> bench.log.beginEpoch(2, done));
        int[] sequences = new int[3];
        for (int i = 0; i < 90; i++) {
            int producer = i % 3;
            boolean transactional = producer == 2;
            int records = 1 + i % 4;
            bench.append(bench.batch(
                    records,
                    i % 90,
                    new BatchBuilder.Producer(100 + producer, (short) 0, sequences[producer], transactional)));
            sequences[producer] += records;
            if (i % 10 == 9 && sequences[2] > 0) {
                bench.append(marker(i % 20 == 9));
            }
            if (i == 40) {
                bench.host.clock().jumpMillis(-5000);
            }
            if (i == 60) {
                bench.host.<Void>await(done -> bench.log.beginEpoch(4, done));
            }
            bench.host.runFor(i % 7);
        }
        return bench;
    }

    private static ByteBuffer marker(boolean abort) {
        ControlRecordType type = abort ? ControlRecordType.ABORT : ControlRecordType.COMMIT;
        return MemoryRecords.withEndTransactionMarker(
                        0, 1_767_225_600_000L, 0, 102, (short) 0, new EndTransactionMarker(type, 0))
                .buffer();
    }

    private static void judge(LogBench bench, Path target) throws IOException {
        judge(bench, target, bench.log.logEndOffset(), said -> said);
    }

    private static void judge(LogBench bench, Path target, long expected, UnaryOperator<String> fair)
            throws IOException {
        List<String> files = export(bench, target);
        assertTrue(files.stream().filter(file -> file.endsWith(".log")).count() > 3, files.toString());
        for (String suffix : List.of(".index", ".timeindex", ".txnindex", ".snapshot")) {
            assertTrue(files.stream().anyMatch(file -> file.endsWith(suffix)), "there is no " + suffix);
        }
        for (String file : files) {
            boolean index = file.endsWith(".index") || file.endsWith(".timeindex");
            List<String> modes = index
                    ? List.of("--deep-iteration", "--index-sanity-check", "--verify-index-only")
                    : List.of("--deep-iteration");
            for (String mode : modes) {
                String said = fair.apply(dump(mode, "--files", file));
                for (String complaint : COMPLAINTS) {
                    assertFalse(said.contains(complaint), mode + " " + file + ":\n" + said);
                }
            }
        }
        String all = "";
        for (String file : files) {
            all += file.endsWith(".log") ? dump("--deep-iteration", "--files", file) : "";
        }
        long records = all.lines().filter(line -> line.startsWith("|")).count();
        assertEquals(expected, records, "the tool sees every record");
    }

    private static List<String> export(LogBench bench, Path target) throws IOException {
        List<String> files = new ArrayList<>();
        for (String line : bench.host.disk().tree()) {
            String path = line.substring(0, Math.max(0, line.lastIndexOf(' ')));
            if (path.startsWith(LogBench.DIRECTORY + "/") && !path.endsWith("/")) {
                Path file = target.resolve(path);
                Files.createDirectories(file.getParent());
                Files.write(file, bench.host.disk().content(path));
                if (path.matches(".*\\.(log|index|timeindex|txnindex|snapshot)")) {
                    files.add(file.toString());
                }
            }
        }
        return files;
    }

    private static String dump(String... args) throws IOException {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
        try {
            DumpLogSegments.main(args);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        // The tool says this of the first batch of every file that does not begin at 0, Kafka's own included.
        return said.toString(StandardCharsets.UTF_8)
                .replaceAll("Non-consecutive offsets in .*\\R  -1 is followed by .*\\R", "");
    }
}
