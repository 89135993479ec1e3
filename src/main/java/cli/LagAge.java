package cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** How old the first record is that a group has not committed: its lag as a time. Reads that record of each partition. */
final class LagAge {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final long NO_TIMESTAMP = -1;

    private LagAge() {}

    /** For a consumer that needs no more than the first record of each partition. */
    static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        // What is committed may have been deleted meanwhile; then the first that is left counts.
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "16384");
        return settings;
    }

    /**
     * Milliseconds per partition, at least 0. A partition is missing when the record has no time, when there is none up to the end (only marks of
     * transactions), or when it did not come in time.
     *
     * @param committed where to read; less than the end
     * @param budget how long to try
     */
    static Map<TopicPartition, Long> of(
            Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, Long> ends,
            Duration budget) {
        Map<TopicPartition, Long> ages = new LinkedHashMap<>();
        List<TopicPartition> waiting = new ArrayList<>(committed.keySet());
        consumer.assign(waiting);
        committed.forEach(consumer::seek);
        long deadline = System.nanoTime() + budget.toNanos();
        while (!waiting.isEmpty() && System.nanoTime() - deadline < 0) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                if (waiting.remove(partition)) {
                    consumer.pause(List.of(partition));
                    if (record.timestamp() != NO_TIMESTAMP) {
                        ages.put(partition, Math.max(0, System.currentTimeMillis() - record.timestamp()));
                    }
                }
            }
            waiting.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
        }
        return ages;
    }
}
