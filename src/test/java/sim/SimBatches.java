package sim;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Encodes record batches as clients do. */
final class SimBatches {
    private SimBatches() {}

    static MemoryRecords batch(
            List<String> values,
            int padding,
            long timestamp,
            CompressionType compression,
            long producerId,
            short epoch,
            int sequence) {
        SimpleRecord[] records = records(values, padding, timestamp);
        Compression how = Compression.of(compression).build();
        return producerId == RecordBatch.NO_PRODUCER_ID
                ? MemoryRecords.withRecords(how, records)
                : MemoryRecords.withIdempotentRecords(how, producerId, epoch, sequence, records);
    }

    static MemoryRecords transactional(
            List<String> values,
            int padding,
            long timestamp,
            CompressionType compression,
            long producerId,
            short epoch,
            int sequence) {
        Compression how = Compression.of(compression).build();
        SimpleRecord[] records = records(values, padding, timestamp);
        return MemoryRecords.withTransactionalRecords(how, producerId, epoch, sequence, records);
    }

    private static SimpleRecord[] records(List<String> values, int padding, long timestamp) {
        SimpleRecord[] records = new SimpleRecord[values.size()];
        for (int i = 0; i < records.length; i++) {
            byte[] value = (values.get(i) + "|" + "x".repeat(padding)).getBytes(StandardCharsets.UTF_8);
            records[i] = new SimpleRecord(timestamp + i, null, value);
        }
        return records;
    }

    /** The unique text at the front of a value. */
    static String text(java.nio.ByteBuffer value) {
        String all = StandardCharsets.UTF_8.decode(value.duplicate()).toString();
        int end = all.indexOf('|');
        return end < 0 ? all : all.substring(0, end);
    }
}
