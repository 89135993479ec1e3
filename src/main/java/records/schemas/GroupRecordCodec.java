package records.schemas;

import java.nio.ByteBuffer;
import records.MalformedRecordException;

/**
 * Records of {@code __consumer_offsets} in the bytes of Kafka 4.4.0, big endian: a key is the type (int16) and its fields; a value is its version (int16) and its
 * fields. Written in the version that 4.4.0 writes; read in all versions that it reads. Functions; as with Kafka, what follows the last field is ignored.
 */
public final class GroupRecordCodec {

    private GroupRecordCodec() {}

    /** @throws IllegalArgumentException for what was not read ({@link GroupRecord.Unknown}) or a name longer than 32767 bytes */
    public static byte[] encodeKey(GroupRecord record) {
        FieldWriter out = new FieldWriter().int16(record.type());
        if (record instanceof OffsetCommitRecord commit) {
            commit.encodeKey(out);
        } else if (record instanceof GroupMetadataRecord group) {
            group.encodeKey(out);
        } else if (record instanceof ConsumerGroupRecord group) {
            ConsumerGroupSchemas.encodeKey(group, out);
        } else {
            throw new IllegalArgumentException("cannot write " + record);
        }
        return out.done();
    }

    /**
     * Null for a tombstone.
     *
     * @throws IllegalArgumentException as {@link #encodeKey}
     */
    public static byte[] encodeValue(GroupRecord record) {
        if (record.tombstone()) {
            return null;
        }
        FieldWriter out = new FieldWriter();
        if (record instanceof OffsetCommitRecord commit) {
            commit.encodeValue(out);
        } else if (record instanceof GroupMetadataRecord group) {
            group.encodeValue(out);
        } else if (record instanceof ConsumerGroupRecord group) {
            ConsumerGroupSchemas.encodeValue(group.value(), out);
        } else {
            throw new IllegalArgumentException("cannot write " + record);
        }
        return out.done();
    }

    /**
     * Positions stay; the record shares no memory with the buffers.
     *
     * @param key big endian, from position to limit
     * @param value as the key; null for a tombstone
     * @throws MalformedRecordException when the bytes are none of these records
     */
    public static GroupRecord decode(ByteBuffer key, ByteBuffer value) {
        if (key == null) {
            throw new MalformedRecordException("a record without key");
        }
        FieldReader keyIn = new FieldReader(key);
        FieldReader valueIn = value == null ? null : new FieldReader(value);
        short type = keyIn.int16();
        if (type == OffsetCommitRecord.TYPE || type == OffsetCommitRecord.LEGACY_TYPE) {
            return OffsetCommitRecord.decode(type, keyIn, valueIn);
        }
        if (type == GroupMetadataRecord.TYPE) {
            return GroupMetadataRecord.decode(keyIn, valueIn);
        }
        if (ConsumerGroupSchemas.has(type)) {
            return ConsumerGroupSchemas.decode(type, keyIn, valueIn);
        }
        return new GroupRecord.UnknownType(type, value == null);
    }
}
