package storage;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Offsets of partitions by Kafka's text format, as in {@code recovery-point-offset-checkpoint}, {@code replication-offset-checkpoint} (high watermarks),
 * {@code log-start-offset-checkpoint} and {@code cleaner-offset-checkpoint}: version 0, count, then {@code topic partition offset} a line. Written by {@link AtomicFile#replace}.
 */
public final class CheckpointFile {

    public static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
    public static final String HIGH_WATERMARKS = "replication-offset-checkpoint";
    public static final String LOG_STARTS = "log-start-offset-checkpoint";
    /** Up to where compacted logs have been cleaned. Losing it costs time only. */
    public static final String CLEANED = "cleaner-offset-checkpoint";

    /** offset >= 0. */
    public record Entry(String topic, int partition, long offset) {}

    /** Exactly one is null. Unreadable: each caller falls back as rule S5 says for its file. */
    public record Loaded(List<Entry> entries, Failure failure) {}

    private CheckpointFile() {}

    /** Reads a file's content, from position to limit. A partition named twice makes the file unreadable. */
    public static Loaded load(ByteBuffer file) {
        CheckpointLines lines = CheckpointLines.parse(file, 3);
        if (lines.failure() != null) {
            return new Loaded(null, lines.failure());
        }
        List<Entry> entries = new ArrayList<>(lines.lines().size());
        for (String[] fields : lines.lines()) {
            long partition = CheckpointLines.number(fields[1]);
            long offset = CheckpointLines.number(fields[2]);
            if (partition < 0 || partition > Integer.MAX_VALUE || offset < 0) {
                return new Loaded(
                        null, Failure.of(FailureCode.STORAGE_ERROR, "unreadable checkpoint: entry " + entries.size()));
            }
            entries.add(new Entry(fields[0], (int) partition, offset));
        }
        return new Loaded(entries, null);
    }

    /** The file's content, in the order given. */
    public static ByteBuffer image(List<Entry> entries) {
        StringBuilder text = new StringBuilder(16 + entries.size() * 32);
        text.append("0\n").append(entries.size()).append('\n');
        for (Entry entry : entries) {
            text.append(entry.topic()).append(' ');
            text.append(entry.partition()).append(' ').append(entry.offset()).append('\n');
        }
        return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
