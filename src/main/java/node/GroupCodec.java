package node;

import common.Mutations;
import coordinator.RecordCodec;
import java.nio.ByteBuffer;
import records.MalformedRecordException;
import records.schemas.GroupRecord;
import records.schemas.GroupRecordCodec;

/** The bytes of the records of __consumer_offsets. */
final class GroupCodec implements RecordCodec<GroupRecord> {
    private final Mutations mutations;

    GroupCodec(Mutations mutations) {
        this.mutations = mutations;
    }

    @Override
    public ByteBuffer key(GroupRecord record) {
        return ByteBuffer.wrap(GroupRecordCodec.encodeKey(record));
    }

    @Override
    public ByteBuffer value(GroupRecord record) {
        byte[] value = GroupRecordCodec.encodeValue(record);
        return value == null ? null : ByteBuffer.wrap(value);
    }

    @Override
    public GroupRecord decode(ByteBuffer key, ByteBuffer value) {
        if (value == null && mutations.active("group-tombstones-forgotten-on-load")) {
            return null;
        }
        GroupRecord record = GroupRecordCodec.decode(key, value);
        if (record instanceof GroupRecord.UnknownVersion newer) {
            // Its key is served here, so what it says is missed: not to be passed over in silence.
            throw new MalformedRecordException("written by a newer version (record type " + newer.type()
                    + ", value version " + newer.version() + ")");
        }
        return record instanceof GroupRecord.Unknown ? null : record;
    }
}
