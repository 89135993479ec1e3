package protocol;

import common.Callback;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import services.ClusterService;

/** Moves partitions between brokers; kafka-reassign-partitions asks for it. */
final class AlterPartitionReassignmentsHandler implements ApiHandler {
    private final ClusterService cluster;

    AlterPartitionReassignmentsHandler(ClusterService cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_PARTITION_REASSIGNMENTS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        cluster.reassign((AlterPartitionReassignmentsRequestData) request, respond::done);
    }
}
