package cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTransactionsResult;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;

/** What transactions there are, and whom they hold back. */
final class OpenTransactions {
    /** Those that readers of committed records wait for. */
    private static final List<TransactionState> STATES = List.of(
            TransactionState.ONGOING,
            TransactionState.PREPARE_COMMIT,
            TransactionState.PREPARE_ABORT,
            TransactionState.PREPARE_EPOCH_FENCE);

    private OpenTransactions() {}

    static List<TransactionState> states() {
        return STATES;
    }

    /** By when they began, oldest first; those that vanish meanwhile are left out. */
    static Map<String, TransactionDescription> describe(Admin admin, List<String> ids)
            throws InterruptedException, ExecutionException {
        Map<String, TransactionDescription> found = new TreeMap<>();
        DescribeTransactionsResult asked = admin.describeTransactions(ids);
        for (String id : ids) {
            try {
                found.put(id, asked.description(id).get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
                    throw e;
                }
            }
        }
        Map<String, TransactionDescription> sorted = new LinkedHashMap<>();
        Comparator<Map.Entry<String, TransactionDescription>> byStart = Comparator.comparingLong(
                each -> each.getValue().transactionStartTimeMs().orElse(Long.MAX_VALUE));
        found.entrySet().stream().sorted(byStart).forEach(each -> sorted.put(each.getKey(), each.getValue()));
        return sorted;
    }

    /** Fails when there is no such id. */
    static TransactionDescription describe(Admin admin, String id) throws InterruptedException, ExecutionException {
        try {
            return admin.describeTransactions(List.of(id)).description(id).get();
        } catch (ExecutionException problem) {
            if (problem.getCause() instanceof TransactionalIdNotFoundException) {
                throw new CliFailure(
                        "there is no transactional id " + id,
                        "See which there are: highwater transactions list --all.");
            }
            throw problem;
        }
    }

    static String partitions(Set<TopicPartition> partitions) {
        List<String> names = new ArrayList<>();
        partitions.stream()
                .sorted(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
                .forEach(each -> names.add(each.topic() + ":" + each.partition()));
        return names.isEmpty() ? "-" : String.join(",", names);
    }

    /** Since it began, in whole seconds; "-" when none is open. */
    static String age(TransactionDescription transaction, long nowMillis) {
        if (!STATES.contains(transaction.state())
                || transaction.transactionStartTimeMs().isEmpty()) {
            return "-";
        }
        long millis = nowMillis - transaction.transactionStartTimeMs().getAsLong();
        return Duration.ofSeconds(Math.max(0, millis / 1000))
                .toString()
                .substring(2)
                .toLowerCase(Locale.ROOT);
    }

    /** Groups that have read a partition up to where the transactions open there begin, though there is more; by partition. */
    static Map<TopicPartition, Set<String>> heldBack(Admin admin, Set<TopicPartition> partitions)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, Long> stable = offsets(admin, partitions, IsolationLevel.READ_COMMITTED);
        Map<TopicPartition, Long> ends = offsets(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Set<String>> held = new LinkedHashMap<>();
        List<String> groups = admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get().stream()
                .map(GroupListing::groupId)
                .sorted()
                .toList();
        Map<String, ListConsumerGroupOffsetsSpec> asked = new LinkedHashMap<>();
        groups.forEach(
                group -> asked.put(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.copyOf(partitions))));
        if (asked.isEmpty()) {
            return held;
        }
        var results = admin.listConsumerGroupOffsets(asked);
        for (String group : groups) {
            KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> committed =
                    results.partitionsToOffsetAndMetadata(group);
            committed.get().forEach((partition, offset) -> {
                if (offset != null
                        && offset.offset() == stable.get(partition)
                        && ends.get(partition) > stable.get(partition)) {
                    held.computeIfAbsent(partition, none -> new TreeSet<>()).add(group);
                }
            });
        }
        return held;
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, Set<TopicPartition> partitions, IsolationLevel level)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
        partitions.forEach(each -> latest.put(each, OffsetSpec.latest()));
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> each : admin.listOffsets(
                        latest, new ListOffsetsOptions(level))
                .all()
                .get()
                .entrySet()) {
            offsets.put(each.getKey(), each.getValue().offset());
        }
        return offsets;
    }
}
