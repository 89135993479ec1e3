package cli;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;

/**
 * Time index against its log: entries (timestamp, relative offset) do not fall; each names the highest timestamp up to the
 * batch that holds its offset, which is that batch's own.
 */
final class TimeIndexCheck implements BatchCheck {

    private static final int ENTRY_BYTES = 12;

    private final Path file;
    private final long baseOffset;
    private final IndexFile index;
    private final Findings findings;
    private int next;
    private long newestMillis = -1;

    private TimeIndexCheck(Path file, long baseOffset, IndexFile index, Findings findings) {
        this.file = file;
        this.baseOffset = baseOffset;
        this.index = index;
        this.findings = findings;
    }

    static TimeIndexCheck load(Path file, long baseOffset, Findings findings) throws IOException {
        IndexFile index = IndexFile.load(file, ENTRY_BYTES, findings);
        for (int i = 1; i < index.count(); i++) {
            if (index.longAt(i, 0) < index.longAt(i - 1, 0) || index.intAt(i, 8) < index.intAt(i - 1, 8)) {
                findings.problem(file, "entry " + i + " falls below the one before");
            }
        }
        return new TimeIndexCheck(file, baseOffset, index, findings);
    }

    @Override
    public void batch(FileChannelRecordBatch batch) {
        newestMillis = Math.max(newestMillis, batch.maxTimestamp());
        while (next < index.count() && offset() <= batch.lastOffset()) {
            long millis = index.longAt(next, 0);
            if (offset() >= batch.baseOffset() && (millis != batch.maxTimestamp() || millis != newestMillis)) {
                findings.problem(
                        file,
                        "entry " + next + " says " + millis + " for offset " + offset() + "; its batch has "
                                + batch.maxTimestamp() + ", the highest so far is " + newestMillis);
            }
            next++;
        }
    }

    private long offset() {
        return baseOffset + index.intAt(next, 8);
    }

    void end(long nextOffset) {
        if (next < index.count()) {
            findings.problem(
                    file,
                    "has " + (index.count() - next) + " entry(s) past the end of the log, offset " + (nextOffset - 1));
        }
    }
}
