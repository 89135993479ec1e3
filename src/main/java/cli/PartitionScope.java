package cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Which partitions a command is about, from words such as {@code orders} (all) or {@code orders:0,2,4-7}.
 *
 * @param topics with their partitions; empty: all of the topic
 */
record PartitionScope(Map<String, TreeSet<Integer>> topics) {

    static PartitionScope parse(List<String> words) {
        Map<String, TreeSet<Integer>> topics = new LinkedHashMap<>();
        for (String word : words) {
            // No topic has a colon in its name.
            int colon = word.indexOf(':');
            String topic = colon < 0 ? word : word.substring(0, colon);
            TreeSet<Integer> numbers = colon < 0 ? new TreeSet<>() : PartitionList.parse(word.substring(colon + 1));
            TreeSet<Integer> before = topics.putIfAbsent(topic, numbers);
            if (before != null) {
                if (before.isEmpty() || numbers.isEmpty()) {
                    before.clear();
                } else {
                    before.addAll(numbers);
                }
            }
        }
        return new PartitionScope(topics);
    }

    /** The partitions as the cluster has them; fails for a topic or partition that is not there. */
    List<TopicPartition> resolve(Admin admin) throws InterruptedException, ExecutionException {
        Map<String, KafkaFuture<TopicDescription>> there =
                admin.describeTopics(topics.keySet()).topicNameValues();
        List<TopicPartition> all = new ArrayList<>();
        for (Map.Entry<String, TreeSet<Integer>> topic : topics.entrySet()) {
            int count = partitions(topic.getKey(), there.get(topic.getKey()));
            TreeSet<Integer> wanted = topic.getValue();
            if (!wanted.isEmpty() && wanted.last() >= count) {
                throw new CliFailure(
                        topic.getKey() + " has no partition " + wanted.last(), "It has 0 to " + (count - 1) + ".");
            }
            for (int number = 0; number < count; number++) {
                if (wanted.isEmpty() || wanted.contains(number)) {
                    all.add(new TopicPartition(topic.getKey(), number));
                }
            }
        }
        return all;
    }

    private static int partitions(String topic, KafkaFuture<TopicDescription> description)
            throws InterruptedException, ExecutionException {
        try {
            return description.get().partitions().size();
        } catch (ExecutionException problem) {
            if (problem.getCause() instanceof UnknownTopicOrPartitionException) {
                throw new CliFailure("there is no topic " + topic, "See which there are: highwater topics list.");
            }
            throw problem;
        }
    }

    /** Those of {@code some} that are meant. */
    List<TopicPartition> of(Iterable<TopicPartition> some) {
        LinkedHashSet<TopicPartition> meant = new LinkedHashSet<>();
        for (TopicPartition partition : some) {
            TreeSet<Integer> numbers = topics.get(partition.topic());
            if (numbers != null && (numbers.isEmpty() || numbers.contains(partition.partition()))) {
                meant.add(partition);
            }
        }
        return List.copyOf(meant);
    }
}
