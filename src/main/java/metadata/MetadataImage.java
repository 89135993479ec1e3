package metadata;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;

/**
 * What is true of the cluster at one offset of the metadata log: immutable, shared by reference with all owners, replaced whole. The next one is made by
 * {@link MetadataDelta} and shares what did not change. All iteration is sorted. Safe on any thread.
 */
public final class MetadataImage {

    private final Identity identity;
    private final long version;
    private final PersistentMap<String, TopicImage> topicsByName;
    private final PersistentMap<Uuid, TopicImage> topicsById;

    /** Names with '.' or '_' by their form with '_' for both: Kafka's metric names cannot tell them apart, so each form may be used once. */
    private final PersistentMap<String, String> collisionForms;

    private final PersistentMap<Integer, BrokerImage> brokers;
    private final PersistentMap<Uuid, Integer> replicaCounts;
    private final PersistentMap<ConfigTarget, Map<String, String>> configs;
    private final PersistentMap<QuotaEntity, Map<String, Double>> quotas;
    private final FeaturesImage features;
    private final long nextProducerId;

    /**
     * Which cluster, and who is its active controller (-1: unknown).
     *
     * @param recorded the log says which cluster; else this node, or nobody (null)
     */
    private record Identity(String clusterId, boolean recorded, int controllerId) {}

