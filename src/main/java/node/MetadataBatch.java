package node;

import common.Failure;
import common.FailureCode;
import highwater.metadata.MetadataRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataCodec;
import records.BatchBuilder;
import records.BatchHeader;
import records.BatchReader;
import records.Codec;
import records.LogRecord;

/**
 * One batch of the metadata log, decoded.
 *
 * @param records empty for a control batch
 * @param controls the records of a control batch
 */
record MetadataBatch(
        long baseOffset,
        long nextOffset,
        int epoch,
        int sizeInBytes,
        List<MetadataRecord> records,
        List<LogRecord> controls) {

    /** Lengths, deltas and attributes around a value. */
    private static final int RECORD_OVERHEAD = 32;

    /** A batch to append; offsets and epoch are set by the log. */
    static ByteBuffer encode(List<MetadataRecord> records, int epoch, long wallMillis) {
        BatchBuilder batch = new BatchBuilder(Codec.NONE, 0, epoch);
        for (MetadataRecord each : records) {
            batch.add(wallMillis, null, MetadataCodec.encode(each));
        }
        return batch.build();
    }

    /** Bytes that records take in a batch, at most. */
    static long size(List<MetadataRecord> records) {
        long size = BatchHeader.SIZE;
        for (MetadataRecord each : records) {
            size += size(each);
        }
        return size;
    }

    /** Bytes that a record adds to a batch, at most. */
    static long size(MetadataRecord record) {
        return RECORD_OVERHEAD + (long) record.getSerializedSize();
    }

    /** The batches of a range, or why they cannot be read. */
    record Decoded(List<MetadataBatch> batches, Failure failure) {}

    /** Decodes the whole batches from position to limit. */
    static Decoded decode(ByteBuffer bytes) {
        List<MetadataBatch> batches = new ArrayList<>();
        Failure[] unreadable = new Failure[1];
        Failure corrupt = new BatchReader().read(bytes, new BatchReader.Visitor() {
            @Override
            public boolean batch(ByteBuffer buffer, int at) {
                long base = BatchHeader.baseOffset(buffer, at);
                long next = base + BatchHeader.lastOffsetDelta(buffer, at) + 1;
                batches.add(new MetadataBatch(
                        base,
                        next,
                        BatchHeader.leaderEpoch(buffer, at),
                        BatchHeader.sizeInBytes(buffer, at),
                        new ArrayList<>(),
                        new ArrayList<>()));
                return true;
            }

            @Override
            public boolean record(LogRecord record) {
                MetadataBatch current = batches.get(batches.size() - 1);
                if (record.control()) {
                    current.controls.add(record);
                    return true;
                }
                try {
                    current.records.add(MetadataCodec.decode(record.value()));
                    return true;
                } catch (MetadataCodec.UnreadableRecordException e) {
                    unreadable[0] =
                            Failure.of(FailureCode.INTERNAL, "at offset " + record.offset() + ": " + e.getMessage());
                    return false;
                }
            }
        });
        Failure failure = corrupt != null ? corrupt : unreadable[0];
        return new Decoded(batches, failure);
    }
}
