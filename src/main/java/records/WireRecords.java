package records;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Records in memory as fields of Kafka's generated messages, for those who know bytes only (rule R5). Nothing is copied, nothing checked. */
public final class WireRecords {
    private WireRecords() {}

    public static void put(ByteBuffer records, FetchResponseData.PartitionData into) {
        into.setRecords(MemoryRecords.readableRecords(records.slice()));
    }

    /** Any bytes: a snapshot's piece need not begin with a batch. */
    public static void put(ByteBuffer bytes, FetchSnapshotResponseData.PartitionSnapshot into) {
        into.setUnalignedRecords(MemoryRecords.readableRecords(bytes.slice()));
    }

    /** Empty if there are none. */
    public static ByteBuffer of(FetchResponseData.PartitionData partition) {
        return bytes(partition.records());
    }

    public static ByteBuffer of(FetchSnapshotResponseData.PartitionSnapshot piece) {
        return bytes(piece.unalignedRecords());
    }

    private static ByteBuffer bytes(BaseRecords records) {
        return records instanceof MemoryRecords inMemory ? inMemory.buffer().slice() : ByteBuffer.allocate(0);
    }
}
