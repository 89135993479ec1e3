package controller;

import common.RandomSource;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** CreatePartitions: a topic grows to a count; a retry finds it grown (C9). */
final class PartitionCreation {

    private final RandomSource random;

    PartitionCreation(RandomSource random) {
        this.random = random;
    }

    Decision<CreatePartitionsResponseData> decide(MetadataImage image, CreatePartitionsRequestData request) {
        Draft draft = new Draft(image);
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (CreatePartitionsTopic topic : request.topics()) {
            counts.merge(topic.name(), 1, Integer::sum);
        }
        Refusal whole = additional(image, request) > Limits.PARTITIONS_PER_REQUEST
                ? new Refusal(Errors.POLICY_VIOLATION, Limits.TOO_MANY_MORE_PARTITIONS)
                : null;
        CreatePartitionsResponseData answer = new CreatePartitionsResponseData();
        Set<String> answered = new LinkedHashSet<>();
        for (CreatePartitionsTopic topic : request.topics()) {
            if (!answered.add(topic.name())) {
                continue;
            }
            CreatePartitionsTopicResult result =
                    new CreatePartitionsTopicResult().setName(topic.name()).setErrorMessage(null);
            try {
                if (counts.get(topic.name()) > 1) {
                    throw new Refusal(Errors.INVALID_REQUEST, "Duplicate topic name.");
                }
                if (whole != null) {
                    throw whole;
                }
                draft.add(grow(draft.image(), topic));
            } catch (Refusal refusal) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.getMessage());
            }
            answer.results().add(result);
        }
        return request.validateOnly() ? Decision.unchanged(answer) : draft.decide(answer);
    }

    private List<MetadataRecord> grow(MetadataImage image, CreatePartitionsTopic asked) throws Refusal {
        TopicImage topic = image.topic(asked.name());
        if (topic == null) {
            throw new Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        int current = topic.partitions().size();
        if (asked.count() == current) {
            throw new Refusal(Errors.INVALID_PARTITIONS, "Topic already has " + current + " partition(s).");
        }
        if (asked.count() < current) {
            throw new Refusal(
                    Errors.INVALID_PARTITIONS,
                    "The topic " + topic.name() + " currently has " + current + " partition(s); " + asked.count()
                            + " would not be an increase.");
        }
        int more = asked.count() - current;
        if (asked.assignments() != null && asked.assignments().size() != more) {
            throw ReplicaPlacement.refused("Attempted to add " + more + " additional partition(s), but only "
                    + asked.assignments().size() + " assignment(s) were specified.");
        }
        ReplicaPlacement placement = new ReplicaPlacement(image, random);
        int factor = topic.partitions().get(0).replicas().size();
        List<PartitionImage> partitions = new ArrayList<>();
        if (asked.assignments() == null) {
            partitions.addAll(placement.spread(current, more, factor));
        } else {
            for (int i = 0; i < more; i++) {
                PartitionImage partition =
                        placement.manual(current + i, asked.assignments().get(i).brokerIds());
                ReplicaPlacement.sameFactor(partition.replicas().size(), factor);
                partitions.add(partition);
            }
        }
        List<MetadataRecord> records = new ArrayList<>();
        for (PartitionImage partition : partitions) {
            records.add(MetadataRecords.partition(topic.id(), partition));
        }
        return records;
    }

    private static long additional(MetadataImage image, CreatePartitionsRequestData request) {
        long total = 0;
        for (CreatePartitionsTopic topic : request.topics()) {
            TopicImage known = image.topic(topic.name());
            total += known == null
                    ? 0
                    : Math.max(0, topic.count() - known.partitions().size());
        }
        return total;
    }
}