    MetadataImage(MetadataImage base, MetadataDelta.Parts parts, long version) {
        this.identity = base.identity;
        this.version = version;
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

    private MetadataImage(Identity identity, long version, MetadataDelta.Parts parts) {
        this.identity = identity;
        this.version = version;
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

    /** Of a cluster without any record; its id is null while nobody knows it. */
    public static MetadataImage empty(String clusterId) {
        return new MetadataImage(new Identity(clusterId, false, -1), 0, MetadataDelta.Parts.NOTHING);
    }

    /** The same content with another active controller (-1: unknown). */
    public MetadataImage withController(int controllerId) {
        return new MetadataImage(new Identity(identity.clusterId, identity.recorded, controllerId), version, parts());
    }

    /** The same content of the cluster that a record names. */
    MetadataImage ofCluster(String clusterId) {
        return new MetadataImage(new Identity(clusterId, true, identity.controllerId), version, parts());
    }

    MetadataDelta.Parts parts() {
        return new MetadataDelta.Parts(
                topicsByName,
                topicsById,
                collisionForms,
                brokers,
                replicaCounts,
                configs,
                quotas,
                features,
                nextProducerId);
    }

    /** Offset after the last record applied; rises with every change. */
    public long version() {
        return version;
    }

    /** Null while this node does not know it. */
    public String clusterId() {
        return identity.clusterId;
    }

    /** Whether a record says which cluster this is. */
    public boolean isClusterRecorded() {
        return identity.recorded;
    }

    /** Node id of the active controller, -1 when unknown. */
    public int controllerId() {
        return identity.controllerId;
    }

    /** null when there is none. */
    public TopicImage topic(String name) {
        return topicsByName.get(name);
    }

    /** null when there is none. */
    public TopicImage topic(Uuid id) {
        return topicsById.get(id);
    }

    /** The existing topic whose name differs from {@code name} only in '.' and '_'; null when there is none. */
    public String collidingTopic(String name) {
        if (!Topic.hasCollisionChars(name)) {
            return null;
        }
        String found = collisionForms.get(Topic.unifyCollisionChars(name));
        return name.equals(found) ? null : found;
    }

    /** By name. */
    public Collection<TopicImage> topics() {
        return topicsByName.values();
    }

    /** By id. */
    public Collection<TopicImage> topicsById() {
        return topicsById.values();
    }

    /** By id. */
    public Collection<BrokerImage> brokers() {
        return brokers.values();
    }

    /** null when it never registered. */
    public BrokerImage broker(int id) {
        return brokers.get(id);
    }

    /** How many replicas the log directory of this id holds, those without a record too. */
    public int replicasIn(Uuid directory) {
        Integer count = replicaCounts.get(directory);
        return count == null ? 0 : count;
    }

    /** Whether the log directory of a broker's replica works, for all that its broker has told (KIP-858). */
    public boolean isDirectoryOnline(PartitionImage partition, int brokerId) {
        BrokerImage broker = broker(brokerId);
        return broker != null && DirectoryId.isOnline(partition.directory(brokerId), broker.logDirs());
    }

    /** Dynamic broker configs by key: of {@code nodeId} or, with -1, of all brokers (Kafka's cluster-wide default). */
    public Map<String, String> brokerConfigs(int nodeId) {
        return configs(ConfigTarget.broker(nodeId));
    }

    /** The dynamic configs of one resource by key, sorted; a topic's too. Empty when there are none. */
    public Map<String, String> configs(ConfigTarget target) {
        if (target.type() == ConfigTarget.TOPIC) {
            TopicImage topic = topic(target.name());
            return topic == null ? Map.of() : topic.configs();
        }
        Map<String, String> found = configs.get(target);
        return found == null ? Map.of() : found;
    }

    /** The resources other than topics that have dynamic configs. */
    public Collection<ConfigTarget> configTargets() {
        return configs.keys();
    }

    /** Entities with at least one quota. */
    public Collection<QuotaEntity> quotaEntities() {
        return quotas.keys();
    }

    /** Quotas of exactly this entity by key (producer_byte_rate and so on), sorted; empty when there are none. */
    public Map<String, Double> quotas(QuotaEntity entity) {
        Map<String, Double> found = quotas.get(entity);
        return found == null ? Map.of() : found;
    }

    public FeaturesImage features() {
        return features;
    }

    /** All producer ids below it have been handed out (C7). */
    public long nextProducerId() {
        return nextProducerId;
    }

    /**
     * What happened to topics between {@code older} and this image, by topic id: it costs what changed. A re-created name is one removal and one
     * addition (C7).
     */
    public List<TopicChange> topicChangesSince(MetadataImage older) {
        List<TopicChange> changes = new ArrayList<>();
        topicsById.compare(older.topicsById, (before, after) -> {
            if (before == null || !before.equals(after)) {
                changes.add(new TopicChange(before, after));
            }
        });
        return changes;
    }

    /** before null: new; after null: deleted; both: partitions or configs changed. */
    public record TopicChange(TopicImage before, TopicImage after) {}

    /** @param configs the topic's own settings, by key */
    public record TopicImage(
            String name, Uuid id, boolean internal, List<PartitionImage> partitions, Map<String, String> configs) {}

    /** @param directories one for each of the replicas: the id of the log directory that holds it, or a reserved one, see {@link DirectoryId} */
    public record PartitionImage(
            int partition,
            int leader,
            int leaderEpoch,
            int partitionEpoch,
            List<Integer> replicas,
            List<Integer> isr,
            Eligible eligible,
            Reassignment reassignment,
            List<Uuid> directories) {

        /** With all that could lead in the ISR, and no reassignment. */
        public PartitionImage(
                int partition,
                int leader,
                int leaderEpoch,
                int partitionEpoch,
                List<Integer> replicas,
                List<Integer> isr,
                List<Uuid> directories) {
            this(
                    partition,
                    leader,
                    leaderEpoch,
                    partitionEpoch,
                    replicas,
                    isr,
                    Eligible.ISR_ONLY,
                    Reassignment.NONE,
                    directories);
        }

        /** Where a broker's replica lies; UNASSIGNED when that is not known, or when it has none. */
        public Uuid directory(int brokerId) {
            int index = replicas.indexOf(brokerId);
            return index < 0 ? DirectoryId.UNASSIGNED : directories.get(index);
        }

        /** The same in the next leader epoch. */
        public PartitionImage inNextEpoch() {
            return new PartitionImage(
                    partition,
                    leader,
                    leaderEpoch + 1,
                    partitionEpoch + 1,
                    replicas,
                    isr,
                    eligible,
                    reassignment,
                    directories);
        }

        /** The same with a replica's directory. */
        public PartitionImage withDirectory(int brokerId, Uuid directory) {
            List<Uuid> changed = new ArrayList<>(directories);
            changed.set(replicas.indexOf(brokerId), directory);
            return new PartitionImage(
                    partition,
                    leader,
                    leaderEpoch,
                    partitionEpoch + 1,
                    replicas,
                    isr,
                    eligible,
                    reassignment,
                    List.copyOf(changed));
        }

        /** Nobody is left that surely has every committed record: those last known must be there before one of them leads (C4). */
        public boolean waitsForRecovery() {
            return leader < 0 && isr.isEmpty() && eligible.elr().isEmpty();
        }
    }

    /**
     * Who may lead a partition besides its ISR (rules C4, C5; KIP-966). All sorted as they came.
     *
     * @param elr left the ISR while it was below min.insync.replicas: each has every committed record
     * @param lastKnown were in the ISR or the ELR, and have come back since as one that may have lost records
     * @param recovering the leader was elected though records may be lost, and has not yet said that it has recovered
     */
    public record Eligible(List<Integer> elr, List<Integer> lastKnown, boolean recovering) {
        public static final Eligible ISR_ONLY = new Eligible(List.of(), List.of(), false);
    }

    /** A partition's move to other brokers (KIP-455): of its replicas {@code adding} are new and {@code removing} will go. */
    public record Reassignment(List<Integer> adding, List<Integer> removing) {
        public static final Reassignment NONE = new Reassignment(List.of(), List.of());
    }

    /**
     * @param epoch offset of the registration's record (C1)
     * @param fenced it takes no part: no leader, in no ISR (C2)
     * @param logDirs ids of its log directories that work, that of the metadata first
     */
    public record BrokerImage(
            int id,
            long epoch,
            Uuid incarnationId,
            List<Endpoint> endpoints,
            String rack,
            boolean fenced,
            List<Uuid> logDirs,
            BrokerStart start,
            boolean inControlledShutdown) {

        /** Of a process of which only this is known. */
        public BrokerImage(
                int id,
                long epoch,
                Uuid incarnationId,
                List<Endpoint> endpoints,
                String rack,
                boolean fenced,
                List<Uuid> logDirs) {
            this(id, epoch, incarnationId, endpoints, rack, fenced, logDirs, BrokerStart.UNKNOWN, false);
        }

        /** The same process with other directories. */
        public BrokerImage withLogDirs(List<Uuid> directories) {
            return new BrokerImage(
                    id, epoch, incarnationId, endpoints, rack, fenced, directories, start, inControlledShutdown);
        }

        /** The same process in another state. */
        BrokerImage inState(boolean nowFenced, boolean nowShuttingDown) {
            return new BrokerImage(
                    id, epoch, incarnationId, endpoints, rack, nowFenced, logDirs, start, nowShuttingDown);
        }
    }

    /**
     * What a broker said of its process as it registered.
     *
     * @param bootId of the host's boot; null when not known (C3)
     * @param cleanEpoch the broker epoch after whose clean end it started, -1 for none (C3)
     * @param durable whatever may be lost with the host's power was not acknowledged: it syncs before that, where a topic does not say otherwise, and what it found was
     *     synced or written so (C3, I7)
     * @param features levels that it supports, by name, sorted
     */
    public record BrokerStart(String bootId, long cleanEpoch, boolean durable, Map<String, Features.Range> features) {
        public static final BrokerStart UNKNOWN = new BrokerStart(null, -1, false, Map.of());
    }

    /** host is null when not advertised: then the local address of the client's connection is given (single node, no advertised.listeners). */
    public record Endpoint(String listener, String host, int port, String securityProtocol) {
        /** By Kafka's numbers. */
        public static final List<String> SECURITY_PROTOCOLS = List.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");
    }

    /**
     * Finalized feature levels by name, sorted.
     *
     * @param epoch offset of the last record that changed them, -1 when none did (ApiVersions' FinalizedFeaturesEpoch)
     */
    public record FeaturesImage(Map<String, Short> finalized, long epoch) {

        /** 0 when it is not finalized. */
        public short level(String feature) {
            Short level = finalized.get(feature);
            return level == null ? 0 : level;
        }
    }
}
