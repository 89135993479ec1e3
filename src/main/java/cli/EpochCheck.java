package cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;

/** The leader epoch checkpoint: its form, and that every batch has the epoch which it says (rule I1). */
final class EpochCheck implements BatchCheck {

    private record Entry(int epoch, long startOffset) {}

    private final Path file;
    private final List<Entry> entries;
    private final Findings findings;
    private int at = -1;
    private int epochBefore = -1;

    private EpochCheck(Path file, List<Entry> entries, Findings findings) {
        this.file = file;
        this.entries = entries;
        this.findings = findings;
    }

    static EpochCheck load(Path file, Findings findings) throws IOException {
        List<Entry> entries = new ArrayList<>();
        if (!Files.exists(file)) {
            findings.note(file, "is missing");
            return new EpochCheck(file, entries, findings);
        }
        List<String> lines = Files.readAllLines(file);
        try {
            int count = Integer.parseInt(lines.get(1).trim());
            if (!lines.get(0).trim().equals("0") || lines.size() != count + 2) {
                findings.problem(file, "is not of the form: version 0, number of entries, entries");
            }
            for (String line : lines.subList(2, lines.size())) {
                String[] words = line.trim().split(" ", -1);
                entries.add(new Entry(Integer.parseInt(words[0]), Long.parseLong(words[1])));
            }
        } catch (IndexOutOfBoundsException | NumberFormatException problem) {
            findings.problem(file, "is unreadable: " + problem.getMessage());
        }
        for (int i = 1; i < entries.size(); i++) {
            Entry before = entries.get(i - 1);
            Entry entry = entries.get(i);
            if (entry.epoch() <= before.epoch() || entry.startOffset() < before.startOffset()) {
                findings.problem(file, "entry " + i + " does not rise above the one before");
            }
        }
        return new EpochCheck(file, entries, findings);
    }

    @Override
    public void batch(FileChannelRecordBatch batch) {
        int epoch = batch.partitionLeaderEpoch();
        if (epoch < epochBefore) {
            findings.problem(file, "batch at offset " + batch.baseOffset() + " falls back to epoch " + epoch);
        }
        epochBefore = epoch;
        while (at + 1 < entries.size() && entries.get(at + 1).startOffset() <= batch.baseOffset()) {
            at++;
        }
        if (!entries.isEmpty() && (at < 0 || entries.get(at).epoch() != epoch)) {
            findings.problem(
                    file,
                    "says epoch "
                            + (at < 0 ? "none" : String.valueOf(entries.get(at).epoch())) + " for offset "
                            + batch.baseOffset() + ", whose batch has epoch " + epoch);
        }
    }

    void end(long nextOffset) {
        if (!entries.isEmpty() && entries.get(entries.size() - 1).startOffset() > nextOffset) {
            findings.problem(file, "has an epoch that starts past the end of the log, " + nextOffset);
        }
    }
}
