package controller;

import controller.PartitionChange.Election;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * AlterPartitionReassignments (KIP-455, KIP-860; rule I14): a partition is told where it should be, keeps its old replicas until all new ones are in the ISR, and goes
 * back to the old ones when the reassignment is cancelled. A new target replaces the one before. Asked for again, nothing changes (C9).
 */
final class Reassignments {

    Decision<AlterPartitionReassignmentsResponseData> decide(
            PartitionChanges changes, AlterPartitionReassignmentsRequestData request) {
        if (request.topics().isEmpty()) {
            return Decision.unchanged(new AlterPartitionReassignmentsResponseData());
        }
        AlterPartitionReassignmentsResponseData answer = new AlterPartitionReassignmentsResponseData()
                .setErrorMessage(null)
                .setAllowReplicationFactorChange(request.allowReplicationFactorChange());
        List<MetadataRecord> records = new ArrayList<>();
        DirectoryChoice directories = new DirectoryChoice(changes.image());
        Set<TopicPartition> changed = new LinkedHashSet<>();
        for (ReassignableTopic topic : request.topics()) {
            ReassignableTopicResponse result = new ReassignableTopicResponse().setName(topic.name());
            for (ReassignablePartition partition : topic.partitions()) {
                ReassignablePartitionResponse told = new ReassignablePartitionResponse()
                        .setPartitionIndex(partition.partitionIndex())
                        .setErrorMessage(null);
                try {
                    TopicImage known = find(changes.image(), topic.name(), partition.partitionIndex());
                    PartitionImage before = known.partitions().get(partition.partitionIndex());
                    PartitionImage after;
                    if (partition.replicas() == null) {
                        after = cancelled(changes, known, before);
                    } else {
                        check(changes.image(), before, partition.replicas(), request.allowReplicationFactorChange());
                        after = moved(changes.of(known, before), before, partition.replicas(), directories);
                    }
                    // Kafka lets the last one win; here neither knows of the other.
                    if (!after.equals(before)
                            && !changed.add(new TopicPartition(topic.name(), partition.partitionIndex()))) {
                        throw new Refusal(Errors.INVALID_REQUEST, "The partition is changed twice in this request.");
                    }
                    PartitionChanges.add(records, known, before, after);
                } catch (Refusal refusal) {
                    boolean wordless = refusal.error() == Errors.NO_REASSIGNMENT_IN_PROGRESS;
                    told.setErrorCode(refusal.error().code()).setErrorMessage(wordless ? null : refusal.getMessage());
                }
                result.partitions().add(told);
            }
            answer.responses().add(result);
        }
        return Decision.inParts(records, answer);
    }

    private static TopicImage find(MetadataImage image, String name, int partition) throws Refusal {
        TopicImage topic = image.topic(name);
        if (topic == null) {
            throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named " + name + ".");
        }
        if (partition < 0 || partition >= topic.partitions().size()) {
            throw new Refusal(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find partition " + name + ":" + partition + ".");
        }
        return topic;
    }

    private static void check(MetadataImage image, PartitionImage partition, List<Integer> targets, boolean otherFactor)
            throws Refusal {
        ReplicaPlacement.check(image, targets);
        int now = original(partition).size();
        if (!otherFactor && targets.size() != now) {
            throw new Refusal(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "The replication factor is changed from " + now + " to " + targets.size());
        }
    }

    /** Where it was before any reassignment. */
    private static List<Integer> original(PartitionImage partition) {
        return without(partition.replicas(), partition.reassignment().adding());
    }

    /** What is neither a target nor was there before (the target of a reassignment that this one replaces) is adding and removing: it goes either way. */
    private static PartitionImage moved(
            PartitionChange change, PartitionImage partition, List<Integer> targets, DirectoryChoice directories) {
        List<Integer> removing = List.copyOf(new TreeSet<>(without(partition.replicas(), targets)));
        List<Integer> replicas = new ArrayList<>(targets);
        replicas.addAll(removing);
        List<Integer> adding = List.copyOf(new TreeSet<>(without(replicas, original(partition))));
        Reassignment moving =
                adding.isEmpty() && removing.isEmpty() ? Reassignment.NONE : new Reassignment(adding, removing);
        if (moving.equals(partition.reassignment())
                && targets.equals(without(partition.replicas(), moving.removing()))) {
            return partition;
        }
        return change.withReplicas(List.copyOf(replicas), moving, directories::next)
                .next();
    }

    private static PartitionImage cancelled(PartitionChanges changes, TopicImage topic, PartitionImage partition)
            throws Refusal {
        if (partition.reassignment().equals(Reassignment.NONE)) {
            throw new Refusal(Errors.NO_REASSIGNMENT_IN_PROGRESS);
        }
        List<Integer> original = original(partition);
        boolean loses = partition.isr().stream().noneMatch(original::contains)
                && partition.eligible().elr().stream().noneMatch(original::contains);
        if (loses && !changes.allowsUnclean(topic)) {
            throw new Refusal(
                    Errors.INVALID_REPLICA_ASSIGNMENT,
                    "Unable to revert partition assignment for " + topic.name() + ":" + partition.partition()
                            + " because it would require an unclean leader election.");
        }
        return changes.of(topic, partition)
                .withReplicas(original, Reassignment.NONE, unused -> DirectoryId.UNASSIGNED)
                .withElection(loses ? Election.UNCLEAN : Election.ANY)
                .next();
    }

    private static List<Integer> without(List<Integer> brokers, List<Integer> others) {
        return brokers.stream().filter(each -> !others.contains(each)).toList();
    }
}
