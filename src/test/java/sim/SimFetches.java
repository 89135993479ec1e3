package sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Decodes what a fetch returned, as a consumer does: whole batches only, checksums verified. */
final class SimFetches {
    private SimFetches() {}

    /** The records from {@code position} on. */
    static List<PartitionLedger.Found> records(String partition, MemoryRecords records, long position) {
        try {
            return decoded(partition, records, position);
        } catch (CorruptRecordException e) {
            throw new RuleBroken("S8 no bad batch is served", partition + " from " + position + ": " + e.getMessage());
        }
    }

    private static List<PartitionLedger.Found> decoded(String partition, MemoryRecords records, long position) {
        List<PartitionLedger.Found> found = new ArrayList<>();
        ByteBuffer bytes = records.buffer().duplicate();
        long next = -1;
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            if (!batch.isValid()) {
                throw new RuleBroken("S8 no bad batch is served", partition + "@" + batch.baseOffset());
            }
            if (batch.magic() != RecordBatch.CURRENT_MAGIC_VALUE || batch.baseOffset() <= next) {
                throw new RuleBroken("I11 offsets rise", partition + "@" + batch.baseOffset() + " after " + next);
            }
            if (found.isEmpty() && batch.lastOffset() < position) {
                throw new RuleBroken(
                        "S9 reads start at the asked batch",
                        partition + " asked " + position + ", got batch to " + batch.lastOffset());
            }
            next = batch.lastOffset();
            add(batch, position, found);
        }
        return found;
    }

    private static void add(MutableRecordBatch batch, long position, List<PartitionLedger.Found> found) {
        int sequence = batch.baseSequence();
        for (Record record : batch) {
            if (record.offset() >= position) {
                found.add(new PartitionLedger.Found(
                        record.offset(),
                        SimBatches.text(record.value()),
                        batch.producerId(),
                        batch.producerEpoch(),
                        batch.hasProducerId() ? sequence + (int) (record.offset() - batch.baseOffset()) : -1,
                        record.timestamp(),
                        batch.baseOffset()));
            }
        }
    }
}
