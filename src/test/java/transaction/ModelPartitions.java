package transaction;

import common.Callback;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * Partitions as their leaders keep them: per producer id the highest epoch and whether a transaction is open, and a log of records and markers. Marker writes wait
 * until {@link #deliver}, where replies may be lost, and requests may come again later.
 */
final class ModelPartitions implements MarkerWriter {
    /** A record names its transaction; a marker ends what is open of its producer id. */
    record Entry(long producerId, short epoch, String transaction, Boolean commit) {}

    private static final class Log {
        private final List<Entry> entries = new ArrayList<>();
        private final Map<Long, Short> epochs = new TreeMap<>();
        private final Map<Long, List<String>> open = new TreeMap<>();
        private final Map<String, Boolean> outcomes = new TreeMap<>();
        private final Map<Long, Integer> coordinators = new TreeMap<>();
        private int markers;
    }

    private record Write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {}

    private final Map<String, Log> logs = new TreeMap<>();
    private final List<Write> writes = new ArrayList<>();
    /** Found while it happened: something that must not be. */
    private String violation;

    private Log log(TopicPartition partition) {
        return logs.computeIfAbsent(partition.toString(), none -> new Log());
    }

    @Override
    public void write(Marker marker, List<TopicPartition> partitions, Callback<List<Errors>> done) {
        writes.add(new Write(marker, List.copyOf(partitions), done));
    }

    /** The partition believes to have heard of a coordinator of this epoch. */
    void heard(TopicPartition partition, long producerId, int coordinatorEpoch) {
        log(partition).coordinators.put(producerId, coordinatorEpoch);
    }

    int waiting() {
        return writes.size();
    }

    /** One write, any of those that wait; its reply may be lost, and then it comes again. */
    void deliver(Random random, boolean faults) {
        if (writes.isEmpty()) {
            return;
        }
        Write write = writes.get(faults ? random.nextInt(writes.size()) : 0);
        if (write.marker.transactionVersion() < 2) {
            // Of the first protocol a late marker may end the next transaction: that is why there is a second.
            long producerId = write.marker.producerId();
            write = writes.stream()
                    .filter(each -> each.marker.producerId() == producerId)
                    .findFirst()
                    .orElseThrow();
        }
        writes.remove(write);
        List<Errors> errors = new ArrayList<>();
        for (TopicPartition each : write.partitions) {
            Errors error = faults && random.nextInt(6) == 0 ? Errors.NOT_LEADER_OR_FOLLOWER : end(each, write.marker);
            errors.add(faults && random.nextInt(6) == 0 ? Errors.REQUEST_TIMED_OUT : error);
        }
        if (faults && write.marker.transactionVersion() >= 2 && random.nextInt(8) == 0) {
            writes.add(new Write(write.marker, write.partitions, (none, failure) -> {}));
        }
        write.done.succeed(errors);
    }

    private Errors end(TopicPartition partition, Marker marker) {
        Log log = log(partition);
        if (marker.coordinatorEpoch() < log.coordinators.getOrDefault(marker.producerId(), 0)) {
            return Errors.TRANSACTION_COORDINATOR_FENCED;
        }
        log.coordinators.put(marker.producerId(), marker.coordinatorEpoch());
        short seen = log.epochs.getOrDefault(marker.producerId(), (short) -1);
        boolean second = marker.transactionVersion() >= 2;
        boolean open = log.open.containsKey(marker.producerId());
        if (marker.producerEpoch() < seen || (second && open && marker.producerEpoch() == seen)) {
            return Errors.INVALID_PRODUCER_EPOCH;
        }
        log.markers++;
        log.epochs.put(marker.producerId(), marker.producerEpoch());
        List<String> ended = log.open.remove(marker.producerId());
        log.entries.add(new Entry(marker.producerId(), marker.producerEpoch(), null, marker.commit()));
        if (ended != null) {
            for (String each : ended) {
                Boolean before = log.outcomes.put(each, marker.commit());
                if (before != null && before != marker.commit()) {
                    violation = each + " ended twice, differently, in " + partition;
                }
            }
        }
        return Errors.NONE;
    }

    /** How many markers a partition has: a guard against those that come between asking and appending (rule T5). */
    int guard(TopicPartition partition) {
        return log(partition).markers;
    }

    boolean isOpen(TopicPartition partition, Producer producer) {
        return log(partition).open.containsKey(producer.producerId())
                && log(partition).epochs.get(producer.producerId()) == producer.epoch();
    }

    /** Appends a verified record; false when it is refused. */
    boolean append(TopicPartition partition, Producer producer, String transaction) {
        Log log = log(partition);
        if (producer.epoch() < log.epochs.getOrDefault(producer.producerId(), (short) -1)) {
            return false;
        }
        log.epochs.put(producer.producerId(), producer.epoch());
        log.entries.add(new Entry(producer.producerId(), producer.epoch(), transaction, null));
        List<String> open = log.open.computeIfAbsent(producer.producerId(), none -> new ArrayList<>());
        if (!open.contains(transaction)) {
            open.add(transaction);
        }
        if (log.outcomes.containsKey(transaction)) {
            violation = transaction + " got a record after its end, in " + partition;
        }
        return true;
    }

    /** What is wrong; null for nothing. */
    String violation() {
        return violation;
    }

    /** Where something is open still, at the end of all; null for nowhere. */
    String open() {
        for (Map.Entry<String, Log> each : logs.entrySet()) {
            if (!each.getValue().open.isEmpty()) {
                return each.getKey() + " " + each.getValue().open;
            }
        }
        return null;
    }

    /** Partitions in which a transaction's records are visible, and in which they are dropped. */
    Map<Boolean, List<String>> outcomes(String transaction) {
        Map<Boolean, List<String>> all = new TreeMap<>();
        logs.forEach((name, log) -> {
            Boolean outcome = log.outcomes.get(transaction);
            if (outcome != null) {
                all.computeIfAbsent(outcome, none -> new ArrayList<>()).add(name);
            }
        });
        return all;
    }
}
