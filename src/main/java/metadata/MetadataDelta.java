package metadata;

import com.google.protobuf.ByteString;
import common.Check;
import highwater.metadata.BrokerStateRecord;
import highwater.metadata.ClientQuotaRecord;
import highwater.metadata.ConfigRecord;
import highwater.metadata.FeatureLevelRecord;
import highwater.metadata.MetadataRecord;
import highwater.metadata.PartitionRecord;
import highwater.metadata.RegisterBrokerRecord;
import highwater.metadata.TopicRecord;
import highwater.metadata.UnregisterBrokerRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage.BrokerImage;
import metadata.MetadataImage.BrokerStart;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.Endpoint;
import metadata.MetadataImage.FeaturesImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;

/**
 * Makes the next image by applying records in offset order. A record that cannot be applied (unknown topic id, gap in partitions) is a broken invariant:
 * the log holds only what the controller wrote. Confined to its owner; use once.
 */
public final class MetadataDelta {

    /** The content of an image. */
    record Parts(
            PersistentMap<String, TopicImage> topicsByName,
            PersistentMap<Uuid, TopicImage> topicsById,
            PersistentMap<String, String> collisionForms,
            PersistentMap<Integer, BrokerImage> brokers,
            PersistentMap<Uuid, Integer> replicaCounts,
            PersistentMap<ConfigTarget, Map<String, String>> configs,
            PersistentMap<QuotaEntity, Map<String, Double>> quotas,
            FeaturesImage features,
            long nextProducerId) {

        static final Parts NOTHING = new Parts(
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                new FeaturesImage(Map.of(), -1),
                0);
    }

    private final MetadataImage base;
    private PersistentMap<String, TopicImage> topicsByName;
    private PersistentMap<Uuid, TopicImage> topicsById;
    private PersistentMap<String, String> collisionForms;
    private PersistentMap<Integer, BrokerImage> brokers;
    private PersistentMap<Uuid, Integer> replicaCounts;
    private PersistentMap<ConfigTarget, Map<String, String>> configs;
    private PersistentMap<QuotaEntity, Map<String, Double>> quotas;
    private FeaturesImage features;
    private long nextProducerId;
    private String clusterId;

    /** Partitions under change, by topic; looked up, never iterated. Their lists are not yet shared. */
    private final Map<Uuid, List<PartitionImage>> growing = new LinkedHashMap<>();

    public MetadataDelta(MetadataImage base) {
        this.base = base;
        Parts parts = base.parts();
        this.topicsByName = parts.topicsByName();
        this.topicsById = parts.topicsById();
        this.collisionForms = parts.collisionForms();
        this.brokers = parts.brokers();
        this.replicaCounts = parts.replicaCounts();
        this.configs = parts.configs();
        this.quotas = parts.quotas();
        this.features = parts.features();
        this.nextProducerId = parts.nextProducerId();
    }

    /** @param version offset after the last record applied */
    public MetadataImage image(long version) {
        Check.invariant(version >= base.version(), "metadata version must not fall", version, base.version());
        MetadataImage next = new MetadataImage(
                base,
                new Parts(
                        topicsByName,
                        topicsById,
                        collisionForms,
                        brokers,
                        replicaCounts,
                        configs,
                        quotas,
                        features,
                        nextProducerId),
                version);
        return clusterId == null ? next : next.ofCluster(clusterId);
    }

    /** @param offset of the record; of the snapshot's end for records of a snapshot */
    public void apply(MetadataRecord record, long offset) {
        switch (record.getValueCase()) {
            case TOPIC -> addTopic(record.getTopic());
            case PARTITION -> putPartition(record.getPartition());
            case REMOVE_TOPIC -> removeTopic(uuid(record.getRemoveTopic().getTopicId()));
            case CONFIG -> setConfig(record.getConfig());
            case CLIENT_QUOTA -> setQuota(record.getClientQuota());
            case PRODUCER_IDS -> {
                long next = record.getProducerIds().getNextProducerId();
                Check.invariant(next >= nextProducerId, "producer ids must not be reused (C7)", next, nextProducerId);
                nextProducerId = next;
            }
            case FEATURE_LEVEL -> setFeature(record.getFeatureLevel(), offset);
            case REGISTER_BROKER -> registerBroker(record.getRegisterBroker(), offset);
            case BROKER_STATE -> changeBroker(record.getBrokerState());
            case UNREGISTER_BROKER -> {
                UnregisterBrokerRecord gone = record.getUnregisterBroker();
                checkEpoch(gone.getBrokerId(), gone.getBrokerEpoch());
                brokers = brokers.without(gone.getBrokerId());
            }
            case CLUSTER -> clusterId = record.getCluster().getClusterId();
            case NO_OP -> {}
            case VALUE_NOT_SET -> throw new IllegalArgumentException("metadata record without a value");
        }
    }

