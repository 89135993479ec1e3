package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The file that says that a log directory was shut down cleanly (rules S5, S6). Ours: version, length and CRC-32C of what follows (int32 each), then
 * that many bytes, which say nothing more. Anything else in the file means "not clean"; an unknown version means hands off.
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
        ByteBuffer image = ByteBuffer.allocate(HEADER + CONTENT.length);
        image.putInt(VERSION).putInt(CONTENT.length).putInt(crc(CONTENT)).put(CONTENT).flip();
        files.syncDirectory("");
        AtomicFile.replace(files, FILE_NAME, image);
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
        if (version == 0 || length != image.remaining()) {
            return false;
        }
        byte[] content = new byte[length];
        image.get(content);
        if (crc != crc(content)) {
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

    private static int crc(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content, 0, content.length);
        return (int) crc.getValue();
    }
}
