package node;

import java.util.Collection;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What the answer of a node that may be the active controller says of that. */
final class ControllerAnswers {

    private ControllerAnswers() {}

    /** The node that answered is not the active controller, or was so no more before it had decided. */
    static boolean isElsewhere(ApiMessage answer) {
        if (answer instanceof CreateTopicsResponseData data) {
            return any(data.topics(), CreateTopicsResponseData.CreatableTopicResult::errorCode);
        } else if (answer instanceof DeleteTopicsResponseData data) {
            return any(data.responses(), DeleteTopicsResponseData.DeletableTopicResult::errorCode);
        } else if (answer instanceof CreatePartitionsResponseData data) {
            return any(data.results(), CreatePartitionsResponseData.CreatePartitionsTopicResult::errorCode);
        } else if (answer instanceof IncrementalAlterConfigsResponseData data) {
            return any(data.responses(), IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse::errorCode);
        } else if (answer instanceof AlterConfigsResponseData data) {
            return any(data.responses(), AlterConfigsResponseData.AlterConfigsResourceResponse::errorCode);
        } else if (answer instanceof AlterClientQuotasResponseData data) {
            return any(data.entries(), AlterClientQuotasResponseData.EntryData::errorCode);
        } else if (answer instanceof DescribeQuorumResponseData data) {
            return isElsewhere(data.errorCode())
                    || data.topics().stream()
                            .anyMatch(topic ->
                                    any(topic.partitions(), DescribeQuorumResponseData.PartitionData::errorCode));
        }
        return isElsewhere(ofWhole(answer));
    }

    private static int ofWhole(ApiMessage answer) {
        if (answer instanceof BrokerHeartbeatResponseData data) {
            return data.errorCode();
        } else if (answer instanceof BrokerRegistrationResponseData data) {
            return data.errorCode();
        } else if (answer instanceof AlterPartitionResponseData data) {
            return data.errorCode();
        } else if (answer instanceof AllocateProducerIdsResponseData data) {
            return data.errorCode();
        } else if (answer instanceof AssignReplicasToDirsResponseData data) {
            return data.errorCode();
        } else if (answer instanceof UpdateFeaturesResponseData data) {
            return data.errorCode();
        } else if (answer instanceof ElectLeadersResponseData data) {
            return data.errorCode();
        } else if (answer instanceof AlterPartitionReassignmentsResponseData data) {
            return data.errorCode();
        } else if (answer instanceof UnregisterBrokerResponseData data) {
            return data.errorCode();
        } else if (answer instanceof AddRaftVoterResponseData data) {
            return data.errorCode();
        } else if (answer instanceof RemoveRaftVoterResponseData data) {
            return data.errorCode();
        }
        throw new IllegalArgumentException("no answer of a controller: " + answer.getClass());
    }

    private static <T> boolean any(Collection<T> parts, ToIntFunction<T> errorCode) {
        return parts.stream().anyMatch(each -> isElsewhere(errorCode.applyAsInt(each)));
    }

    private static boolean isElsewhere(int errorCode) {
        return errorCode == Errors.NOT_CONTROLLER.code() || errorCode == Errors.NOT_LEADER_OR_FOLLOWER.code();
    }
}
