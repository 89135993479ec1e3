package config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The static configuration of a broker: the properties it was started with, validated, and the typed records that each owner gets. Immutable.
 */
public final class BrokerConfig {

    /**
     * The outcome of reading a configuration.
     *
     * @param config null when there are problems
     * @param problems all that is wrong at once; not empty: do not start
     * @param notes keys that were accepted but have no effect here, each with the reason; to be logged
     */
    public record Parsed(BrokerConfig config, List<ConfigProblem> problems, List<String> notes) {}

    /** Keys of plug-ins that Kafka passes on and nobody here reads. */
    private static final List<String> PASSED_ON = List.of("metrics.jmx.", "metrics.context.", "kafka.csv.metrics.");

    private final Map<String, String> properties;
    private final BrokerRecords records;
    private final Set<String> keysRead;

    private BrokerConfig(Map<String, String> properties, BrokerRecords records, Set<String> keysRead) {
        this.properties = Collections.unmodifiableMap(new TreeMap<>(properties));
        this.records = records;
        this.keysRead = keysRead;
    }

    /** The typed records, one per owner. */
    private record BrokerRecords(
            NodeConfig node,
            QuorumConfig quorum,
            NetworkConfig network,
            StorageConfig storage,
            CleanerConfig cleaner,
            TopicDefaults topics,
            RequestConfig requests,
            FetcherConfig fetcher,
            ControllerConfig controller,
            ReplicationConfig replication,
            MembershipConfig membership,
            GroupConfig groups,
            TransactionConfig transactions,
            LogConfig log) {}

    /**
     * @param properties of the file and the overrides, merged; may be empty (zero configuration)
     */
    public static Parsed parse(Map<String, String> properties) {
        TreeMap<String, String> sorted = new TreeMap<>(properties);
        ConfigProblems problems = new ConfigProblems(sorted);
        List<String> notes = new ArrayList<>();
        ConfigValues values = new ConfigValues(typed(sorted, problems, notes));
        BrokerRecords records = records(values, problems, sorted);
        if (!problems.none()) {
            return new Parsed(null, problems.list(), List.copyOf(notes));
        }
        return new Parsed(new BrokerConfig(sorted, records, values.read()), List.of(), List.copyOf(notes));
    }

    private static Map<String, Object> typed(
            Map<String, String> properties, ConfigProblems problems, List<String> notes) {
        Map<String, Object> typed = new TreeMap<>();
        properties.forEach((name, raw) -> {
            ConfigKey key = BrokerKeys.get(name);
            if (key == null) {
                unknown(name, problems, notes);
                return;
            }
            String problem = key.problem(raw);
            if (problem != null) {
                problems.add(name, problem);
            } else if (key.standing() == ConfigKey.Standing.REFUSED && !key.isDefault(raw)) {
                problems.add(name, key.text());
            } else if (key.standing() == ConfigKey.Standing.NO_EFFECT && !key.isDefault(raw)) {
                notes.add(name + " has no effect: " + key.text());
            } else {
                Object value = key.parse(raw);
                if (value != null) {
                    typed.put(name, value);
                }
            }
        });
        return typed;
    }

    private static void unknown(String name, ConfigProblems problems, List<String> notes) {
        if (PASSED_ON.stream().anyMatch(name::startsWith)) {
            notes.add(name + " has no effect: metrics are offered to Prometheus; reporters are not used");
        } else if (name.startsWith("listener.name.")) {
            problems.add(
                    name, "settings of single listeners are not built yet; set the key without the listener's prefix");
        } else if (name.startsWith("zookeeper.")) {
            problems.add(
                    name,
                    "there is no ZooKeeper; controllers keep the metadata (process.roles, controller.quorum.voters)");
        } else if (name.startsWith("rsm.config.") || name.startsWith("rlmm.config.")) {
            problems.add(name, "tiered (remote) storage is not built");
        } else {
            String nearest = BrokerKeys.nearest(name);
            String hint = nearest != null
                    ? "did you mean " + nearest + "?"
                    : TopicKeys.get(name) != null ? topicHint(name) : "docs/configuration.md lists all keys";
            problems.add(name, "unknown key; " + hint);
        }
    }

