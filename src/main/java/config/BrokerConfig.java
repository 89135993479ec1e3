package config;

import java.util.List;
import java.util.Map;
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

    private final Map<String, String> properties;
    private final BrokerRecords records;

    private BrokerConfig(Map<String, String> properties, BrokerRecords records) {
        this.properties = new TreeMap<>(properties);
        this.records = records;
    }

    /** The typed records, one per owner. */
    record BrokerRecords(
            NodeConfig node,
            NetworkConfig network,
            StorageConfig storage,
            TopicDefaults topics,
            RequestConfig requests,
            ControllerConfig controller) {}

    /**
     * @param properties of the file and the overrides, merged; may be empty (zero configuration)
     */
    public static Parsed parse(Map<String, String> properties) {
        throw new UnsupportedOperationException("lands within the hour: " + properties.size());
    }

    public NodeConfig node() {
        return records.node;
    }

    public NetworkConfig network() {
        return records.network;
    }

    public StorageConfig storage() {
        return records.storage;
    }

    public TopicDefaults topics() {
        return records.topics;
    }

    public RequestConfig requests() {
        return records.requests;
    }

    public ControllerConfig controller() {
        return records.controller;
    }

    /** As given, by key; the source of static broker values in DescribeConfigs. */
    public Map<String, String> properties() {
        return properties;
    }
}
