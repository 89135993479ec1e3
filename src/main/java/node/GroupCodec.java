package node;

import coordinator.RecordCodec;
import java.nio.ByteBuffer;
import records.schemas.GroupRecord;

/** The bytes of the records of __consumer_offsets. */
final class GroupCodec implements RecordCodec<GroupRecord> {

    @Override
    public ByteBuffer key(GroupRecord record) {
        throw new IllegalArgumentException("no record can be written yet: " + record.getClass());
    }

    @Override
    public ByteBuffer value(GroupRecord record) {
        throw new IllegalArgumentException("no record can be written yet: " + record.getClass());
    }

    @Override
    public GroupRecord decode(ByteBuffer key, ByteBuffer value) {
        return null;
    }
}
