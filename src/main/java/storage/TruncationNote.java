package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A small file in the directory of a log that is being truncated: to which offset. Durable before anything is cut, gone when all is. A start that finds it cuts
 * again before it looks at the files: what a power cut may have left of the old end (zeroed pages, later segments without those between) would else pass for
 * rot (rule S8). Kafka's tools pass over it.
 */
final class TruncationNote {

    static final String FILE_NAME = "truncating-to";
    private static final int MAX_BYTES = 4096;

    private TruncationNote() {}

    /** The offset; -1 when no truncation was under way, or nothing can be read of it. */
    static long read(FileSystem files, String directory, List<String> names) throws IOException {
        if (!names.contains(FILE_NAME)) {
            return -1;
        }
        ByteBuffer content = AtomicFile.read(files, directory + '/' + FILE_NAME, MAX_BYTES);
        CheckpointLines lines = content == null ? null : CheckpointLines.parse(content, 1);
        boolean readable =
                lines != null && lines.failure() == null && lines.lines().size() == 1;
        return readable ? CheckpointLines.number(lines.lines().get(0)[0]) : -1;
    }

    static void write(FileSystem files, String directory, long offset) throws IOException {
        String text = "0\n1\n" + offset + "\n";
        AtomicFile.replace(files, directory + '/' + FILE_NAME, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static void remove(FileSystem files, String directory) throws IOException {
        files.delete(directory + '/' + FILE_NAME);
        files.syncDirectory(directory);
    }
}
