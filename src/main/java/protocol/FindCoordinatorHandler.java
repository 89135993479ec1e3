package protocol;

import common.Callback;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import services.GroupCoordinators;
import services.InternalTopics;
import services.TransactionCoordinators;

/**
 * Which broker coordinates a group or a transactional id. The first question makes __consumer_offsets or __transaction_state, and is answered when its
 * coordinators take requests (Kafka says COORDINATOR_NOT_AVAILABLE first and lets the client ask again).
 */
final class FindCoordinatorHandler implements ApiHandler {
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    private static final byte SHARE = 2;
    /** First version that asks for several keys (KIP-699). */
    private static final short BATCHED = 4;

    private final InternalTopics topics;

    FindCoordinatorHandler(InternalTopics topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FIND_COORDINATOR;
    }

    @Override
    public void handle(RequestContext context, ApiMessage message, Callback<ApiMessage> respond) {
        FindCoordinatorRequestData request = (FindCoordinatorRequestData) message;
        if (request.keyType() < GROUP || request.keyType() > SHARE) {
            String why = "Unknown coordinator type received " + request.keyType();
            respond.succeed(ErrorResponses.of(key(), context.apiVersion(), request, Errors.INVALID_REQUEST, why));
        } else if (request.keyType() == GROUP) {
            topics.makeOffsets(context.image(), () -> respond.succeed(answer(context, request)));
        } else if (request.keyType() == TRANSACTION) {
            topics.makeTransactions(context.image(), () -> respond.succeed(answer(context, request)));
        } else {
            respond.succeed(answer(context, request));
        }
    }

    private static ApiMessage answer(RequestContext context, FindCoordinatorRequestData request) {
        ClusterView cluster = new ClusterView(context.image(), context.connection());
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (context.apiVersion() < BATCHED) {
            Coordinator found = find(cluster, request.keyType(), request.key());
            return response.setErrorCode(found.errorCode())
                    .setErrorMessage(Errors.forCode(found.errorCode()).message())
                    .setNodeId(found.nodeId())
                    .setHost(found.host())
                    .setPort(found.port());
        }
        for (String each : request.coordinatorKeys()) {
            response.coordinators().add(find(cluster, request.keyType(), each));
        }
        return response;
    }

    private static Coordinator find(ClusterView cluster, byte type, String key) {
        MetadataImage image = cluster.image();
        return switch (type) {
            case GROUP ->
                of(
                        cluster,
                        key,
                        image.topic(Topic.GROUP_METADATA_TOPIC_NAME),
                        GroupCoordinators.partitionOf(key, image));
            case TRANSACTION ->
                of(
                        cluster,
                        key,
                        image.topic(Topic.TRANSACTION_STATE_TOPIC_NAME),
                        TransactionCoordinators.partitionOf(key, image));
            default -> none(key, Errors.INVALID_REQUEST);
        };
    }

    private static Coordinator of(ClusterView cluster, String key, TopicImage topic, int index) {
        if (index < 0) {
            return none(key, Errors.COORDINATOR_NOT_AVAILABLE);
        }
        PartitionImage partition = topic.partitions().get(index);
        for (ClusterView.Node each : cluster.nodes(false)) {
            // What lies in a log directory that is offline is coordinated by nobody.
            if (each.id() == partition.leader() && cluster.image().isDirectoryOnline(partition, each.id())) {
                return new Coordinator()
                        .setKey(key)
                        .setNodeId(each.id())
                        .setHost(each.host())
                        .setPort(each.port());
            }
        }
        return none(key, Errors.COORDINATOR_NOT_AVAILABLE);
    }

    private static Coordinator none(String key, Errors error) {
        return new Coordinator()
                .setKey(key)
                .setErrorCode(error.code())
                .setNodeId(-1)
                .setHost("")
                .setPort(-1);
    }
}
