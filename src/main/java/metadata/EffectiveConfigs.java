package metadata;

import config.BrokerConfig;
import config.BrokerKeys;
import config.ConfigKey;
import config.DescribedConfig;
import config.DescribedConfig.Synonym;
import config.LogConfig;
import config.TopicKeys;
import config.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which value of a setting is in force, and where it comes from: the topic's own, the broker's dynamic one, the dynamic default of all brokers, the static
 * one of the properties file, Kafka's default, in this order. Immutable; give one to each owner that asks.
 */
public final class EffectiveConfigs {

    /** Kafka's ConfigSource ids. */
    private static final byte TOPIC = 1;

    private static final byte DYNAMIC_BROKER = 2;
    private static final byte DYNAMIC_DEFAULT = 3;
    private static final byte STATIC_BROKER = 4;
    private static final byte DEFAULT = 5;
    private static final byte CLIENT_METRICS = 7;
    private static final byte GROUP = 8;

    private final BrokerConfig config;

    public EffectiveConfigs(BrokerConfig config) {
        this.config = config;
    }

    /** A set of broker settings and the source that it is. */
    private record Level(byte source, Map<String, String> settings) {}

    private List<Level> levels(MetadataImage image) {
        return List.of(
                new Level(DYNAMIC_BROKER, image.brokerConfigs(config.node().nodeId())),
                new Level(DYNAMIC_DEFAULT, image.brokerConfigs(-1)),
                new Level(STATIC_BROKER, config.properties()));
    }

    /** The settings in force for a topic's partitions on this node. */
    public LogConfig logConfig(MetadataImage image, MetadataImage.TopicImage topic) {
        return logConfig(image, topic.configs());
    }

    private LogConfig logConfig(MetadataImage image, Map<String, String> own) {
        if (own.isEmpty()
                && image.brokerConfigs(config.node().nodeId()).isEmpty()
                && image.brokerConfigs(-1).isEmpty()) {
            return config.logDefaults();
        }
        return LogConfig.of(topicSettings(image, own));
    }

    /** A topic's settings by key where they differ from Kafka's defaults: its own over the broker's. */
    private Map<String, String> topicSettings(MetadataImage image, Map<String, String> own) {
        Map<String, String> settings = new TreeMap<>();
        List<Level> levels = levels(image);
        for (ConfigKey key : TopicKeys.all()) {
            if (own.containsKey(key.name())) {
                settings.put(key.name(), own.get(key.name()));
                continue;
            }
            for (Level level : levels) {
                TopicSettings.Found found = TopicSettings.fromBroker(key.name(), level.settings);
                if (found != null && key.problem(found.value()) == null) {
                    settings.put(key.name(), found.value());
                    break;
                }
            }
        }
        return settings;
    }

    /** min.insync.replicas and so on: one topic key's value in force, as text. */
    public String topicValue(MetadataImage image, MetadataImage.TopicImage topic, String key) {
        String value = topicSettings(image, topic.configs()).get(key);
        return value == null ? TopicKeys.get(key).defaultText() : value;
    }

    /**
     * All entries of a resource, by key; the caller checks that it exists, and filters by asked keys. Topics and this broker have all keys of their
     * tables; a broker's "" (all brokers), client-metrics subscriptions and groups have what was set.
     */
    public List<DescribedConfig> describe(MetadataImage image, ConfigTarget target) {
        return switch (target.type()) {
            case ConfigTarget.TOPIC -> describeTopic(image, image.configs(target));
            case ConfigTarget.BROKER ->
                target.name().isEmpty() ? describeSet(image, target, DYNAMIC_DEFAULT) : describeBroker(image);
            case ConfigTarget.CLIENT_METRICS -> describeSet(image, target, CLIENT_METRICS);
            case ConfigTarget.GROUP -> describeSet(image, target, GROUP);
            default -> List.of();
        };
    }

    /** As a topic with these settings would be described (CreateTopics' answer). */
    public List<DescribedConfig> describeTopic(MetadataImage image, Map<String, String> own) {
        Map<String, String> inForce = topicSettings(image, own);
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : TopicKeys.all()) {
            if (key.name().startsWith("internal.")) {
                continue;
            }
            List<Synonym> synonyms = new ArrayList<>();
            if (own.containsKey(key.name())) {
                synonyms.add(new Synonym(key.name(), own.get(key.name()), TOPIC));
            }
            List<String> names = TopicKeys.synonyms(key.name()).stream()
                    .map(TopicKeys.Synonym::brokerKey)
                    .toList();
            addSynonyms(image, names, synonyms);
            String value = inForce.getOrDefault(key.name(), key.defaultText());
            entries.add(entry(key, value, synonyms, false, key.sensitive()));
        }
        return entries;
    }

    private List<DescribedConfig> describeBroker(MetadataImage image) {
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : BrokerKeys.all()) {
            if (key.name().startsWith("internal.")) {
                continue;
            }
            List<Synonym> synonyms = new ArrayList<>();
            addSynonyms(image, List.of(key.name()), synonyms);
            String value =
                    synonyms.isEmpty() ? key.defaultText() : synonyms.get(0).value();
            boolean readOnly = key.update() == ConfigKey.Update.READ_ONLY;
            entries.add(entry(key, value, synonyms, readOnly, key.sensitive()));
        }
        return entries;
    }

    private void addSynonyms(MetadataImage image, List<String> names, List<Synonym> synonyms) {
        for (Level level : levels(image)) {
            for (String name : names) {
                String value = level.settings.get(name);
                if (value != null) {
                    synonyms.add(new Synonym(name, hidden(name, value), level.source));
                }
            }
        }
        ConfigKey key = names.isEmpty() ? null : BrokerKeys.get(names.get(0));
        if (key != null && key.defaultText() != null) {
            synonyms.add(new Synonym(key.name(), hidden(key.name(), key.defaultText()), DEFAULT));
        }
    }

    private static String hidden(String name, String value) {
        ConfigKey key = BrokerKeys.get(name);
        return key != null && key.sensitive() ? null : value;
    }

    private static DescribedConfig entry(
            ConfigKey key, String value, List<Synonym> synonyms, boolean readOnly, boolean sensitive) {
        byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
        return new DescribedConfig(
                key.name(),
                sensitive ? null : value,
                source,
                key.typeId(),
                readOnly,
                sensitive,
                key.text(),
                List.copyOf(synonyms));
    }

    private List<DescribedConfig> describeSet(MetadataImage image, ConfigTarget target, byte source) {
        List<DescribedConfig> entries = new ArrayList<>();
        image.configs(target).forEach((name, value) -> {
            ConfigKey key = target.type() == ConfigTarget.BROKER ? BrokerKeys.get(name) : null;
            boolean sensitive = key != null && key.sensitive();
            String shown = sensitive ? null : value;
            byte type = key == null ? 2 : key.typeId();
            String text = key == null ? "" : key.text();
            entries.add(new DescribedConfig(
                    name, shown, source, type, false, sensitive, text, List.of(new Synonym(name, shown, source))));
        });
        return entries;
    }
}
