package storage;

import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Kafka's {@code partition.metadata}: which topic, by id, a partition directory belongs to (rule C7). Two lines of text, {@code version: 0} and
 * {@code topic_id: <id>}. Written by {@link AtomicFile#replace}.
 */
public final class PartitionMetadataFile {

    public static final String FILE_NAME = "partition.metadata";

    private static final String VERSION = "version: 0";
    private static final String TOPIC_ID = "topic_id: ";
    private static final int ID_CHARACTERS = 22;

    /** Exactly one is null. UNSUPPORTED_FORMAT: another version, touch nothing (rule S5). STORAGE_ERROR: unreadable. */
    public record Loaded(String topicId, Failure failure) {}

    private PartitionMetadataFile() {}

    public static ByteBuffer image(String topicId) {
        return ByteBuffer.wrap((VERSION + "\n" + TOPIC_ID + topicId + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a file's content, from position to limit. */
    public static Loaded load(ByteBuffer file) {
        String[] lines =
                StandardCharsets.UTF_8.decode(file.duplicate()).toString().split("\n", -1);
        if (lines.length < 2 || !lines[0].startsWith("version:") || !lines[1].startsWith(TOPIC_ID)) {
            return new Loaded(null, Failure.of(FailureCode.STORAGE_ERROR, "unreadable " + FILE_NAME));
        }
        if (!lines[0].strip().equals(VERSION)) {
            return new Loaded(null, Failure.of(FailureCode.UNSUPPORTED_FORMAT, FILE_NAME + " has an unknown version"));
        }
        String id = lines[1].substring(TOPIC_ID.length()).strip();
        if (id.length() != ID_CHARACTERS || !id.chars().allMatch(PartitionMetadataFile::isIdCharacter)) {
            return new Loaded(null, Failure.of(FailureCode.STORAGE_ERROR, "no topic id in " + FILE_NAME));
        }
        return new Loaded(id, null);
    }

    private static boolean isIdCharacter(int c) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
}
