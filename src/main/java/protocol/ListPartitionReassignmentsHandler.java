package protocol;

import common.Callback;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Partitions on the move between brokers: none, while a cluster is one broker. kafka-topics asks before it describes a topic. */
final class ListPartitionReassignmentsHandler implements ApiHandler {

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_PARTITION_REASSIGNMENTS;
    }

    @Override
    public void handle(RequestContext context, ApiMessage request, Callback<ApiMessage> respond) {
        respond.succeed(new ListPartitionReassignmentsResponseData().setErrorMessage(null));
    }
}
