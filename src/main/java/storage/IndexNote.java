package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small file beside transaction indexes: what each holds at least. A {@code .txnindex} file has no checksum and is not there for a segment without aborted
 * transactions, so a start could not tell a lost or rotten one from a good one, and would show aborted records as committed (rules T8, S9). Written when a segment
 * is closed and at a stop, after the index. An index may hold more than the note says, never less. Not there for directories that Kafka has written; its tools
 * pass over it.
 */
final class IndexNote {

    static final String FILE_NAME = "transaction-indexes";
    private static final int MAX_BYTES = 16 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(IndexNote.class);

    private IndexNote() {}

    /**
     * Of one segment's index.
     *
     * @param entries the first ones of the file, at least one
     * @param checksum of these, as {@link #shown}
     */
    record Line(long baseOffset, int entries, long checksum) {

        /** {@link FiledAborted#checksum()} without a sign. */
        static long shown(long checksum) {
            return checksum & Long.MAX_VALUE;
        }
    }

    /** What is noted, by base offset of the segment; nothing when there is no note, or it cannot be read. */
    static Map<Long, Line> read(FileSystem files, String directory, List<String> names) throws IOException {
        Map<Long, Line> found = new TreeMap<>();
        if (!names.contains(FILE_NAME)) {
            return found;
        }
        ByteBuffer content = AtomicFile.read(files, directory + '/' + FILE_NAME, MAX_BYTES);
        CheckpointLines lines = content == null ? null : CheckpointLines.parse(content, 3);
        if (lines == null || lines.failure() != null) {
            LOG.warn(
                    "{}/{} cannot be read: a transaction index that is lost would not be noticed. It is written anew with the next segment",
                    directory,
                    FILE_NAME);
            return found;
        }
        for (String[] fields : lines.lines()) {
            long base = CheckpointLines.number(fields[0]);
            long entries = CheckpointLines.number(fields[1]);
            if (base >= 0 && entries > 0 && entries <= Integer.MAX_VALUE) {
                found.put(base, new Line(base, (int) entries, CheckpointLines.number(fields[2])));
            }
        }
        return found;
    }

    /** The file's content, in the order given. */
    static ByteBuffer image(List<Line> lines) {
        StringBuilder text = new StringBuilder(16 + lines.size() * 40);
        text.append("0\n").append(lines.size()).append('\n');
        for (Line line : lines) {
            text.append(line.baseOffset()).append(' ').append(line.entries()).append(' ');
            text.append(line.checksum()).append('\n');
        }
        return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
