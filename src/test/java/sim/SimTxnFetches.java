package sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/** Reads a fetch's answer as consumers do: readers of committed records pass over what the list of aborted transactions names (rule T8). */
final class SimTxnFetches {
    private final SimTxnPartition partition;
    private final PartitionData data;
    private final boolean committedOnly;
    private final List<AbortedTransaction> aborted = new ArrayList<>();
    private final Set<Long> aborting = new LinkedHashSet<>();

    private SimTxnFetches(SimTxnPartition partition, PartitionData data, boolean committedOnly) {
        this.partition = partition;
        this.data = data;
        this.committedOnly = committedOnly;
        if (committedOnly && data.abortedTransactions() != null) {
            aborted.addAll(data.abortedTransactions());
            aborted.sort(Comparator.comparingLong(AbortedTransaction::firstOffset));
        }
    }

    /** All records from {@code position} on, none left out but what a power cut may have taken. */
    static List<SimTxnEntry> entries(
            SimTxnPartition partition, PartitionData data, long position, boolean committedOnly) {
        return new SimTxnFetches(partition, data, committedOnly).read(position);
    }

    private List<SimTxnEntry> read(long position) {
        if (data.lastStableOffset() > data.highWatermark()) {
            throw new RuleBroken(
                    "T8 last stable offset",
                    partition.name() + ": " + data.lastStableOffset() + " above the high watermark "
                            + data.highWatermark());
        }
        long limit = committedOnly ? data.lastStableOffset() : data.highWatermark();
        List<SimTxnEntry> entries = new ArrayList<>();
        MemoryRecords records = (MemoryRecords) data.records();
        if (records == null) {
            return entries;
        }
        long next = position;
        for (MutableRecordBatch batch :
                MemoryRecords.readableRecords(records.buffer().duplicate()).batches()) {
            if (!batch.isValid()) {
                throw new RuleBroken("S8 no bad batch is served", partition.name() + "@" + batch.baseOffset());
            }
            if (batch.lastOffset() >= limit) {
                throw new RuleBroken(
                        committedOnly ? "T8 last stable offset" : "V1 only committed records",
                        partition.name() + " got " + batch.lastOffset() + ", the limit is " + limit);
            }
            for (SimTxnEntry each : batch(batch)) {
                if (each.offset() < position) {
                    continue;
                }
                if (each.offset() != next && !partition.lossy()) {
                    throw new RuleBroken(
                            "V1 no record is skipped", partition.name() + " at " + next + " got " + each.offset());
                }
                if (each.offset() != next) {
                    partition.torn();
                }
                next = each.offset() + 1;
                entries.add(each);
            }
        }
        return entries;
    }

    private List<SimTxnEntry> batch(MutableRecordBatch batch) {
        while (!aborted.isEmpty() && aborted.get(0).firstOffset() <= batch.lastOffset()) {
            aborting.add(aborted.remove(0).producerId());
        }
        List<SimTxnEntry> entries = new ArrayList<>();
        for (Record record : batch) {
            SimTxnEntry.Kind kind = kind(batch, record);
            if (kind == SimTxnEntry.Kind.ABORT) {
                aborting.remove(batch.producerId());
            }
            boolean hidden = batch.isTransactional() && aborting.contains(batch.producerId());
            entries.add(new SimTxnEntry(
                    record.offset(),
                    kind == SimTxnEntry.Kind.DATA
                            ? SimBatches.text(record.value())
                            : kind + " " + batch.producerId() + "/" + batch.producerEpoch(),
                    batch.producerId(),
                    batch.producerEpoch(),
                    kind == SimTxnEntry.Kind.DATA && batch.hasProducerId()
                            ? batch.baseSequence() + (int) (record.offset() - batch.baseOffset())
                            : -1,
                    kind,
                    kind == SimTxnEntry.Kind.DATA
                            ? -1
                            : EndTransactionMarker.deserialize(record).coordinatorEpoch(),
                    kind == SimTxnEntry.Kind.DATA && !hidden));
        }
        return entries;
    }

    private static SimTxnEntry.Kind kind(MutableRecordBatch batch, Record record) {
        if (!batch.isControlBatch()) {
            return SimTxnEntry.Kind.DATA;
        }
        return ControlRecordType.parse(record.key()) == ControlRecordType.COMMIT
                ? SimTxnEntry.Kind.COMMIT
                : SimTxnEntry.Kind.ABORT;
    }
}
