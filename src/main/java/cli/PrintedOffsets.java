package cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;

/** What a member of a group has printed and not yet committed. */
final class PrintedOffsets {

    private final Map<TopicPartition, OffsetAndMetadata> next = new LinkedHashMap<>();

    void printed(ConsumerRecord<?, ?> record) {
        Optional<Integer> epoch = record.leaderEpoch();
        next.put(
                new TopicPartition(record.topic(), record.partition()),
                new OffsetAndMetadata(record.offset() + 1, epoch, ""));
    }

    /** Commits it, also when an interrupt comes first, which is thrown afterwards. In the middle of a rebalance it stays for the next call. */
    void commit(Consumer<?, ?> consumer) {
        // The partitions that a rebalance took away are another member's by now.
        next.keySet().retainAll(consumer.assignment());
        if (next.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(next);
        } catch (WakeupException interrupted) {
            consumer.commitSync(next);
            throw interrupted;
        } catch (RebalanceInProgressException later) {
            return;
        }
        next.clear();
    }
}
