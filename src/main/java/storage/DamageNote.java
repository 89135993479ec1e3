package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small file in a damaged partition's directory (rule S8): where the damage begins. Later starts check the log from there, also after a clean stop,
 * since nothing else tells them where not to read; and what compaction went around counts as never compacted, if it can be read again. Gone once nothing damaged
 * is left and all was compacted since. Kafka's tools pass over it.
 */
final class DamageNote {

    static final String FILE_NAME = "damaged-from";
    private static final int MAX_BYTES = 4096;
    private static final Logger LOG = LoggerFactory.getLogger(DamageNote.class);

    private DamageNote() {}

    /** The first damaged offset that was found earlier; MAX_VALUE when there is no note, 0 when it cannot be read. */
    static long read(FileSystem files, String directory) throws IOException {
        ByteBuffer content = AtomicFile.read(files, directory + '/' + FILE_NAME, MAX_BYTES);
        if (content == null) {
            return Long.MAX_VALUE;
        }
        CheckpointLines lines = CheckpointLines.parse(content, 1);
        boolean readable = lines.failure() == null && lines.lines().size() == 1;
        return readable ? Math.max(0, CheckpointLines.number(lines.lines().get(0)[0])) : 0;
    }

    /** Makes the note say {@code from}; MAX_VALUE: there is to be none. */
    static DiskJob<Void> writing(String directory, long from) {
        return files -> {
            write(files, directory, from);
            return null;
        };
    }

    /** At a start, which must succeed without room too: makes a note that says {@code noted} say {@code from}. Gives what it says now. */
    static long update(FileSystem files, String directory, long noted, long from) throws IOException {
        if (from == noted) {
            return noted;
        }
        try {
            write(files, directory, from);
            return from;
        } catch (DiskFullException noRoom) {
            LOG.warn(
                    "No room to note that {} is damaged from offset {} on: make room before the next restart",
                    directory,
                    from);
            return noted;
        }
    }

    private static void write(FileSystem files, String directory, long from) throws IOException {
        String path = directory + '/' + FILE_NAME;
        if (from < Long.MAX_VALUE) {
            AtomicFile.replace(files, path, ByteBuffer.wrap(("0\n1\n" + from + "\n").getBytes(StandardCharsets.UTF_8)));
        } else if (files.exists(path)) {
            files.delete(path);
        }
    }
}
