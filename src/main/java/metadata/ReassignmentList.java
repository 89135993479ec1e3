package metadata;

import java.util.List;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingPartitionReassignment;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingTopicReassignment;

/** ListPartitionReassignments (KIP-455), from any image. What is unknown or not under way is left out, as in Kafka. */
public final class ReassignmentList {

    private ReassignmentList() {}

    /** @param request topics null: all that are under way */
    public static ListPartitionReassignmentsResponseData of(
            MetadataImage image, ListPartitionReassignmentsRequestData request) {
        ListPartitionReassignmentsResponseData answer =
                new ListPartitionReassignmentsResponseData().setErrorMessage(null);
        if (request.topics() == null) {
            image.topics().forEach(topic -> add(answer, topic, null));
            return answer;
        }
        for (ListPartitionReassignmentsTopics asked : request.topics()) {
            TopicImage topic = image.topic(asked.name());
            if (topic != null) {
                add(answer, topic, asked.partitionIndexes());
            }
        }
        return answer;
    }

    /** @param wanted null: all partitions */
    private static void add(ListPartitionReassignmentsResponseData answer, TopicImage topic, List<Integer> wanted) {
        OngoingTopicReassignment told = new OngoingTopicReassignment().setName(topic.name());
        for (PartitionImage each : topic.partitions()) {
            boolean asked = wanted == null || wanted.contains(each.partition());
            if (asked && !each.reassignment().equals(Reassignment.NONE)) {
                told.partitions()
                        .add(new OngoingPartitionReassignment()
                                .setPartitionIndex(each.partition())
                                .setReplicas(each.replicas())
                                .setAddingReplicas(each.reassignment().adding())
                                .setRemovingReplicas(each.reassignment().removing()));
            }
        }
        if (!told.partitions().isEmpty()) {
            answer.topics().add(told);
        }
    }
}
