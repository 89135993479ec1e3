package controller;

import controller.PartitionChange.Election;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** ElectLeaders (KIP-183, KIP-460), and the same by itself: leaderships that go back to the preferred replicas (auto.leader.rebalance.enable). */
final class LeaderElections {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElections.class);

    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;

    /** Leaderships that move at once, as in Kafka: each makes its clients look for the new leader. */
    private static final int MOST_BALANCED = 1_000;

    Decision<ElectLeadersResponseData> decide(PartitionChanges changes, ElectLeadersRequestData request) {
        ElectLeadersResponseData answer = new ElectLeadersResponseData();
        if (request.topicPartitions() != null && request.topicPartitions().isEmpty()) {
            return Decision.unchanged(answer);
        }
        byte type = request.electionType();
        boolean known = type == PREFERRED || type == UNCLEAN;
        if (!known) {
            answer.setErrorCode(Errors.INVALID_REQUEST.code());
        }
        List<MetadataRecord> records = new ArrayList<>();
        if (request.topicPartitions() != null) {
            Set<TopicPartition> elected = new LinkedHashSet<>();
            for (TopicPartitions asked : request.topicPartitions()) {
                ReplicaElectionResult result = new ReplicaElectionResult().setTopic(asked.topic());
                for (int partition : asked.partitions()) {
                    Refusal why = known
                            ? elect(changes, asked.topic(), partition, type, elected, records)
                            : new Refusal(Errors.INVALID_REQUEST, "Unknown election type " + type);
                    result.partitionResult().add(told(partition, why));
                }
                answer.replicaElectionResults().add(result);
            }
        } else if (known) {
            changes.image()
                    .topics()
                    .forEach(topic -> answer.replicaElectionResults().add(ofWhole(changes, topic, type, records)));
        }
        return Decision.inParts(records, answer);
    }

    /** As in Kafka, partitions that have the leader they should have are left out where all are asked for. */
    private static ReplicaElectionResult ofWhole(
            PartitionChanges changes, TopicImage topic, byte type, List<MetadataRecord> records) {
        ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic.name());
        for (PartitionImage each : topic.partitions()) {
            Refusal why = elect(changes, topic, each, type, records);
            if (why == null || why.error() != Errors.ELECTION_NOT_NEEDED) {
                result.partitionResult().add(told(each.partition(), why));
            }
        }
        return result;
    }

    private static Refusal elect(
            PartitionChanges changes,
            String name,
            int partition,
            byte type,
            Set<TopicPartition> elected,
            List<MetadataRecord> records) {
        TopicImage topic = changes.image().topic(name);
        if (topic == null) {
            return new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as " + name);
        }
        if (partition < 0 || partition >= topic.partitions().size()) {
            return new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such partition as " + name + "-" + partition);
        }
        if (!elected.add(new TopicPartition(name, partition))) {
            return new Refusal(Errors.ELECTION_NOT_NEEDED);
        }
        return elect(changes, topic, topic.partitions().get(partition), type, records);
    }

    /** null: it has another leader now. */
    private static Refusal elect(
            PartitionChanges changes,
            TopicImage topic,
            PartitionImage partition,
            byte type,
            List<MetadataRecord> records) {
        int preferred = partition.replicas().get(0);
        boolean needed = type == PREFERRED ? partition.leader() != preferred : partition.leader() < 0;
        if (!needed) {
            return new Refusal(Errors.ELECTION_NOT_NEEDED);
        }
        PartitionImage after = changes.of(topic, partition)
                .withElection(type == PREFERRED ? Election.PREFERRED : Election.UNCLEAN)
                .next();
        if (type == PREFERRED ? after.leader() != preferred : after.leader() < 0) {
            return new Refusal(
                    type == PREFERRED ? Errors.PREFERRED_LEADER_NOT_AVAILABLE : Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE);
        }
        PartitionChanges.add(records, topic, partition, after);
        return null;
    }

    private static PartitionResult told(int partition, Refusal why) {
        return why == null
                ? new PartitionResult().setPartitionId(partition).setErrorMessage(null)
                : new PartitionResult()
                        .setPartitionId(partition)
                        .setErrorCode(why.error().code())
                        .setErrorMessage(why.getMessage());
    }

    /** Leaders that are not the first replica, where that one is in the ISR. The answer is true when there may be more. */
    Decision<Boolean> balance(PartitionChanges changes) {
        List<MetadataRecord> records = new ArrayList<>();
        for (TopicImage topic : changes.image().topics()) {
            for (PartitionImage each : topic.partitions()) {
                if (records.size() == MOST_BALANCED) {
                    return Decision.inParts(records, true);
                }
                elect(changes, topic, each, PREFERRED, records);
            }
        }
        if (!records.isEmpty()) {
            LOG.info("{} leaderships go back to the preferred replicas", records.size());
        }
        return Decision.inParts(records, false);
    }
}
