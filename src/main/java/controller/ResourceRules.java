package controller;

import common.TopicNames;
import config.BrokerKeys;
import config.ConfigKey;
import config.ResourceKeys;
import config.TopicKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import metadata.ConfigTarget;
import metadata.MetadataImage;
import org.apache.kafka.common.protocol.Errors;

/** Which resources have dynamic configs, and what they may be: for each type as Kafka 4.4.0, in its order and words where it has any. */
final class ResourceRules {

    private static final List<String> CLIENT_ATTRIBUTES = List.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "client_source_port");

    private final int nodeId;
    private final Map<String, String> brokerSettings;

    /** @param brokerSettings of this node's properties file: they bound what groups may have */
    ResourceRules(int nodeId, Map<String, String> brokerSettings) {
        this.nodeId = nodeId;
        this.brokerSettings = brokerSettings;
    }

    void checkResource(MetadataImage image, ConfigTarget target) throws Refusal {
        boolean unnamed = target.name().isEmpty();
        switch (target.type()) {
            case ConfigTarget.TOPIC -> {
                require(!unnamed, "Default topic resources are not allowed.");
                String problem = TopicNames.problem(target.name());
                if (problem != null) {
                    throw new Refusal(Errors.INVALID_TOPIC_EXCEPTION, problem);
                }
                if (image.topic(target.name()) == null) {
                    throw new Refusal(
                            Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic '" + target.name() + "' does not exist.");
                }
            }
            case ConfigTarget.BROKER -> {
                if (!unnamed) {
                    checkNode(image, target.name());
                }
            }
            case ConfigTarget.CLIENT_METRICS -> require(!unnamed, "Subscription name can't be empty");
            case ConfigTarget.GROUP -> require(!unnamed, "Default group resources are not allowed.");
            case ConfigTarget.BROKER_LOGGER ->
                require(false, "Log levels are not kept in the metadata; they belong to the running process.");
            default -> require(false, "Unknown resource type " + target.type());
        }
    }

    /** Which node is asked to check its own settings first is a matter of the brokers; here come those of all nodes. */
    private void checkNode(MetadataImage image, String name) throws Refusal {
        boolean number = name.matches("-?\\d{1,9}");
        require(number, "Invalid broker name " + name);
        int id = Integer.parseInt(name);
        if (id != nodeId && image.broker(id) == null) {
            throw new Refusal(Errors.BROKER_ID_NOT_REGISTERED, "No node with id " + id + " found.");
        }
    }

    /** The key's line in the table of its resource type; null when it has none. */
    static ConfigKey key(byte type, String name) {
        return switch (type) {
            case ConfigTarget.TOPIC -> TopicKeys.get(name);
            case ConfigTarget.BROKER -> BrokerKeys.get(name);
            case ConfigTarget.CLIENT_METRICS -> ResourceKeys.clientMetrics(name);
            case ConfigTarget.GROUP -> ResourceKeys.group(name);
            default -> null;
        };
    }

    /** @param settings all that the resource would have */
    void checkSettings(ConfigTarget target, Map<String, String> settings) throws Refusal {
        switch (target.type()) {
            case ConfigTarget.TOPIC -> {
                String problem = TopicKeys.problem(settings);
                if (problem != null) {
                    throw new Refusal(Errors.INVALID_CONFIG, problem);
                }
            }
            case ConfigTarget.BROKER -> checkBroker(target, settings);
            case ConfigTarget.CLIENT_METRICS -> checkClientMetrics(settings);
            default -> checkGroup(settings);
        }
    }

    private static void checkBroker(ConfigTarget target, Map<String, String> settings) throws Refusal {
        List<String> fixed = new ArrayList<>();
        List<String> single = new ArrayList<>();
        for (String name : new TreeMap<>(settings).keySet()) {
            ConfigKey key = BrokerKeys.get(name);
            if (key == null) {
                String nearest = BrokerKeys.nearest(name);
                throw new Refusal(
                        Errors.INVALID_REQUEST,
                        "Unknown broker config name: " + name
                                + (nearest == null ? "" : "; did you mean " + nearest + "?"));
            }
            if (key.update() == ConfigKey.Update.READ_ONLY) {
                fixed.add(name);
            } else if (key.update() == ConfigKey.Update.PER_BROKER) {
                single.add(name);
            }
        }
        require(fixed.isEmpty(), "Cannot update these configs dynamically: " + fixed);
        require(
                !target.name().isEmpty() || single.isEmpty(),
                "Cannot update these configs at default cluster level, broker id must be specified: " + single);
        for (Map.Entry<String, String> setting : new TreeMap<>(settings).entrySet()) {
            String problem = BrokerKeys.problem(setting.getKey(), setting.getValue());
            require(problem == null, problem);
        }
    }

    private static void checkClientMetrics(Map<String, String> settings) throws Refusal {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            ConfigKey key = ResourceKeys.clientMetrics(setting.getKey());
            require(key != null, "Unknown client metrics configuration: " + setting.getKey());
            String problem = key.problem(setting.getValue());
            if (problem != null) {
                throw new Refusal(Errors.INVALID_CONFIG, problem);
            }
        }
        String interval = settings.get("interval.ms");
        if (interval != null) {
            int millis = Integer.parseInt(interval.trim());
            require(
                    millis >= 100 && millis <= 3_600_000,
                    "Invalid value " + millis + " for interval.ms, interval must be between 100 and 3600000 (1 hour)");
        }
        for (String pattern : settings.getOrDefault("match", "").split(",", -1)) {
            if (!pattern.isBlank()) {
                checkPattern(pattern.trim());
            }
        }
    }

    private static void checkPattern(String pattern) throws Refusal {
        String[] parts = pattern.split("=", -1);
        boolean sound = parts.length == 2 && CLIENT_ATTRIBUTES.contains(parts[0].trim());
        if (sound) {
            try {
                Pattern.compile(parts[1].trim());
            } catch (PatternSyntaxException e) {
                sound = false;
            }
        }
        if (!sound) {
            throw new Refusal(Errors.INVALID_CONFIG, "Illegal client matching pattern: " + pattern);
        }
    }

    private void checkGroup(Map<String, String> settings) throws Refusal {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            ConfigKey key = ResourceKeys.group(setting.getKey());
            String problem =
                    key == null ? "Unknown group config name: " + setting.getKey() : key.problem(setting.getValue());
            if (problem == null) {
                problem = outOfBounds(setting.getKey(), setting.getValue());
            }
            if (problem != null) {
                throw new Refusal(Errors.INVALID_CONFIG, problem);
            }
        }
    }

    /** The broker bounds group settings by keys named after them: group.consumer.min.session.timeout.ms for consumer.session.timeout.ms. */
    private String outOfBounds(String name, String value) {
        int kind = name.indexOf('.');
        Long least = bound("group." + name.substring(0, kind) + ".min" + name.substring(kind));
        Long most = bound("group." + name.substring(0, kind) + ".max" + name.substring(kind));
        if (least == null && most == null) {
            return null;
        }
        long number = Long.parseLong(value.trim());
        boolean fits = (least == null || number >= least) && (most == null || number <= most);
        return fits
                ? null
                : name + "=" + value + " is outside of what this broker allows: " + (least == null ? "" : least)
                        + " to " + (most == null ? "" : most);
    }

    /** null when there is no such key. */
    private Long bound(String brokerKey) {
        ConfigKey key = BrokerKeys.get(brokerKey);
        return key == null
                ? null
                : Long.valueOf(brokerSettings
                        .getOrDefault(brokerKey, key.defaultText())
                        .trim());
    }

    private static void require(boolean holds, String message) throws Refusal {
        if (!holds) {
            throw new Refusal(Errors.INVALID_REQUEST, message);
        }
    }
}
