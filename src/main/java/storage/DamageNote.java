package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small file in a damaged partition's directory (rule S8): where the damage begins. Later starts check the log from there, also after a clean stop,
 * since nothing else tells them where not to read. Gone once nothing damaged is left. Kafka's tools pass over it.
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

    /** Writes what was found while the log was open; {@code damage}: all that is known of, in order, not empty. */
    static DiskJob<Void> writing(String directory, List<DamagedRange> damage) {
        return files -> {
            update(files, directory, -1, damage);
            return null;
        };
    }

    /** Makes the note say what was found now. */
    static void update(FileSystem files, String directory, long noted, List<DamagedRange> damage) throws IOException {
        long from = damage.isEmpty() ? Long.MAX_VALUE : damage.get(0).fromOffset();
        if (from == noted) {
            return;
        }
        String path = directory + '/' + FILE_NAME;
        if (damage.isEmpty()) {
            files.delete(path);
            return;
        }
        try {
            AtomicFile.replace(files, path, ByteBuffer.wrap(("0\n1\n" + from + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (DiskFullException noRoom) {
            LOG.warn(
                    "No room to note that {} is damaged from offset {} on: make room before the next restart",
                    directory,
                    from);
        }
    }
}
