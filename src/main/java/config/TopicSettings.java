package config;

import java.util.Map;
import java.util.TreeMap;

/** Turns broker-wide defaults into topic settings: units, and which of several synonyms wins. */
public final class TopicSettings {

    private TopicSettings() {}

    /** A topic key's value that a broker key gives. */
    public record Found(String key, String value) {}

    /** The value of a topic key that broker settings of one source give, null when they give none. */
    public static Found fromBroker(String topicKey, Map<String, String> brokerSettings) {
        for (TopicKeys.Synonym synonym : TopicKeys.synonyms(topicKey)) {
            String raw = brokerSettings.get(synonym.brokerKey());
            if (raw != null) {
                return new Found(synonym.brokerKey(), converted(topicKey, raw.trim(), synonym.factor()));
            }
        }
        return null;
    }

    /** All topic settings that broker settings of one source give; those without any are left out. The values must have been validated. */
    static Map<String, String> fromBroker(Map<String, String> brokerSettings) {
        Map<String, String> settings = new TreeMap<>();
        for (ConfigKey key : TopicKeys.all()) {
            Found found = fromBroker(key.name(), brokerSettings);
            if (found != null && key.standing() == ConfigKey.Standing.IN_FORCE) {
                settings.put(key.name(), found.value());
            }
        }
        return settings;
    }

    /** In the topic key's unit; any negative retention time means no limit, as in Kafka. A value that is no number stays as it is. */
    private static String converted(String topicKey, String raw, long factor) {
        boolean time = factor > 0 || topicKey.equals("retention.ms");
        if (!time) {
            return raw;
        }
        try {
            long value = Long.parseLong(raw);
            if (value < 0) {
                return topicKey.equals("retention.ms") ? "-1" : raw;
            }
            return Long.toString(factor == 0 ? value : Math.multiplyExact(value, factor));
        } catch (NumberFormatException e) {
            return raw;
        } catch (ArithmeticException e) {
            return Long.toString(Long.MAX_VALUE);
        }
    }
}
