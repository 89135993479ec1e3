package cli;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;

/**
 * Offset index against its log: entries (relative offset, position) rise, and each points at the start of a batch and names
 * that batch's last offset.
 */
final class OffsetIndexCheck implements BatchCheck {

    private static final int ENTRY_BYTES = 8;

    private final Path file;
    private final long baseOffset;
    private final IndexFile index;
    private final Findings findings;
    private int next;

    private OffsetIndexCheck(Path file, long baseOffset, IndexFile index, Findings findings) {
        this.file = file;
        this.baseOffset = baseOffset;
        this.index = index;
        this.findings = findings;
    }

    static OffsetIndexCheck load(Path file, long baseOffset, Findings findings) throws IOException {
        IndexFile index = IndexFile.load(file, ENTRY_BYTES, findings);
        for (int i = 1; i < index.count(); i++) {
            if (index.intAt(i, 0) <= index.intAt(i - 1, 0) || index.intAt(i, 4) <= index.intAt(i - 1, 4)) {
                findings.problem(file, "entry " + i + " does not rise above the one before");
            }
        }
        return new OffsetIndexCheck(file, baseOffset, index, findings);
    }

    @Override
    public void batch(FileChannelRecordBatch batch) {
        while (next < index.count() && index.intAt(next, 4) < batch.position()) {
            findings.problem(file, "entry " + next + " points into a batch, at position " + index.intAt(next, 4));
            next++;
        }
        while (next < index.count() && index.intAt(next, 4) == batch.position()) {
            long offset = baseOffset + index.intAt(next, 0);
            if (offset != batch.lastOffset()) {
                findings.problem(
                        file,
                        "entry " + next + " names offset " + offset + " for the batch at position " + batch.position()
                                + ", whose last offset is " + batch.lastOffset());
            }
            next++;
        }
    }

    void end() {
        if (next < index.count()) {
            findings.problem(
                    file,
                    "has " + (index.count() - next) + " entry(s) past the end of the log, from position "
                            + index.intAt(next, 4));
        }
    }
}
