package metadata;

import config.BrokerConfig;
import config.CleanerConfig;
import config.ConfigKey;
import config.DescribedConfig;
import config.FetcherConfig;
import config.LogConfig;
import config.TopicKeys;
import config.TopicSettings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which value of a setting is in force, and where it comes from: the topic's own, the broker's dynamic one, the dynamic default of all brokers, the static
 * one of the properties file, Kafka's default, in this order. Immutable; give one to each owner that asks.
 */
public final class EffectiveConfigs {

    /** Kafka's ConfigSource ids. */
    private static final byte DYNAMIC_BROKER = 2;

    private static final byte DYNAMIC_DEFAULT = 3;
    private static final byte STATIC_BROKER = 4;

    private final BrokerConfig config;

    public EffectiveConfigs(BrokerConfig config) {
        this.config = config;
    }

    /** A set of broker settings and the source that it is. */
    record Level(byte source, Map<String, String> settings) {}

    private List<Level> levels(MetadataImage image) {
        return List.of(
                new Level(DYNAMIC_BROKER, image.brokerConfigs(config.node().nodeId())),
                new Level(DYNAMIC_DEFAULT, image.brokerConfigs(-1)),
                new Level(STATIC_BROKER, config.properties()));
    }

    /** The settings in force for a topic's partitions on this node. Internal topics are durable whatever their settings say (rule I7). */
    public LogConfig logConfig(MetadataImage image, MetadataImage.TopicImage topic) {
        if (!topic.internal()) {
            return logConfig(image, topic.configs());
        }
        Map<String, String> settings = topicSettings(image, topic.configs());
        settings.put("flush.messages", "1");
        return LogConfig.of(settings);
    }

    private LogConfig logConfig(MetadataImage image, Map<String, String> own) {
        if (own.isEmpty()
                && image.brokerConfigs(config.node().nodeId()).isEmpty()
                && saysNothingOfLogs(image.brokerConfigs(-1))) {
            return config.logDefaults();
        }
        return LogConfig.of(topicSettings(image, own));
    }

    /** True where only what every cluster has is set. Then all partitions share one value. */
    private static boolean saysNothingOfLogs(Map<String, String> allBrokers) {
        return allBrokers.isEmpty() || (allBrokers.size() == 1 && allBrokers.containsKey(Features.MIN_ISR));
    }

    /** How this node's compacted logs are cleaned. */
    public CleanerConfig cleaner(MetadataImage image) {
        return config.cleaner(dynamic(image));
    }

    /** How this node's followers fetch, and are throttled. */
    public FetcherConfig fetcher(MetadataImage image) {
        return config.fetcher(dynamic(image));
    }

    /** After how long partitions forget idle producers. */
    public int producerExpiryMillis(MetadataImage image) {
        return config.producerExpiryMillis(dynamic(image));
    }

    /** Of this broker, the strongest of each key. */
    private Map<String, String> dynamic(MetadataImage image) {
        Map<String, String> dynamic = new TreeMap<>(image.brokerConfigs(-1));
        dynamic.putAll(image.brokerConfigs(config.node().nodeId()));
        return dynamic;
    }

    /** A topic's settings by key where they differ from Kafka's defaults: its own over the broker's. */
    Map<String, String> topicSettings(MetadataImage image, Map<String, String> own) {
        Map<String, String> settings = new TreeMap<>();
        List<Level> levels = levels(image);
        for (ConfigKey key : TopicKeys.all()) {
            String value = own.containsKey(key.name()) ? own.get(key.name()) : fromBroker(key, levels);
            if (value != null) {
                settings.put(key.name(), value);
            }
        }
        return settings;
    }

    /** null: no level has it. */
    private static String fromBroker(ConfigKey key, List<Level> levels) {
        for (Level level : levels) {
            TopicSettings.Found found = TopicSettings.fromBroker(key.name(), level.settings);
            if (found != null && key.problem(found.value()) == null) {
                return found.value();
            }
        }
        return null;
    }

    /** min.insync.replicas and so on: one topic key's value in force for topics without one of their own, as text. */
    public String topicDefault(MetadataImage image, String key) {
        ConfigKey known = TopicKeys.get(key);
        String value = fromBroker(known, levels(image));
        return value == null ? known.defaultText() : value;
    }

    /** As {@link #topicDefault} for one topic. */
    public String topicValue(MetadataImage image, MetadataImage.TopicImage topic, String key) {
        String own = topic.configs().get(key);
        return own == null ? topicDefault(image, key) : own;
    }

    /** All entries of a resource, by key, with where each may come from; the caller checks that it exists, and filters by asked keys. */
    public List<DescribedConfig> describe(MetadataImage image, ConfigTarget target) {
        return descriptions(image).of(target);
    }

    /** As a topic with these settings would be described (CreateTopics' answer). */
    public List<DescribedConfig> describeTopic(MetadataImage image, Map<String, String> own) {
        return descriptions(image).ofNewTopic(own);
    }

    private ConfigDescriptions descriptions(MetadataImage image) {
        return new ConfigDescriptions(this, image, levels(image));
    }
}
