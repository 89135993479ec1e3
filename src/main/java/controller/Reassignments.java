package controller;

import java.util.List;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;

/** AlterPartitionReassignments (KIP-455). On one broker a partition can only be assigned to where it is, so it changes nothing and nothing is ever under way. */
final class Reassignments {

    Decision<AlterPartitionReassignmentsResponseData> decide(
            MetadataImage image, AlterPartitionReassignmentsRequestData request) {
        if (request.topics().isEmpty()) {
            return Decision.unchanged(new AlterPartitionReassignmentsResponseData());
        }
        AlterPartitionReassignmentsResponseData answer = new AlterPartitionReassignmentsResponseData()
                .setErrorMessage(null)
                .setAllowReplicationFactorChange(request.allowReplicationFactorChange());
        for (ReassignableTopic topic : request.topics()) {
            ReassignableTopicResponse result = new ReassignableTopicResponse().setName(topic.name());
            for (ReassignablePartition partition : topic.partitions()) {
                ReassignablePartitionResponse told = new ReassignablePartitionResponse()
                        .setPartitionIndex(partition.partitionIndex())
                        .setErrorMessage(null);
                try {
                    check(image, topic.name(), partition, request.allowReplicationFactorChange());
                } catch (Refusal refusal) {
                    boolean wordless = refusal.error() == Errors.NO_REASSIGNMENT_IN_PROGRESS;
                    told.setErrorCode(refusal.error().code()).setErrorMessage(wordless ? null : refusal.getMessage());
                }
                result.partitions().add(told);
            }
            answer.responses().add(result);
        }
        return Decision.unchanged(answer);
    }

    private static void check(MetadataImage image, String name, ReassignablePartition asked, boolean otherFactor)
            throws Refusal {
        TopicImage topic = image.topic(name);
        int partition = asked.partitionIndex();
        if (topic == null) {
            throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named " + name + ".");
        }
        if (partition < 0 || partition >= topic.partitions().size()) {
            throw new Refusal(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find partition " + name + ":" + partition + ".");
        }
        if (asked.replicas() == null) {
            throw new Refusal(Errors.NO_REASSIGNMENT_IN_PROGRESS);
        }
        new ReplicaPlacement(image).manual(partition, asked.replicas());
        List<Integer> now = topic.partitions().get(partition).replicas();
        if (!otherFactor && asked.replicas().size() != now.size()) {
            throw new Refusal(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "The replication factor is changed from " + now.size() + " to "
                            + asked.replicas().size());
        }
    }
}
