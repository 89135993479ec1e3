package cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Walks the segments of one partition in order, checks every file there, and collects what it finds. */
final class PartitionDump {

    private static final int OFFSET_DIGITS = 20;

    private final Path directory;
    private final boolean deep;
    private final PrintStream batchLines;
    private final Findings findings = new Findings();
    private final List<SegmentSummary> segments = new ArrayList<>();

    /** {@code batchLines} gets a line for each batch, or is null; {@code deep} decompresses and checks records. */
    PartitionDump(Path directory, boolean deep, PrintStream batchLines) {
        this.directory = directory;
        this.deep = deep;
        this.batchLines = batchLines;
    }

    void run() throws IOException {
        List<Path> logs = files(".log");
        EpochCheck epochs = EpochCheck.load(directory.resolve("leader-epoch-checkpoint"), findings);
        ProducerCheck producers = new ProducerCheck(files(".snapshot"), findings);
        long nextOffset = -1;
        for (int i = 0; i < logs.size(); i++) {
            Path log = logs.get(i);
            long base = baseOffset(log);
            if (base < 0) {
                findings.problem(log, "is not named by its first offset in 20 digits");
                continue;
            }
            if (base < nextOffset) {
                findings.problem(log, "begins at " + base + ", but the segment before goes on to " + (nextOffset - 1));
            }
            SegmentDump dump = new SegmentDump(log, base, i == logs.size() - 1, findings);
            SegmentSummary summary = dump.run(deep, List.of(epochs, producers), batchLines);
            segments.add(summary);
            nextOffset = Math.max(base, summary.nextOffset());
        }
        producers.end(Math.max(nextOffset, 0));
        epochs.end(Math.max(nextOffset, 0));
        checkMetadata();
        checkStrays(logs);
    }

    int problems() {
        return findings.problems().size();
    }

    void print(PrintStream out) {
        long batches = segments.stream().mapToLong(SegmentSummary::batches).sum();
        long records = segments.stream().mapToLong(SegmentSummary::records).sum();
        long bytes = segments.stream().mapToLong(SegmentSummary::bytes).sum();
        long first = segments.isEmpty() ? 0 : segments.get(0).baseOffset();
        long next = segments.isEmpty() ? 0 : segments.get(segments.size() - 1).nextOffset();
        out.printf(
                "%s: offsets %d to %d, %d segment(s), %d batch(es), %d record(s), %d bytes%n",
                directory, first, next - 1, segments.size(), batches, records, bytes);
        Table table = new Table("SEGMENT", "BATCHES", "RECORDS", "BYTES", "FIRST TIME", "LAST TIME", "CODECS");
        segments.forEach(segment -> segment.addTo(table));
        table.print(out, "  ");
        findings.notes().forEach(note -> out.println("  note: " + note));
        findings.problems().forEach(problem -> out.println("  PROBLEM: " + problem));
    }

    private void checkMetadata() throws IOException {
        Path file = directory.resolve("partition.metadata");
        if (!Files.exists(file)) {
            findings.note(file, "is missing: the topic's id is unknown");
            return;
        }
        String text = Files.readString(file);
        if (!text.matches("version: 0\\ntopic_id: [A-Za-z0-9_-]{22}\\n?")) {
            findings.problem(file, "is not of the form 'version: 0', 'topic_id: ID'");
        }
    }

    /** An index without its log helps nobody and may be taken for another's. */
    private void checkStrays(List<Path> logs) throws IOException {
        List<Long> bases = logs.stream().map(PartitionDump::baseOffset).toList();
        for (String suffix : List.of(".index", ".timeindex", ".txnindex")) {
            for (Path file : files(suffix)) {
                if (!bases.contains(baseOffset(file))) {
                    findings.problem(file, "has no log");
                }
            }
        }
        try (Stream<Path> all = Files.list(directory)) {
            all.filter(file -> file.toString().endsWith(".deleted")
                            || file.toString().endsWith(".cleaned")
                            || file.toString().endsWith(".swap"))
                    .sorted()
                    .forEach(file -> findings.note(file, "is left from a deletion or compaction under way"));
        }
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /** The offset that a file is named by; -1 if it is not. */
    static long baseOffset(Path file) {
        String name = file.getFileName().toString();
        int dot = name.indexOf('.');
        if (dot != OFFSET_DIGITS || !name.substring(0, dot).matches("\\d+")) {
            return -1;
        }
        try {
            return Long.parseLong(name.substring(0, dot));
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }
}
