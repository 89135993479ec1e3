package controller;

import common.RandomSource;
import config.DescribedConfig;
import config.TopicDefaults;
import config.TopicKeys;
import highwater.metadata.MetadataRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import metadata.ConfigTarget;
import metadata.EffectiveConfigs;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** CreateTopics: names, counts, placement and settings checked as Kafka 4.4.0 does, in its order and words. */
final class TopicCreation {

    private final TopicDefaults defaults;
    private final EffectiveConfigs configs;
    private final RandomSource random;
    private final TopicIds ids;

    TopicCreation(TopicDefaults defaults, EffectiveConfigs configs, RandomSource random) {
        this.defaults = defaults;
        this.configs = configs;
        this.random = random;
        this.ids = new TopicIds(random);
    }

    Decision<CreateTopicsResponseData> decide(MetadataImage image, CreateTopicsRequestData request) {
        Draft draft = new Draft(image);
        Set<String> doubled = doubled(request);
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        Refusal whole = totalPartitions(request) > Limits.PARTITIONS_PER_REQUEST
                ? new Refusal(Errors.POLICY_VIOLATION, Limits.TOO_MANY_PARTITIONS)
                : null;
        Set<String> answered = new LinkedHashSet<>();
        for (CreatableTopic topic : request.topics()) {
            if (!answered.add(topic.name())) {
                continue;
            }
            try {
                if (doubled.contains(topic.name())) {
                    throw new Refusal(Errors.INVALID_REQUEST, "Duplicate topic name.");
                }
                if (whole != null) {
                    throw whole;
                }
                answer.topics().add(create(draft, topic));
            } catch (Refusal refusal) {
                answer.topics().add(refused(topic.name(), refusal));
            }
        }
        if (draft.records().size() > Limits.RECORDS_PER_REQUEST) {
            return Decision.unchanged(tooLarge(request));
        }
        return request.validateOnly() ? Decision.unchanged(answer) : draft.decide(answer);
    }

    private CreatableTopicResult create(Draft draft, CreatableTopic topic) throws Refusal {
        checkName(draft.image(), topic.name());
        Map<String, String> settings = settings(topic);
        List<PartitionImage> partitions = partitions(draft.image(), topic);
        Uuid id = ids.next(draft.image());
        List<MetadataRecord> records = new ArrayList<>();
        records.add(MetadataRecords.topic(topic.name(), id));
        settings.forEach(
                (key, value) -> records.add(MetadataRecords.config(ConfigTarget.topic(topic.name()), key, value)));
        for (PartitionImage partition : partitions) {
            records.add(MetadataRecords.partition(id, partition));
        }
        draft.add(records);
        CreatableTopicResult result = new CreatableTopicResult()
                .setName(topic.name())
                .setTopicId(id)
                .setErrorCode(Errors.NONE.code())
                .setErrorMessage(null)
                .setNumPartitions(partitions.size())
                .setReplicationFactor((short) partitions.get(0).replicas().size());
        for (DescribedConfig entry : configs.describeTopic(draft.image(), settings)) {
            result.configs()
                    .add(new CreatableTopicConfigs()
                            .setName(entry.name())
                            .setValue(entry.value())
                            .setReadOnly(entry.readOnly())
                            .setConfigSource(entry.source())
                            .setIsSensitive(entry.sensitive()));
        }
        return result;
    }