    private static String topicHint(String name) {
        List<TopicKeys.Synonym> synonyms = TopicKeys.synonyms(name);
        return "it is a topic setting"
                + (synonyms.isEmpty()
                        ? ""
                        : "; its broker-wide default is " + synonyms.get(0).brokerKey());
    }

    private static BrokerRecords records(ConfigValues values, ConfigProblems problems, Map<String, String> properties) {
        NodeConfig node = new Listeners(values.of(NodeConfig.class), problems).read();
        return new BrokerRecords(
                node,
                new QuorumSettings(values.of(QuorumConfig.class), problems, node).read(),
                ConfigRecords.network(values.of(NetworkConfig.class), problems),
                ConfigRecords.storage(values.of(StorageConfig.class), problems),
                ConfigRecords.cleaner(values.of(CleanerConfig.class)),
                ConfigRecords.topics(values.of(TopicDefaults.class), problems),
                ConfigRecords.requests(values.of(RequestConfig.class), problems),
                ConfigRecords.fetcher(values.of(FetcherConfig.class)),
                ConfigRecords.controller(values.of(ControllerConfig.class)),
                ConfigRecords.replication(values.of(ReplicationConfig.class)),
                ConfigRecords.membership(values.of(MembershipConfig.class)),
                ConfigRecords.groups(values.of(GroupConfig.class), problems),
                ConfigRecords.transactions(values.of(TransactionConfig.class)),
                ConfigRecords.logDefaults(values.of(LogConfig.class), problems, properties));
    }

    public NodeConfig node() {
        return records.node;
    }

    public QuorumConfig quorum() {
        return records.quorum;
    }

    public NetworkConfig network() {
        return records.network;
    }

    public StorageConfig storage() {
        return records.storage;
    }

    public CleanerConfig cleaner() {
        return records.cleaner;
    }

    /** As {@link #cleaner}, with the broker settings that were changed while it runs ({@code dynamic}: sound values, the strongest of each key). */
    public CleanerConfig cleaner(Map<String, String> dynamic) {
        return ConfigRecords.cleaner(with(dynamic, CleanerKeys.keys()).of(CleanerConfig.class));
    }

    private ConfigValues with(Map<String, String> dynamic, List<ConfigKey> keys) {
        Map<String, String> all = new TreeMap<>(properties);
        all.putAll(dynamic);
        Map<String, Object> values = new TreeMap<>();
        for (ConfigKey key : keys) {
            if (all.containsKey(key.name()) && key.problem(all.get(key.name())) == null) {
                values.put(key.name(), key.parse(all.get(key.name())));
            }
        }
        return new ConfigValues(values);
    }

    /** producer.id.expiration.ms, with {@code dynamic} as for {@link #cleaner(Map)}. */
    public int producerExpiryMillis(Map<String, String> dynamic) {
        ConfigKey key = BrokerKeys.get("producer.id.expiration.ms");
        String changed = dynamic.get(key.name());
        return changed != null && key.problem(changed) == null
                ? (Integer) key.parse(changed)
                : records.storage.producerExpiryMillis();
    }

    public TopicDefaults topics() {
        return records.topics;
    }

    public RequestConfig requests() {
        return records.requests;
    }

    public FetcherConfig fetcher() {
        return records.fetcher;
    }

    /** With {@code dynamic} as for {@link #cleaner(Map)}. */
    public FetcherConfig fetcher(Map<String, String> dynamic) {
        return ConfigRecords.fetcher(with(dynamic, FetcherKeys.keys()).of(FetcherConfig.class));
    }

    public ControllerConfig controller() {
        return records.controller;
    }

    public ReplicationConfig replication() {
        return records.replication;
    }

    public MembershipConfig membership() {
        return records.membership;
    }

    public GroupConfig groups() {
        return records.groups;
    }

    public TransactionConfig transactions() {
        return records.transactions;
    }

    /** What a topic without settings of its own gets from the properties file (dynamic broker settings apart: metadata.EffectiveConfigs). */
    public LogConfig logDefaults() {
        return records.log;
    }

    /** As given, by key; the source of static broker values in DescribeConfigs. */
    public Map<String, String> properties() {
        return properties;
    }

    /** Keys that some record has read; the build checks that they are exactly those in force (R10). */
    Set<String> keysRead() {
        return keysRead;
    }
}
