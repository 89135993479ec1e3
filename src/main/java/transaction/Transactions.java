package transaction;

import coordinator.StateMemory;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** What is known of the transactional ids of one partition; changed by replay only. Confined to the shard. */
final class Transactions {
    /** Kafka's protocol of two kinds (KIP-890): from this version on each end raises the epoch. */
    static final short BUMPING = 2;

    /** Epochs of a producer id from here on are not given to anybody any more. */
    private static final short EXHAUSTED = Short.MAX_VALUE - 1;

    /** Of an id, or of a topic or partition of its transaction, on the heap; measured, and rounded up. */
    private static final int ID_BYTES = 200;

    private static final int TOPIC_BYTES = 240;
    private static final int PARTITION_BYTES = 80;

    private final StateMemory memory;
    private final TreeMap<String, Value> byId = new TreeMap<>();
    /** Times at which open transactions began, with how many did. */
    private final TreeMap<Long, Integer> openSince = new TreeMap<>();

    Transactions(StateMemory memory) {
        this.memory = memory;
    }

    void replay(TransactionRecord record) {
        Value after = record.value();
        Value before =
                after == null ? byId.remove(record.transactionalId()) : byId.put(record.transactionalId(), after);
        memory.add(bytes(record.transactionalId(), after) - bytes(record.transactionalId(), before));
        if (isOpen(before)) {
            openSince.merge(before.startMillis(), -1, (count, less) -> count + less == 0 ? null : count + less);
        }
        if (isOpen(after)) {
            openSince.merge(after.startMillis(), 1, Integer::sum);
        }
    }

    /** That an id takes while it has this value; 0 for null. */
    static long bytes(String transactionalId, Value value) {
        if (value == null) {
            return 0;
        }
        long bytes = ID_BYTES + StateMemory.ofText(transactionalId);
        for (Map.Entry<String, SortedSet<Integer>> each : value.partitions().entrySet()) {
            bytes += TOPIC_BYTES
                    + StateMemory.ofText(each.getKey())
                    + PARTITION_BYTES * (long) each.getValue().size();
        }
        return bytes;
    }

    /** Readers may be held back by it. */
    private static boolean isOpen(Value value) {
        return value != null && !value.status().isIdle();
    }

    /** null when it is not known. */
    Value get(String transactionalId) {
        return byId.get(transactionalId);
    }

    /** By id. */
    NavigableMap<String, Value> all() {
        return Collections.unmodifiableNavigableMap(byId);
    }

    /** When the oldest transaction that is not complete began; Long.MAX_VALUE when there is none. */
    long oldestStartMillis() {
        return openSince.isEmpty() ? Long.MAX_VALUE : openSince.firstKey();
    }

    static boolean isExhausted(short epoch) {
        return epoch >= EXHAUSTED;
    }

    /** The highest epoch only fences a producer; none can follow it, so no transaction may begin in it. */
    static boolean isNobodys(short epoch) {
        return epoch == Short.MAX_VALUE;
    }

    static boolean isCurrent(Value now, Producer producer) {
        return now.producerId() == producer.producerId() && now.producerEpoch() == producer.epoch();
    }

    /** The producer was told of the pair that it gets when its transaction, which used up the epochs, is complete. */
    static boolean isNext(Value now, Producer producer) {
        return now.status().isPrepared()
                && now.nextProducerId() != -1
                && now.nextProducerId() == producer.producerId()
                && producer.epoch() == 0;
    }

    /** What the producer uses after the end of its transaction. */
    static ProducerAnswer afterEnd(Value prepared) {
        return prepared.nextProducerId() == -1
                ? ProducerAnswer.of(prepared.producerId(), prepared.producerEpoch())
                : ProducerAnswer.of(prepared.nextProducerId(), (short) 0);
    }

    static boolean contains(Value now, TopicPartition partition) {
        SortedSet<Integer> of = now.partitions().get(partition.topic());
        return of != null && of.contains(partition.partition());
    }

    static boolean isOngoing(Value now) {
        return now.status() == TransactionStatus.ONGOING;
    }
}