    private static void checkName(MetadataImage image, String name) throws Refusal {
        if (name.equals(Topic.CLUSTER_METADATA_TOPIC_NAME)) {
            throw new Refusal(Errors.INVALID_REQUEST, "Creation of internal topic " + name + " is prohibited.");
        }
        try {
            Topic.validate(name);
        } catch (InvalidTopicException e) {
            throw new Refusal(Errors.INVALID_TOPIC_EXCEPTION, e.getMessage());
        }
        if (image.topic(name) != null) {
            throw new Refusal(Errors.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
        }
        String colliding = image.collidingTopic(name);
        if (colliding != null) {
            throw new Refusal(
                    Errors.INVALID_TOPIC_EXCEPTION, "Topic '" + name + "' collides with existing topic: " + colliding);
        }
    }

    private static Map<String, String> settings(CreatableTopic topic) throws Refusal {
        Map<String, String> settings = new TreeMap<>();
        List<String> empty = new ArrayList<>();
        for (CreatableTopicConfig config : topic.configs()) {
            if (config.value() == null) {
                empty.add(config.name());
            } else {
                settings.put(config.name(), config.value());
            }
        }
        if (!empty.isEmpty()) {
            throw new Refusal(
                    Errors.INVALID_CONFIG, "Null value not supported for topic configs: " + String.join(",", empty));
        }
        String problem = TopicKeys.problem(settings);
        if (problem != null) {
            throw new Refusal(Errors.INVALID_CONFIG, problem);
        }
        return settings;
    }

    private List<PartitionImage> partitions(MetadataImage image, CreatableTopic topic) throws Refusal {
        ReplicaPlacement placement = new ReplicaPlacement(image, random);
        if (!topic.assignments().isEmpty()) {
            return manual(placement, topic);
        }
        if (topic.replicationFactor() < -1 || topic.replicationFactor() == 0) {
            throw new Refusal(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Replication factor must be larger than 0, or -1 to use the default value.");
        }
        if (topic.numPartitions() < -1 || topic.numPartitions() == 0) {
            throw new Refusal(
                    Errors.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value.");
        }
        int count = topic.numPartitions() == -1 ? defaults.partitions() : topic.numPartitions();
        int factor = topic.replicationFactor() == -1 ? defaults.replicationFactor() : topic.replicationFactor();
        return placement.spread(0, count, factor);
    }

    private static List<PartitionImage> manual(ReplicaPlacement placement, CreatableTopic topic) throws Refusal {
        if (topic.replicationFactor() != -1) {
            throw new Refusal(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but replication factor was not set to -1.");
        }
        if (topic.numPartitions() != -1) {
            throw new Refusal(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but numPartitions was not set to -1.");
        }
        Map<Integer, PartitionImage> byIndex = new TreeMap<>();
        int factor = -1;
        for (CreatableReplicaAssignment assignment : topic.assignments()) {
            if (byIndex.containsKey(assignment.partitionIndex())) {
                throw ReplicaPlacement.refused(
                        "Found multiple manual partition assignments for partition " + assignment.partitionIndex());
            }
            PartitionImage partition = placement.manual(assignment.partitionIndex(), assignment.brokerIds());
            factor = factor < 0 ? partition.replicas().size() : factor;
            ReplicaPlacement.sameFactor(partition.replicas().size(), factor);
            byIndex.put(assignment.partitionIndex(), partition);
        }
        List<PartitionImage> partitions = List.copyOf(byIndex.values());
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).partition() != i) {
                throw ReplicaPlacement.refused("partitions should be a consecutive 0-based integer sequence");
            }
        }
        return partitions;
    }

    private long totalPartitions(CreateTopicsRequestData request) {
        long total = 0;
        for (CreatableTopic topic : request.topics()) {
            if (!topic.assignments().isEmpty()) {
                total += topic.assignments().size();
            } else {
                total += topic.numPartitions() == -1 ? defaults.partitions() : Math.max(0, topic.numPartitions());
            }
        }
        return total;
    }

    private static Set<String> doubled(CreateTopicsRequestData request) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (CreatableTopic topic : request.topics()) {
            counts.merge(topic.name(), 1, Integer::sum);
        }
        counts.values().removeIf(count -> count == 1);
        return counts.keySet();
    }

    private static CreateTopicsResponseData tooLarge(CreateTopicsRequestData request) {
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        Refusal refusal = new Refusal(Errors.POLICY_VIOLATION, Limits.TOO_MANY_RECORDS);
        Set<String> answered = new LinkedHashSet<>();
        for (CreatableTopic topic : request.topics()) {
            if (answered.add(topic.name())) {
                answer.topics().add(refused(topic.name(), refusal));
            }
        }
        return answer;
    }

    private static CreatableTopicResult refused(String name, Refusal refusal) {
        return new CreatableTopicResult()
                .setName(name)
                .setErrorCode(refusal.error().code())
                .setErrorMessage(refusal.getMessage());
    }
}
