package records.schemas;

import org.apache.kafka.common.Uuid;

/**
 * The committed offset of a partition. Types 1 and, only read, 0 (what Kafka wrote before 0.8.3).
 *
 * @param value null: the offset was deleted or has expired
 */
public record OffsetCommitRecord(String group, String topic, int partition, Value value) implements GroupRecord {

    static final short LEGACY_TYPE = 0;
    static final short TYPE = 1;
    private static final short HIGHEST_VERSION = 4;
    private static final short EXPIRING_VERSION = 1;

    /**
     * @param leaderEpoch of the last record read; -1 when not known
     * @param metadata of the committer, "" for none
     * @param expireTimestamp when a client of old set a retention itself; else -1
     * @param topicId {@link Uuid#ZERO_UUID} when not known
     */
    public record Value(
            long offset, int leaderEpoch, String metadata, long commitTimestamp, long expireTimestamp, Uuid topicId) {}

    @Override
    public short type() {
        return TYPE;
    }

    @Override
    public boolean tombstone() {
        return value == null;
    }

    void encodeKey(FieldWriter out) {
        out.string(false, group).string(false, topic).int32(partition);
    }

    /** Only version 1 has room for a time of expiry; it has none for the epoch and the topic id. */
    void encodeValue(FieldWriter out) {
        if (value.expireTimestamp != -1) {
            out.int16(EXPIRING_VERSION).int64(value.offset).string(false, value.metadata);
            out.int64(value.commitTimestamp).int64(value.expireTimestamp);
            return;
        }
        out.int16(HIGHEST_VERSION).int64(value.offset).int32(value.leaderEpoch).string(true, value.metadata);
        out.int64(value.commitTimestamp);
        if (value.topicId.equals(Uuid.ZERO_UUID)) {
            out.noneTagged();
        } else {
            out.tagged(new FieldWriter().uuid(value.topicId));
        }
    }

    /** @param value null for a tombstone */
    static GroupRecord decode(short type, FieldReader key, FieldReader value) {
        String group = key.stringNotNull(false);
        String topic = key.stringNotNull(false);
        int partition = key.int32();
        if (value == null) {
            return new OffsetCommitRecord(group, topic, partition, null);
        }
        short version = value.int16();
        if (version < 0 || version > (type == LEGACY_TYPE ? 0 : HIGHEST_VERSION)) {
            return new UnknownVersion(type, version);
        }
        return new OffsetCommitRecord(group, topic, partition, decodeValue(version, value));
    }

    private static Value decodeValue(short version, FieldReader in) {
        boolean flexible = version >= 4;
        long offset = in.int64();
        int leaderEpoch = version >= 3 ? in.int32() : -1;
        String metadata = in.stringNotNull(flexible);
        long commitTimestamp = in.int64();
        long expireTimestamp = version == EXPIRING_VERSION ? in.int64() : -1;
        Uuid topicId = flexible ? in.tagged(Uuid.ZERO_UUID, FieldReader::uuid) : Uuid.ZERO_UUID;
        return new Value(offset, leaderEpoch, metadata, commitTimestamp, expireTimestamp, topicId);
    }
}
