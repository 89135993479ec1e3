package records.schemas;

/**
 * A record of {@code __consumer_offsets}: a key, and a value or null, which is a tombstone. Immutable. Group, member and topic names are as on the wire;
 * times are milliseconds since the epoch.
 */
public sealed interface GroupRecord
        permits OffsetCommitRecord, GroupMetadataRecord, ConsumerGroupRecord, GroupRecord.Unknown {

    /** The id of Kafka's record type, the first two bytes of the key. */
    short type();

    /** Whether it removes what earlier records of the same key said. */
    boolean tombstone();

    /** What this build cannot read. */
    sealed interface Unknown extends GroupRecord {}

    /** A record of a type that this build does not serve (share and streams groups, or newer ones): loaders pass over it, as Kafka does. */
    record UnknownType(short type, boolean tombstone) implements Unknown {}

    /**
     * A known key with a value of a version this build does not know: a newer broker wrote it, and its meaning would be lost. Kafka refuses to load such a
     * partition.
     */
    record UnknownVersion(short type, short version) implements Unknown {
        @Override
        public boolean tombstone() {
            return false;
        }
    }
}
