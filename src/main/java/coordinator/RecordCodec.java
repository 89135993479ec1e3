package coordinator;

import java.nio.ByteBuffer;

/** The bytes of a shard's records. Stateless. */
public interface RecordCodec<R> {

    ByteBuffer key(R record);

    /** null: a tombstone. */
    ByteBuffer value(R record);

    /**
     * @param value null for a tombstone
     * @return null for a record of a kind that is not known here: passed over, and counted
     * @throws records.MalformedRecordException for bytes that are no such record
     */
    R decode(ByteBuffer key, ByteBuffer value);
}
