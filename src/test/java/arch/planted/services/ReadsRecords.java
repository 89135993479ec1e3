package arch.planted.services;

import arch.Breaks;
import org.apache.kafka.common.record.internal.MemoryRecords;

@Breaks("R5")
final class ReadsRecords {
    int size(MemoryRecords records) {
        return records.sizeInBytes();
    }
}
