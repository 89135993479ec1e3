package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Which parts of a request go to which node, as a client knows the leaders. */
final class SimSplit {
    private final SimRoutes routes;
    private final int otherwise;
    private final boolean toCoordinator;

    /** Whether a partition belongs to a part. */
    private interface Choice {
        boolean test(String topic, Uuid id, int partition);
    }

    /**
     * @param otherwise where it goes when nobody is known for it, and what any node answers
     * @param toCoordinator {@code otherwise} is a coordinator, to whom its groups' requests go
     */
    SimSplit(SimRoutes routes, int otherwise, boolean toCoordinator) {
        this.routes = routes;
        this.otherwise = otherwise;
        this.toCoordinator = toCoordinator;
    }

    /** By node; one at least. */
    Map<Integer, ApiMessage> parts(ApiKeys key, ApiMessage request) {
        Map<Integer, ApiMessage> parts = new TreeMap<>();
        if (key == ApiKeys.LIST_TRANSACTIONS || key == ApiKeys.LIST_GROUPS) {
            routes.nodes().forEach(each -> parts.put(each, request));
        } else if (byPartition(key)) {
            Set<Integer> nodes = new TreeSet<>();
            filter((ApiMessage) request.duplicate(), (topic, id, partition) -> {
                nodes.add(leader(topic, id, partition));
                return true;
            });
            for (int node : nodes.size() > 1 ? nodes : Set.<Integer>of()) {
                ApiMessage part = (ApiMessage) request.duplicate();
                filter(part, (topic, id, partition) -> leader(topic, id, partition) == node);
                parts.put(node, part);
            }
            if (nodes.size() == 1) {
                parts.put(nodes.iterator().next(), request);
            }
        } else {
            parts.put(coordinator(request), request);
        }
        if (parts.isEmpty()) {
            parts.put(otherwise, request);
        }
        return parts;
    }

    private int leader(String topic, Uuid id, int partition) {
        int known = routes.leader(topic, id, partition);
        return known < 0 ? otherwise : known;
    }

    private int coordinator(ApiMessage request) {
        String group = null;
        if (request instanceof TxnOffsetCommitRequestData commit) {
            group = commit.groupId();
        } else if (toCoordinator) {
            return otherwise;
        } else if (request instanceof OffsetFetchRequestData fetch) {
            group = fetch.groups().isEmpty()
                    ? fetch.groupId()
                    : fetch.groups().get(0).groupId();
        } else if (request instanceof DescribeGroupsRequestData describe) {
            group = describe.groups().get(0);
        }
        int known = group == null ? -1 : routes.coordinator(Topic.GROUP_METADATA_TOPIC_NAME, group);
        return known < 0 ? otherwise : known;
    }

    private static boolean byPartition(ApiKeys key) {
        return switch (key) {
            case PRODUCE, FETCH, LIST_OFFSETS, DELETE_RECORDS, DESCRIBE_PRODUCERS, WRITE_TXN_MARKERS -> true;
            default -> false;
        };
    }

    /** Takes out what is not chosen. */
    private static void filter(ApiMessage request, Choice choice) {
        if (request instanceof ProduceRequestData produce) {
            produce.topicData()
                    .forEach(topic -> topic.partitionData()
                            .removeIf(each -> !choice.test(topic.name(), topic.topicId(), each.index())));
            produce.topicData().removeIf(topic -> topic.partitionData().isEmpty());
        } else if (request instanceof FetchRequestData fetch) {
            fetch.topics()
                    .forEach(topic -> topic.partitions()
                            .removeIf(each -> !choice.test(topic.topic(), topic.topicId(), each.partition())));
            fetch.topics().removeIf(topic -> topic.partitions().isEmpty());
        } else if (request instanceof ListOffsetsRequestData list) {
            list.topics()
                    .forEach(topic -> topic.partitions()
                            .removeIf(each -> !choice.test(topic.name(), null, each.partitionIndex())));
            list.topics().removeIf(topic -> topic.partitions().isEmpty());
        } else if (request instanceof DeleteRecordsRequestData delete) {
            delete.topics()
                    .forEach(topic -> topic.partitions()
                            .removeIf(each -> !choice.test(topic.name(), null, each.partitionIndex())));
            delete.topics().removeIf(topic -> topic.partitions().isEmpty());
        } else if (request instanceof DescribeProducersRequestData describe) {
            for (DescribeProducersRequestData.TopicRequest topic : describe.topics()) {
                topic.setPartitionIndexes(chosen(topic.name(), topic.partitionIndexes(), choice));
            }
            describe.topics().removeIf(topic -> topic.partitionIndexes().isEmpty());
        } else if (request instanceof WriteTxnMarkersRequestData markers) {
            markers.markers().forEach(marker -> {
                marker.topics()
                        .forEach(topic ->
                                topic.setPartitionIndexes(chosen(topic.name(), topic.partitionIndexes(), choice)));
                marker.setTopics(marker.topics().stream()
                        .filter(topic -> !topic.partitionIndexes().isEmpty())
                        .toList());
            });
            markers.markers().removeIf(marker -> marker.topics().isEmpty());
        } else {
            throw new IllegalArgumentException(request.toString());
        }
    }

    private static List<Integer> chosen(String topic, List<Integer> partitions, Choice choice) {
        List<Integer> kept = new ArrayList<>();
        for (int each : partitions) {
            if (choice.test(topic, null, each)) {
                kept.add(each);
            }
        }
        return kept;
    }
}
