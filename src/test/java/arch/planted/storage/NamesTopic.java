package arch.planted.storage;

import arch.Breaks;
import org.apache.kafka.common.TopicPartition;

@Breaks("R5")
final class NamesTopic {
    int partition(TopicPartition id) {
        return id.partition();
    }
}
