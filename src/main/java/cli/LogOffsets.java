package cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What a cluster says about the offsets of partitions. A partition that is gone or has no leader is missing from the answers, where the library would wait. */
final class LogOffsets {

    private final Admin admin;
    private final Collection<TopicPartition> askable;

    /** Asks which of {@code partitions} can answer. */
    LogOffsets(Admin admin, Collection<TopicPartition> partitions) throws InterruptedException, ExecutionException {
        this.admin = admin;
        TreeSet<String> topics = new TreeSet<>();
        partitions.forEach(partition -> topics.add(partition.topic()));
        Map<String, TopicDescription> there = describe(topics);
        List<TopicPartition> led = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            TopicDescription topic = there.get(partition.topic());
            if (topic != null && hasLeader(topic, partition.partition())) {
                led.add(partition);
            }
        }
        this.askable = List.copyOf(led);
    }

    private Map<String, TopicDescription> describe(Collection<String> topics)
            throws InterruptedException, ExecutionException {
        Map<String, TopicDescription> there = new LinkedHashMap<>();
        DescribeTopicsResult answers = admin.describeTopics(topics);
        for (String topic : topics) {
            try {
                there.put(topic, answers.topicNameValues().get(topic).get());
            } catch (ExecutionException problem) {
                if (!(problem.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw problem;
                }
            }
        }
        return there;
    }

    private static boolean hasLeader(TopicDescription topic, int partition) {
        for (TopicPartitionInfo info : topic.partitions()) {
            if (info.partition() == partition) {
                return info.leader() != null && !info.leader().isEmpty();
            }
        }
        return false;
    }

    Map<TopicPartition, Long> earliest() throws InterruptedException, ExecutionException {
        return ask(OffsetSpec.earliest());
    }

    Map<TopicPartition, Long> latest() throws InterruptedException, ExecutionException {
        return ask(OffsetSpec.latest());
    }

    /** The first offset at or after a time in milliseconds; -1 where no record is that late. */
    Map<TopicPartition, Long> at(long timestamp) throws InterruptedException, ExecutionException {
        return ask(OffsetSpec.forTimestamp(timestamp));
    }

    private Map<TopicPartition, Long> ask(OffsetSpec which) throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> asked = new LinkedHashMap<>();
        askable.forEach(partition -> asked.put(partition, which));
        ListOffsetsResult answers = admin.listOffsets(asked);
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        for (TopicPartition partition : askable) {
            offsets.put(partition, answers.partitionResult(partition).get().offset());
        }
        return offsets;
    }
}
