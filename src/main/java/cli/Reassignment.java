package cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** New replicas for some partitions: shown, ordered from the cluster, and looked at again when all is done. */
final class Reassignment {
    private static final int MOST_LOOKS = 20;
    private static final long LOOK_MILLIS = 250;
    private static final int MOST_TOLD = 5;

    private final Map<TopicPartition, List<Integer>> before = new LinkedHashMap<>();
    private final Map<TopicPartition, List<Integer>> after = new LinkedHashMap<>();

    /** @param wanted for partitions of {@code now}; those that have it already are left out */
    Reassignment(Map<TopicPartition, List<Integer>> now, Map<TopicPartition, List<Integer>> wanted) {
        wanted.forEach((id, replicas) -> {
            if (!replicas.equals(now.get(id))) {
                before.put(id, now.get(id));
                after.put(id, List.copyOf(replicas));
            }
        });
    }

    /** What every partition's replicas are. */
    static Map<TopicPartition, List<Integer>> now(ClusterView view) {
        Map<TopicPartition, List<Integer>> now = new LinkedHashMap<>();
        view.partitions().forEach(each -> now.put(each.id(), each.replicas()));
        return now;
    }

    boolean isEmpty() {
        return after.isEmpty();
    }

    Map<TopicPartition, List<Integer>> before() {
        return before;
    }

    Map<TopicPartition, List<Integer>> after() {
        return after;
    }

    /** The nodes that have or get replicas. */
    TreeSet<Integer> nodes() {
        TreeSet<Integer> nodes = new TreeSet<>();
        before.values().forEach(nodes::addAll);
        after.values().forEach(nodes::addAll);
        return nodes;
    }

    void print(Terminal terminal, ReplicaSizes sizes) {
        Table table = new Table("TOPIC", "PARTITION", "REPLICAS", "NEW REPLICAS", "TO COPY");
        long all = 0;
        for (Map.Entry<TopicPartition, List<Integer>> each : after.entrySet()) {
            TopicPartition id = each.getKey();
            long bytes = sizes.left(id, ReplicaPlan.added(before.get(id), each.getValue()));
            all += bytes;
            table.row(
                    id.topic(),
                    String.valueOf(id.partition()),
                    ClusterView.text(before.get(id)),
                    ClusterView.text(each.getValue()),
                    ByteSize.text(bytes));
        }
        table.print(terminal.out(), "");
        terminal.out().flush();
        terminal.err().printf("%d partition(s) change, %s to copy.%n", after.size(), ByteSize.text(all));
    }

    /** Orders it; fails with the first partition that is refused, the others then being under way. */
    void execute(Admin admin) throws InterruptedException, ExecutionException {
        Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new LinkedHashMap<>();
        after.forEach((id, replicas) -> orders.put(id, Optional.of(new NewPartitionReassignment(replicas))));
        for (KafkaFuture<Void> order :
                admin.alterPartitionReassignments(orders).values().values()) {
            order.get();
        }
    }

    /**
     * Fails if a partition has other replicas than it was to get: somebody called the move off, or ordered another. The controller knows that the moves have
     * ended a moment before all brokers do, so there are several looks.
     */
    void requireDone(Admin admin) throws InterruptedException, ExecutionException {
        List<String> others = others(ClusterView.of(admin));
        for (int look = 0; look < MOST_LOOKS && !others.isEmpty(); look++) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            others = others(ClusterView.of(admin));
        }
        if (!others.isEmpty()) {
            throw new CliFailure(
                    others.size() + " partition(s) did not get the replicas that were ordered: "
                            + String.join("; ", others.subList(0, Math.min(others.size(), MOST_TOLD)))
                            + (others.size() > MOST_TOLD ? "; ..." : ""),
                    "Somebody called the move off, or ordered another one.");
        }
    }

    private List<String> others(ClusterView view) {
        Map<TopicPartition, List<Integer>> now = now(view);
        return after.keySet().stream()
                .filter(id -> now.containsKey(id) && !now.get(id).equals(after.get(id)))
                .map(id -> id + " has " + ClusterView.text(now.get(id)) + ", not " + ClusterView.text(after.get(id)))
                .toList();
    }
}
