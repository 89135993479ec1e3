package metadata;

import config.BrokerKeys;
import config.ConfigKey;
import config.DescribedConfig;
import config.DescribedConfig.Synonym;
import config.ResourceKeys;
import config.TopicKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import metadata.EffectiveConfigs.Level;

/** How DescribeConfigs shows settings at one image: every key of a resource with the value in force and where it comes from. For one answer. */
final class ConfigDescriptions {

    /** Kafka's ConfigSource ids. */
    private static final byte TOPIC = 1;

    private static final byte DYNAMIC_DEFAULT = 3;
    private static final byte DEFAULT = 5;
    private static final byte CLIENT_METRICS = 7;
    private static final byte GROUP = 8;

    /** Broker keys that stand in for each other, the strongest first. */
    private static final List<List<String>> STAND_INS = List.of(
            List.of("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
            List.of("log.roll.ms", "log.roll.hours"),
            List.of("log.roll.jitter.ms", "log.roll.jitter.hours"));

    /** Group keys that are shown only when set: Kafka has them for its own tests. */
    private static final List<String> UNSHOWN_GROUP_KEYS = List.of(
            "consumer.assignor.offload.enable",
            "share.assignor.offload.enable",
            "streams.acceptable.recovery.lag",
            "streams.assignor.offload.enable",
            "streams.num.warmup.replicas",
            "streams.task.offset.interval.ms");

    private final EffectiveConfigs effective;
    private final MetadataImage image;
    private final List<Level> levels;

    /** @param levels where broker settings come from, the strongest first */
    ConfigDescriptions(EffectiveConfigs effective, MetadataImage image, List<Level> levels) {
        this.effective = effective;
        this.image = image;
        this.levels = levels;
    }

    List<DescribedConfig> of(ConfigTarget target) {
        Map<String, String> own = image.configs(target);
        return switch (target.type()) {
            case ConfigTarget.TOPIC -> topic(own, true);
            case ConfigTarget.BROKER -> target.name().isEmpty() ? allBrokers(own) : broker();
            case ConfigTarget.CLIENT_METRICS -> clientMetrics(own);
            case ConfigTarget.GROUP -> group(own);
            default -> List.of();
        };
    }

    /** CreateTopics tells the source of a value even where DescribeConfigs does not (see {@link #topic}). */
    List<DescribedConfig> ofNewTopic(Map<String, String> own) {
        return topic(own, false);
    }

    /**
     * @param kafkasWay leave out broker keys that stand in for the strongest one while that is not set, so that a value given by log.retention.hours
     *     appears to be the default: Kafka's DescribeConfigs does
     */
    private List<DescribedConfig> topic(Map<String, String> own, boolean kafkasWay) {
        Map<String, String> inForce = effective.topicSettings(image, own);
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : TopicKeys.all()) {
            if (key.name().startsWith("internal.")) {
                continue;
            }
            List<String> names = TopicKeys.synonyms(key.name()).stream()
                    .map(TopicKeys.Synonym::brokerKey)
                    .toList();
            List<Synonym> synonyms = ofBroker(names);
            if (kafkasWay && !names.isEmpty()) {
                dropUntil(names.get(0), synonyms);
            }
            if (own.containsKey(key.name())) {
                synonyms.add(0, new Synonym(key.name(), own.get(key.name()), TOPIC));
            }
            entries.add(entry(key, inForce.getOrDefault(key.name(), key.defaultText()), synonyms, false));
        }
        return entries;
    }

    private List<DescribedConfig> broker() {
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : BrokerKeys.all()) {
            boolean set = levels.stream().anyMatch(level -> level.settings().get(key.name()) != null);
            if (!set && BrokerKeys.isHiddenUnset(key.name())) {
                continue;
            }
            List<Synonym> synonyms = ofBroker(standIns(key.name()));
            dropUntil(key.name(), synonyms);
            String value =
                    synonyms.isEmpty() ? key.defaultText() : synonyms.get(0).value();
            entries.add(entry(key, value, synonyms, key.update() == ConfigKey.Update.READ_ONLY));
        }
        return entries;
    }

    /** What was set for all brokers, and nothing else. */
    private static List<DescribedConfig> allBrokers(Map<String, String> own) {
        List<DescribedConfig> entries = new ArrayList<>();
        own.forEach((name, value) -> {
            ConfigKey key = BrokerKeys.get(name);
            if (key != null) {
                List<Synonym> synonyms = new ArrayList<>();
                synonyms.add(new Synonym(name, hidden(key, value), DYNAMIC_DEFAULT));
                entries.add(entry(key, value, synonyms, false));
            }
        });
        return entries;
    }

    private static List<DescribedConfig> clientMetrics(Map<String, String> own) {
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : ResourceKeys.allOfClientMetrics()) {
            List<Synonym> synonyms = new ArrayList<>();
            String value = own.get(key.name());
            if (value != null) {
                synonyms.add(new Synonym(key.name(), value, CLIENT_METRICS));
            }
            entries.add(entry(key, value == null ? key.defaultText() : value, synonyms, false));
        }
        return entries;
    }

    /** A group's defaults are broker settings of the same name behind "group.". */
    private List<DescribedConfig> group(Map<String, String> own) {
        List<DescribedConfig> entries = new ArrayList<>();
        for (ConfigKey key : ResourceKeys.allOfGroups()) {
            boolean set = own.containsKey(key.name());
            if (!set && UNSHOWN_GROUP_KEYS.contains(key.name())) {
                continue;
            }
            String brokerKey =
                    key.name().equals("streams.assignor.name") ? "group.streams.assignors" : "group." + key.name();
            List<Synonym> synonyms = ofBroker(BrokerKeys.get(brokerKey) == null ? List.of() : List.of(brokerKey));
            if (set) {
                synonyms.add(0, new Synonym(key.name(), own.get(key.name()), GROUP));
            } else if (synonyms.isEmpty()) {
                synonyms.add(new Synonym(key.name(), key.defaultText(), DEFAULT));
            }
            entries.add(entry(key, synonyms.get(0).value(), synonyms, false));
        }
        return entries;
    }

    private static List<String> standIns(String brokerKey) {
        return STAND_INS.stream()
                .filter(names -> names.contains(brokerKey))
                .findFirst()
                .orElse(List.of(brokerKey));
    }

    /** All that broker settings and their defaults say under these names, the strongest first. */
    private List<Synonym> ofBroker(List<String> names) {
        List<Synonym> synonyms = new ArrayList<>();
        for (Level level : levels) {
            for (String name : names) {
                String value = level.settings().get(name);
                if (value != null) {
                    synonyms.add(new Synonym(name, hidden(BrokerKeys.get(name), value), level.source()));
                }
            }
        }
        for (String name : names) {
            ConfigKey key = BrokerKeys.get(name);
            if (key != null && key.defaultText() != null) {
                synonyms.add(new Synonym(name, hidden(key, key.defaultText()), DEFAULT));
            }
        }
        return synonyms;
    }

    private static void dropUntil(String name, List<Synonym> synonyms) {
        while (!synonyms.isEmpty() && !synonyms.get(0).name().equals(name)) {
            synonyms.remove(0);
        }
    }

    private static String hidden(ConfigKey key, String value) {
        return key != null && key.sensitive() ? null : value;
    }

    private static DescribedConfig entry(ConfigKey key, String value, List<Synonym> synonyms, boolean readOnly) {
        byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
        return new DescribedConfig(
                key.name(),
                hidden(key, value),
                source,
                key.typeId(),
                readOnly,
                key.sensitive(),
                key.text(),
                List.copyOf(synonyms));
    }
}
