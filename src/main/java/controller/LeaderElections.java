package controller;

import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.Errors;

/** ElectLeaders (KIP-183, KIP-460). With one replica of each partition there is nobody else to be elected, so it changes nothing. */
final class LeaderElections {
    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;

    Decision<ElectLeadersResponseData> decide(MetadataImage image, ElectLeadersRequestData request) {
        ElectLeadersResponseData answer = new ElectLeadersResponseData();
        if (request.topicPartitions() != null && request.topicPartitions().isEmpty()) {
            return Decision.unchanged(answer);
        }
        byte type = request.electionType();
        boolean known = type == PREFERRED || type == UNCLEAN;
        if (!known) {
            answer.setErrorCode(Errors.INVALID_REQUEST.code());
        }
        if (request.topicPartitions() != null) {
            for (TopicPartitions asked : request.topicPartitions()) {
                ReplicaElectionResult result = new ReplicaElectionResult().setTopic(asked.topic());
                for (int partition : asked.partitions()) {
                    Refusal why = known
                            ? elect(image, asked.topic(), partition, type)
                            : new Refusal(Errors.INVALID_REQUEST, "Unknown election type " + type);
                    result.partitionResult().add(told(partition, why));
                }
                answer.replicaElectionResults().add(result);
            }
        } else if (known) {
            image.topics().forEach(topic -> answer.replicaElectionResults().add(ofWhole(topic, type)));
        }
        return Decision.unchanged(answer);
    }

    /** As in Kafka, partitions that have the leader they should have are left out where all are asked for. */
    private static ReplicaElectionResult ofWhole(TopicImage topic, byte type) {
        ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic.name());
        for (PartitionImage each : topic.partitions()) {
            Refusal why = elect(each, type);
            if (why.error() != Errors.ELECTION_NOT_NEEDED) {
                result.partitionResult().add(told(each.partition(), why));
            }
        }
        return result;
    }

    private static Refusal elect(MetadataImage image, String name, int partition, byte type) {
        TopicImage topic = image.topic(name);
        if (topic == null) {
            return new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as " + name);
        }
        if (partition < 0 || partition >= topic.partitions().size()) {
            return new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such partition as " + name + "-" + partition);
        }
        return elect(topic.partitions().get(partition), type);
    }

    private static Refusal elect(PartitionImage partition, byte type) {
        int preferred = partition.replicas().get(0);
        boolean needed = type == PREFERRED ? partition.leader() != preferred : partition.leader() < 0;
        if (!needed) {
            return new Refusal(Errors.ELECTION_NOT_NEEDED);
        }
        return new Refusal(
                type == PREFERRED ? Errors.PREFERRED_LEADER_NOT_AVAILABLE : Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE);
    }

    private static PartitionResult told(int partition, Refusal why) {
        return new PartitionResult()
                .setPartitionId(partition)
                .setErrorCode(why.error().code())
                .setErrorMessage(why.getMessage());
    }
}
