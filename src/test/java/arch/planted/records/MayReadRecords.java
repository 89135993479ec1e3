package arch.planted.records;

import org.apache.kafka.common.record.internal.MemoryRecords;

final class MayReadRecords {
    int size(MemoryRecords records) {
        return records.sizeInBytes();
    }
}
