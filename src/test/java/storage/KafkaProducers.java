package storage;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.CompletedTxn;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;

/** Apache Kafka's producer state, driven as its UnifiedLog does: the oracle of {@link ProducerStates}. */
final class KafkaProducers {

    static final int EXPIRATION_MILLIS = 1_000_000;

    final ProducerStateManager manager;

    KafkaProducers(File directory) throws IOException {
        manager = new ProducerStateManager(
                new TopicPartition("t", 0),
                directory,
                60_000,
                new ProducerStateManagerConfig(EXPIRATION_MILLIS, false),
                Time.SYSTEM);
    }

    static RecordBatch batch(ByteBuffer buffer) {
        return MemoryRecords.readableRecords(buffer.duplicate())
                .batches()
                .iterator()
                .next();
    }

    /** The remembered batch that this one repeats. */
    Optional<BatchMetadata> duplicate(RecordBatch batch) {
        return manager.lastEntry(batch.producerId())
                .filter(entry -> entry.producerEpoch() == batch.producerEpoch())
                .flatMap(entry -> entry.batchMetadata().stream()
                        .filter(b -> b.firstSeq() == batch.baseSequence() && b.lastSeq() == batch.lastSequence())
                        .findFirst());
    }

    /** Throws what Kafka throws at a batch it refuses. */
    ProducerAppendInfo prepare(RecordBatch batch, AppendOrigin origin) {
        ProducerAppendInfo info = manager.prepareUpdate(batch.producerId(), origin);
        info.append(batch, Optional.of(new LogOffsetMetadata(batch.baseOffset(), 0, 0)));
        return info;
    }

    /** Takes in a batch that stands in the log. */
    CompletedTransaction apply(RecordBatch batch) {
        CompletedTransaction result = null;
        if (batch.hasProducerId()) {
            ProducerAppendInfo info = manager.prepareUpdate(batch.producerId(), AppendOrigin.REPLICATION);
            Optional<CompletedTxn> completed =
                    info.append(batch, Optional.of(new LogOffsetMetadata(batch.baseOffset(), 0, 0)));
            manager.update(info);
            if (completed.isPresent()) {
                CompletedTxn txn = completed.get();
                long stable = manager.lastStableOffset(txn);
                manager.completeTxn(txn);
                result = new CompletedTransaction(
                        txn.producerId(), txn.firstOffset(), txn.lastOffset(), txn.isAborted(), stable);
            }
        }
        manager.updateMapEndOffset(batch.lastOffset() + 1);
        return result;
    }

    long firstUnstableOffset() {
        return manager.firstUnstableOffset().map(m -> m.messageOffset).orElse(Long.MAX_VALUE);
    }

    List<ActiveProducer> active() {
        List<ActiveProducer> active = new ArrayList<>();
        for (ProducerStateEntry entry : manager.activeProducers().values()) {
            active.add(active(entry));
        }
        active.sort(Comparator.comparingLong(ActiveProducer::producerId));
        return active;
    }

    static ActiveProducer active(ProducerStateEntry entry) {
        int lastSequence = entry.batchMetadata().stream()
                .reduce((a, b) -> b)
                .map(BatchMetadata::lastSeq)
                .orElse(-1);
        OptionalLong start = entry.currentTxnFirstOffset();
        return new ActiveProducer(
                entry.producerId(),
                entry.producerEpoch(),
                lastSequence,
                entry.lastTimestamp(),
                entry.coordinatorEpoch(),
                start.orElse(-1));
    }
}