    private void addTopic(TopicRecord record) {
        Uuid id = uuid(record.getTopicId());
        Check.invariant(topicsById.get(id) == null, "topic id used twice (C7)");
        Check.invariant(topicsByName.get(record.getName()) == null, "topic name used twice");
        List<PartitionImage> partitions = new ArrayList<>();
        growing.put(id, partitions);
        if (Topic.hasCollisionChars(record.getName())) {
            collisionForms = collisionForms.with(Topic.unifyCollisionChars(record.getName()), record.getName());
        }
        store(new TopicImage(
                record.getName(),
                id,
                Topic.isInternal(record.getName()),
                Collections.unmodifiableList(partitions),
                Map.of()));
    }

    private void putPartition(PartitionRecord record) {
        Uuid id = uuid(record.getTopicId());
        TopicImage topic = topicsById.get(id);
        Check.invariant(topic != null, "partition of an unknown topic");
        List<PartitionImage> partitions = growing.get(id);
        if (partitions == null) {
            partitions = new ArrayList<>(topic.partitions());
            growing.put(id, partitions);
            store(new TopicImage(
                    topic.name(), id, topic.internal(), Collections.unmodifiableList(partitions), topic.configs()));
        }
        PartitionImage partition = new PartitionImage(
                record.getPartition(),
                record.getLeader(),
                record.getLeaderEpoch(),
                record.getPartitionEpoch(),
                List.copyOf(record.getReplicasList()),
                List.copyOf(record.getIsrList()),
                eligible(record),
                reassignment(record),
                directories(record));
        if (partition.partition() == partitions.size()) {
            partitions.add(partition);
            count(partition, 1);
        } else {
            Check.invariant(
                    partition.partition() < partitions.size(),
                    "gap in partitions",
                    partition.partition(),
                    partitions.size());
            PartitionImage before = partitions.set(partition.partition(), partition);
            if (!before.directories().equals(partition.directories())) {
                count(before, -1);
                count(partition, 1);
            }
        }
    }

    private static List<Uuid> directories(PartitionRecord record) {
        int replicas = record.getReplicasCount();
        if (record.getDirectoriesCount() == 0) {
            return Collections.nCopies(replicas, DirectoryId.UNASSIGNED);
        }
        Check.invariant(
                record.getDirectoriesCount() == replicas,
                "a directory for each replica",
                record.getDirectoriesCount(),
                replicas);
        return record.getDirectoriesList().stream().map(MetadataDelta::uuid).toList();
    }

    private void count(PartitionImage partition, int change) {
        for (Uuid each : partition.directories()) {
            if (!DirectoryId.isReserved(each)) {
                Integer before = replicaCounts.get(each);
                int now = (before == null ? 0 : before) + change;
                replicaCounts = now == 0 ? replicaCounts.without(each) : replicaCounts.with(each, now);
            }
        }
    }

    private static Eligible eligible(PartitionRecord record) {
        return record.getElrCount() == 0 && record.getLastKnownElrCount() == 0 && !record.getRecovering()
                ? Eligible.ISR_ONLY
                : new Eligible(
                        List.copyOf(record.getElrList()),
                        List.copyOf(record.getLastKnownElrList()),
                        record.getRecovering());
    }

    private static Reassignment reassignment(PartitionRecord record) {
        return record.getAddingCount() == 0 && record.getRemovingCount() == 0
                ? Reassignment.NONE
                : new Reassignment(List.copyOf(record.getAddingList()), List.copyOf(record.getRemovingList()));
    }

    private void removeTopic(Uuid id) {
        TopicImage topic = topicsById.get(id);
        Check.invariant(topic != null, "removal of an unknown topic");
        topic.partitions().forEach(each -> count(each, -1));
        topicsById = topicsById.without(id);
        topicsByName = topicsByName.without(topic.name());
        if (Topic.hasCollisionChars(topic.name())) {
            collisionForms = collisionForms.without(Topic.unifyCollisionChars(topic.name()));
        }
        growing.remove(id);
    }

