package protocol;

import common.Callback;
import common.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.AuthorizedOperations;

/** Topics and their partitions in pages, by name (KIP-966): a cursor says where the next page begins. */
final class DescribeTopicPartitionsHandler implements ApiHandler {
    private final int maxPartitions;

    /** @param maxPartitions in one answer (max.request.partition.size.limit), > 0 */
    DescribeTopicPartitionsHandler(int maxPartitions) {
        this.maxPartitions = maxPartitions;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        DescribeTopicPartitionsRequestData request = (DescribeTopicPartitionsRequestData) message;
        ClusterView view = new ClusterView(context.image(), context.connection());
        boolean all = request.topics().isEmpty();
        TreeMap<String, String> names = names(view, request);
        String problem = problem(request, all, names);
        if (problem != null) {
            respond.succeed(ErrorResponses.of(key(), context.apiVersion(), request, Errors.INVALID_REQUEST, problem));
            return;
        }
        int limit = Math.max(1, Math.min(maxPartitions, request.responsePartitionLimit()));
        respond.succeed(page(view, request, new ArrayList<>(names.keySet()), all, limit));
    }

    /** The names asked for, at or behind the cursor, sorted. */
    private static TreeMap<String, String> names(ClusterView view, DescribeTopicPartitionsRequestData request) {
        String from = request.cursor() == null ? "" : request.cursor().topicName();
        TreeMap<String, String> names = new TreeMap<>();
        if (request.topics().isEmpty()) {
            view.image().topics().forEach(topic -> names.put(topic.name(), ""));
        } else {
            request.topics().forEach(topic -> names.put(topic.name(), ""));
        }
        return new TreeMap<>(names.tailMap(from, true));
    }

    private static String problem(
            DescribeTopicPartitionsRequestData request, boolean all, TreeMap<String, String> names) {
        if (request.cursor() == null) {
            return null;
        }
        if (!all && !names.containsKey(request.cursor().topicName())) {
            return "the cursor's topic " + request.cursor().topicName() + " is not among the topics asked for";
        }
        return request.cursor().partitionIndex() < 0 ? "the cursor's partition is negative" : null;
    }

    private static DescribeTopicPartitionsResponseData page(
            ClusterView view, DescribeTopicPartitionsRequestData request, List<String> names, boolean all, int limit) {
        DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
        int left = limit;
        for (String name : names) {
            if (left == 0) {
                return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(0));
            }
            TopicImage topic = view.image().topic(name);
            if (topic == null) {
                if (!all) {
                    response.topics().add(unknown(name));
                }
                continue;
            }
            boolean atCursor =
                    request.cursor() != null && name.equals(request.cursor().topicName());
            int from = atCursor
                    ? Math.min(
                            request.cursor().partitionIndex(),
                            topic.partitions().size())
                    : 0;
            int to = (int) Math.min(topic.partitions().size(), (long) from + left);
            response.topics().add(topic(view, topic, from, to));
            if (to < topic.partitions().size()) {
                return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(to));
            }
            left -= to - from;
        }
        return response;
    }

    private static DescribeTopicPartitionsResponseTopic unknown(String name) {
        boolean allowed = TopicNames.problem(name) == null;
        return new DescribeTopicPartitionsResponseTopic()
                .setErrorCode((allowed ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION).code())
                .setName(name)
                .setIsInternal(TopicNames.isInternal(name))
                .setTopicAuthorizedOperations(AuthorizedOperations.onTopic());
    }

    private static DescribeTopicPartitionsResponseTopic topic(ClusterView view, TopicImage topic, int from, int to) {
        List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>(to - from);
        for (PartitionImage partition : topic.partitions().subList(from, to)) {
            ClusterView.PartitionView seen = view.partition(partition);
            partitions.add(new DescribeTopicPartitionsResponsePartition()
                    .setPartitionIndex(partition.partition())
                    .setLeaderId(seen.leader())
                    .setLeaderEpoch(partition.leaderEpoch())
                    .setReplicaNodes(seen.replicas())
                    .setIsrNodes(seen.isr())
                    .setOfflineReplicas(seen.offline())
                    .setEligibleLeaderReplicas(partition.eligible().elr())
                    .setLastKnownElr(partition.eligible().lastKnown()));
        }
        return new DescribeTopicPartitionsResponseTopic()
                .setName(topic.name())
                .setTopicId(topic.id())
                .setIsInternal(topic.internal())
                .setPartitions(partitions)
                .setTopicAuthorizedOperations(AuthorizedOperations.onTopic());
    }
}
