package cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * How many bytes of each partition the nodes have.
 *
 * @param byNode of those nodes that told
 */
record ReplicaSizes(Map<Integer, Map<TopicPartition, Long>> byNode) {

    static ReplicaSizes of(Admin admin, Collection<Integer> nodes) throws InterruptedException {
        Map<Integer, Map<TopicPartition, Long>> byNode = new LinkedHashMap<>();
        for (Map.Entry<Integer, KafkaFuture<Map<String, LogDirDescription>>> node :
                admin.describeLogDirs(List.copyOf(nodes)).descriptions().entrySet()) {
            Map<TopicPartition, Long> sizes = new LinkedHashMap<>();
            try {
                for (LogDirDescription directory :
                        new ArrayList<>(node.getValue().get().values())) {
                    directory.replicaInfos().forEach((id, replica) -> {
                        if (!replica.isFuture()) {
                            sizes.put(id, replica.size());
                        }
                    });
                }
                byNode.put(node.getKey(), sizes);
            } catch (ExecutionException silent) {
                // Sizes are only for a person's orientation: what a node does not tell counts as nothing.
                byNode.remove(node.getKey());
            }
        }
        return new ReplicaSizes(byNode);
    }

    /** What the nodes {@code adding} still have to copy of a partition: they then have as much as who has most of it now. */
    long left(TopicPartition id, Collection<Integer> adding) {
        long all = byNode.values().stream()
                .mapToLong(sizes -> sizes.getOrDefault(id, 0L))
                .max()
                .orElse(0);
        return adding.stream().mapToLong(node -> all - size(node, id)).sum();
    }

    private long size(int node, TopicPartition id) {
        return byNode.getOrDefault(node, Map.of()).getOrDefault(id, 0L);
    }
}