    private void setConfig(ConfigRecord record) {
        ConfigTarget target = new ConfigTarget((byte) record.getResourceType(), record.getResourceName());
        String value = record.hasValue() ? record.getValue() : null;
        if (target.type() == ConfigTarget.TOPIC) {
            TopicImage topic = topicsByName.get(target.name());
            Check.invariant(topic != null, "config of an unknown topic");
            Map<String, String> changed = with(topic.configs(), record.getKey(), value);
            store(new TopicImage(topic.name(), topic.id(), topic.internal(), topic.partitions(), changed));
            return;
        }
        Map<String, String> known = configs.get(target);
        Map<String, String> changed = with(known == null ? Map.of() : known, record.getKey(), value);
        configs = changed.isEmpty() ? configs.without(target) : configs.with(target, changed);
    }

    private void setQuota(ClientQuotaRecord record) {
        Map<String, String> parts = new TreeMap<>();
        for (ClientQuotaRecord.Entity entity : record.getEntityList()) {
            parts.put(entity.getType(), entity.hasName() ? entity.getName() : null);
        }
        QuotaEntity entity = QuotaEntity.of(parts);
        Map<String, Double> known = quotas.get(entity);
        Double value = record.hasValue() ? record.getValue() : null;
        Map<String, Double> changed = with(known == null ? Map.of() : known, record.getKey(), value);
        quotas = changed.isEmpty() ? quotas.without(entity) : quotas.with(entity, changed);
    }

    private void setFeature(FeatureLevelRecord record, long offset) {
        Short level = record.getLevel() == 0 ? null : (short) record.getLevel();
        features = new FeaturesImage(with(features.finalized(), record.getName(), level), offset);
    }

    private void registerBroker(RegisterBrokerRecord record, long offset) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (RegisterBrokerRecord.Endpoint endpoint : record.getEndpointsList()) {
            String host = endpoint.hasHost() ? endpoint.getHost() : null;
            endpoints.add(
                    new Endpoint(endpoint.getListener(), host, endpoint.getPort(), endpoint.getSecurityProtocol()));
        }
        List<Uuid> logDirs = new ArrayList<>();
        for (ByteString dir : record.getLogDirsList()) {
            logDirs.add(uuid(dir));
        }
        brokers = brokers.with(
                record.getBrokerId(),
                new BrokerImage(
                        record.getBrokerId(),
                        record.hasBrokerEpoch() ? record.getBrokerEpoch() : offset,
                        uuid(record.getIncarnationId()),
                        List.copyOf(endpoints),
                        record.hasRack() ? record.getRack() : null,
                        record.getFenced(),
                        List.copyOf(logDirs),
                        start(record),
                        record.getInControlledShutdown()));
    }

    private static BrokerStart start(RegisterBrokerRecord record) {
        TreeMap<String, Features.Range> levels = new TreeMap<>();
        for (RegisterBrokerRecord.Feature each : record.getFeaturesList()) {
            levels.put(each.getName(), new Features.Range((short) each.getMinLevel(), (short) each.getMaxLevel()));
        }
        return new BrokerStart(
                record.hasBootId() ? record.getBootId() : null,
                record.getCleanEpochPlusOne() - 1,
                record.getDurable(),
                Collections.unmodifiableMap(levels));
    }

    private void changeBroker(BrokerStateRecord record) {
        BrokerImage broker = checkEpoch(record.getBrokerId(), record.getBrokerEpoch());
        brokers = brokers.with(broker.id(), broker.inState(record.getFenced(), record.getInControlledShutdown()));
    }

    private BrokerImage checkEpoch(int brokerId, long epoch) {
        BrokerImage broker = brokers.get(brokerId);
        Check.invariant(broker != null, "change of an unknown broker");
        Check.invariant(broker.epoch() == epoch, "change of an older broker process (C1)", broker.epoch(), epoch);
        return broker;
    }

    private void store(TopicImage topic) {
        topicsById = topicsById.with(topic.id(), topic);
        topicsByName = topicsByName.with(topic.name(), topic);
    }

    private static <V> Map<String, V> with(Map<String, V> map, String key, V value) {
        TreeMap<String, V> changed = new TreeMap<>(map);
        if (value == null) {
            changed.remove(key);
        } else {
            changed.put(key, value);
        }
        return Collections.unmodifiableMap(changed);
    }

    private static Uuid uuid(ByteString bytes) {
        return MetadataCodec.uuid(bytes);
    }
}
