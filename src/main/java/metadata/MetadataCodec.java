package metadata;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import highwater.metadata.MetadataRecord;
import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;

/** Record values of the metadata log: {@link MetadataRecord} as protobuf. See metadata.proto for how the format may change. */
public final class MetadataCodec {

    /** The highest {@code min_reader} that this software understands. */
    public static final int LEVEL = 1;

    /** What only clusters of several brokers have (eligible leaders, reassignments, fenced brokers) needs a reader of this level. */
    static final int CLUSTER_LEVEL = 1;

    private MetadataCodec() {}

    /** A value that cannot be read: written by newer software, or not by this one. Nothing may be changed then. */
    public static final class UnreadableRecordException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableRecordException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    public static byte[] encode(MetadataRecord record) {
        return record.toByteArray();
    }

    /** Reads what remains of {@code value}. */
    public static MetadataRecord decode(ByteBuffer value) throws UnreadableRecordException {
        MetadataRecord record;
        try {
            record = MetadataRecord.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new UnreadableRecordException("a metadata record is not in the format of this software", e);
        }
        if (record.getMinReader() > LEVEL) {
            throw new UnreadableRecordException(
                    "a metadata record needs software that reads level " + record.getMinReader()
                            + "; this one reads up to " + LEVEL + ": start the newer version again",
                    null);
        }
        if (record.getValueCase() == MetadataRecord.ValueCase.VALUE_NOT_SET) {
            throw new UnreadableRecordException(
                    "a metadata record is of a kind that this software does not know", null);
        }
        return record;
    }

    public static ByteString bytes(Uuid id) {
        ByteBuffer buffer = ByteBuffer.allocate(16);
        buffer.putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .flip();
        return ByteString.copyFrom(buffer);
    }

    public static Uuid uuid(ByteString bytes) {
        if (bytes.size() != 16) {
            throw new IllegalArgumentException("an id has 16 bytes, not " + bytes.size());
        }
        ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
        return new Uuid(buffer.getLong(), buffer.getLong());
    }
}
