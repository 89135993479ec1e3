package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The file that says that a log directory was shut down cleanly (rules S5, S6). Ours: version, length and CRC-32C of these two and what follows (int32 each),
 * then that many bytes, which say nothing more. Anything else in the file means "not clean"; an unknown version means hands off.
 */
final class CleanMark {

    static final String FILE_NAME = ".highwater-clean-shutdown";
    /** Apache Kafka's: true only until we write, so it goes too. */
    static final String KAFKA_FILE_NAME = ".kafka_cleanshutdown";

    private static final int VERSION = 1;
    private static final int HEADER = 12;
    private static final byte[] CONTENT = {'c', 'l', 'e', 'a', 'n'};
    private static final int MAX_BYTES = 4096;

    private CleanMark() {}

    static void write(FileSystem files) throws IOException {
        files.syncDirectory("");
        AtomicFile.replace(files, FILE_NAME, image(VERSION));
    }

    static ByteBuffer image(int version) {
        ByteBuffer image = ByteBuffer.allocate(HEADER + CONTENT.length);
        image.putInt(version)
                .putInt(CONTENT.length)
                .putInt(crc(version, CONTENT))
                .put(CONTENT);
        return image.flip();
    }

    /** Whether a valid mark is there. */
    static boolean read(FileSystem files) throws IOException {
        ByteBuffer image = AtomicFile.read(files, FILE_NAME, MAX_BYTES);
        if (image == null || image.remaining() < HEADER) {
            return false;
        }
        int version = image.getInt();
        int length = image.getInt();
        int crc = image.getInt();
        byte[] content = new byte[image.remaining()];
        image.get(content);
        if (length != content.length || crc != crc(version, content)) {
            return false;
        }
        if (version != VERSION) {
            throw new DirectoryRefusedException(
                    FILE_NAME + " is of version " + version + ": the directory was used by a newer Highwater");
        }
        return true;
    }

    /** Gone for good before logs are opened for write. */
    static void remove(FileSystem files) throws IOException {
        files.delete(FILE_NAME);
        files.delete(KAFKA_FILE_NAME);
        files.syncDirectory("");
    }

    private static int crc(int version, byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(version)
                .putInt(content.length)
                .flip());
        crc.update(content, 0, content.length);
        return (int) crc.getValue();
    }
}
