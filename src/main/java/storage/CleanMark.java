package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The file that says that a log directory was shut down cleanly (rules S5, S6). Ours: version, length and CRC-32C of these two and what follows (int32 each),
 * then that many bytes: "clean", and as an int64 the epoch of the broker that ended (rule C3), which the marks of earlier Highwaters do not have. Anything else in
 * the file means "not clean"; an unknown version means hands off.
 */
final class CleanMark {

    static final String FILE_NAME = ".highwater-clean-shutdown";
    /** Apache Kafka's: true only until we write, so it goes too. */
    static final String KAFKA_FILE_NAME = ".kafka_cleanshutdown";

    private static final int VERSION = 1;
    private static final int HEADER = 12;
    private static final byte[] CONTENT = {'c', 'l', 'e', 'a', 'n'};
    private static final int MAX_BYTES = 4096;

    /** In place of an epoch. */
    static final long NOT_CLEAN = -2;

    static final long UNKNOWN_EPOCH = -1;

    private CleanMark() {}

    /** @param brokerEpoch of the process that ends, or {@link #UNKNOWN_EPOCH} */
    static void write(FileSystem files, long brokerEpoch) throws IOException {
        files.syncDirectory("");
        AtomicFile.replace(files, FILE_NAME, image(VERSION, brokerEpoch));
    }

    static ByteBuffer image(int version, long brokerEpoch) {
        byte[] content = ByteBuffer.allocate(CONTENT.length + Long.BYTES)
                .put(CONTENT)
                .putLong(brokerEpoch)
                .array();
        ByteBuffer image = ByteBuffer.allocate(HEADER + content.length);
        image.putInt(version)
                .putInt(content.length)
                .putInt(crc(version, content))
                .put(content);
        return image.flip();
    }

    /** The epoch of the broker that ended cleanly, {@link #UNKNOWN_EPOCH} where the mark does not tell; {@link #NOT_CLEAN} if there is no valid mark. */
    static long read(FileSystem files) throws IOException {
        ByteBuffer image = AtomicFile.read(files, FILE_NAME, MAX_BYTES);
        if (image == null || image.remaining() < HEADER) {
            return NOT_CLEAN;
        }
        int version = image.getInt();
        int length = image.getInt();
        int crc = image.getInt();
        byte[] content = new byte[image.remaining()];
        image.get(content);
        if (length != content.length || crc != crc(version, content)) {
            return NOT_CLEAN;
        }
        if (version != VERSION) {
            throw new DirectoryRefusedException(
                    FILE_NAME + " is of version " + version + ": the directory was used by a newer Highwater");
        }
        return content.length < CONTENT.length + Long.BYTES
                ? UNKNOWN_EPOCH
                : ByteBuffer.wrap(content).getLong(CONTENT.length);
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
