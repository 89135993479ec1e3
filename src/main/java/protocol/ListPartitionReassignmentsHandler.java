package protocol;

import common.Callback;
import metadata.ReassignmentList;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Partitions on the move between brokers, as this node's image has them. kafka-topics asks before it describes a topic. */
final class ListPartitionReassignmentsHandler implements ApiHandler {

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_PARTITION_REASSIGNMENTS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        respond.succeed(ReassignmentList.of(context.image(), (ListPartitionReassignmentsRequestData) request));
    }
}
