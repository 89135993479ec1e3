package transaction;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import records.schemas.TransactionStatus;

/** The next value of a transactional id, made from the present one. Used once. */
final class Change {
    private final String transactionalId;
    private final TransactionStatus status;
    private long producerId;
    private long previousId;
    private long nextId;
    private short epoch;
    private short lastEpoch;
    private int timeoutMillis;
    private SortedMap<String, SortedSet<Integer>> partitions;
    private long startMillis;
    private short clientVersion;

    private Change(String transactionalId, Value before, TransactionStatus status) {
        this.transactionalId = transactionalId;
        this.status = status;
        this.producerId = before.producerId();
        this.previousId = before.previousProducerId();
        this.nextId = before.nextProducerId();
        this.epoch = before.producerEpoch();
        this.lastEpoch = before.lastProducerEpoch();
        this.timeoutMillis = before.timeoutMillis();
        this.partitions = before.partitions();
        this.startMillis = before.startMillis();
        this.clientVersion = before.clientVersion();
    }

    static Change of(String transactionalId, Value before, TransactionStatus status) {
        return new Change(transactionalId, before, status);
    }

    /** Of an id that is not known yet: epoch 0 of a producer id. */
    static Change fresh(String transactionalId, long producerId) {
        Value none = new Value(
                producerId,
                -1,
                -1,
                (short) 0,
                (short) -1,
                (short) -1,
                -1,
                TransactionStatus.EMPTY,
                new TreeMap<>(),
                -1,
                -1,
                (short) 0);
        return new Change(transactionalId, none, TransactionStatus.EMPTY);
    }

    Change epoch(int value) {
        epoch = (short) value;
        return this;
    }

    /** What the producer had before it got the epoch; -1 when nobody may come back with it. */
    Change lastEpoch(int value) {
        lastEpoch = (short) value;
        return this;
    }

    /** Another producer id, whose epochs begin. */
    Change rotate(long newId) {
        previousId = producerId;
        producerId = newId;
        nextId = -1;
        epoch = 0;
        return this;
    }

    Change nextId(long value) {
        nextId = value;
        return this;
    }

    Change timeoutMillis(int value) {
        timeoutMillis = value;
        return this;
    }

    Change startMillis(long value) {
        startMillis = value;
        return this;
    }

    Change clientVersion(int value) {
        clientVersion = (short) value;
        return this;
    }

    Change withoutPartitions() {
        partitions = Collections.emptySortedMap();
        return this;
    }

    Change add(Iterable<TopicPartition> more) {
        TreeMap<String, SortedSet<Integer>> all = new TreeMap<>();
        for (Map.Entry<String, SortedSet<Integer>> each : partitions.entrySet()) {
            all.put(each.getKey(), new TreeSet<>(each.getValue()));
        }
        more.forEach(each ->
                all.computeIfAbsent(each.topic(), none -> new TreeSet<>()).add(each.partition()));
        partitions = all;
        return this;
    }

    TransactionRecord at(long nowMillis) {
        return new TransactionRecord(
                transactionalId,
                new Value(
                        producerId,
                        previousId,
                        nextId,
                        epoch,
                        (short) -1,
                        lastEpoch,
                        timeoutMillis,
                        status,
                        partitions,
                        nowMillis,
                        startMillis,
                        clientVersion));
    }
}
