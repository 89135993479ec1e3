package services;

import common.Callback;
import common.Mailboxes;
import common.TopicNames;
import config.DescribedConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import metadata.ConfigTarget;
import metadata.EffectiveConfigs;
import metadata.MetadataImage;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Reading and changing dynamic configs of topics, brokers, loggers, client metrics and groups, for every door. One instance per server instance, confined
 * to its owner.
 */
public final class ConfigService {
    /** Kafka's source and type numbers of a logger's entry (DescribeConfigsResponse). */
    private static final byte SOURCE_BROKER_LOGGER = 6;

    private static final byte TYPE_UNKNOWN = 0;

    private final ControllerCalls controller;
    private final EffectiveConfigs configs;
    private final LogLevels levels;
    private final int nodeId;
    private final long timeoutMillis;

    /**
     * @param nodeId this node: only its own broker and logger configs are known here
     * @param timeoutMillis of a change, > 0
     */
    public ConfigService(
            Mailboxes mailboxes, EffectiveConfigs configs, LogLevels levels, int nodeId, long timeoutMillis) {
        this.controller = new ControllerCalls(mailboxes);
        this.configs = configs;
        this.levels = levels;
        this.nodeId = nodeId;
        this.timeoutMillis = timeoutMillis;
    }

    /** @param keys null or empty: all */
    public record Wanted(ConfigTarget target, List<String> keys) {}

    /** @param message null without an error */
    public record Described(ConfigTarget target, Errors error, String message, List<DescribedConfig> entries) {}

    /** @param resources null without an error */
    public record Listed(List<ConfigTarget> resources, Errors error) {}

    public Described describe(MetadataImage image, Wanted wanted) {
        ConfigTarget target = wanted.target();
        String name = target.name();
        return switch (target.type()) {
            case ConfigTarget.TOPIC -> describeTopic(image, wanted);
            case ConfigTarget.BROKER ->
                name.isEmpty() || isThisNode(name) ? described(image, wanted) : otherNode(target);
            case ConfigTarget.BROKER_LOGGER -> isThisNode(name) ? loggers(wanted) : otherNode(target);
            case ConfigTarget.CLIENT_METRICS, ConfigTarget.GROUP ->
                name.isEmpty()
                        ? refused(target, Errors.INVALID_REQUEST, "the resource needs a name")
                        : described(image, wanted);
            default -> refused(target, Errors.INVALID_REQUEST, "unknown resource type " + target.type());
        };
    }

    private Described describeTopic(MetadataImage image, Wanted wanted) {
        String name = wanted.target().name();
        String problem = TopicNames.problem(name);
        if (problem != null) {
            return refused(wanted.target(), Errors.INVALID_TOPIC_EXCEPTION, problem);
        }
        if (image.topic(name) == null) {
            return refused(wanted.target(), Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic " + name);
        }
        return described(image, wanted);
    }

    private Described described(MetadataImage image, Wanted wanted) {
        return filtered(wanted, configs.describe(image, wanted.target()));
    }

    private Described loggers(Wanted wanted) {
        List<DescribedConfig> all = new ArrayList<>();
        for (LogLevels.Level level : levels.all()) {
            all.add(new DescribedConfig(
                    level.logger(), level.level(), SOURCE_BROKER_LOGGER, TYPE_UNKNOWN, false, false, null, List.of()));
        }
        return filtered(wanted, all);
    }

    private static Described filtered(Wanted wanted, List<DescribedConfig> all) {
        if (wanted.keys() == null || wanted.keys().isEmpty()) {
            return new Described(wanted.target(), Errors.NONE, null, all);
        }
        List<DescribedConfig> entries = new ArrayList<>();
        for (DescribedConfig entry : all) {
            if (wanted.keys().contains(entry.name())) {
                entries.add(entry);
            }
        }
        return new Described(wanted.target(), Errors.NONE, null, entries);
    }

    /** The resources of the given types that have configs, or may have (topics, brokers); no type: all types. */
    public Listed list(MetadataImage image, List<Byte> types) {
        List<Byte> asked = types.isEmpty()
                ? List.of(
                        ConfigTarget.TOPIC,
                        ConfigTarget.BROKER,
                        ConfigTarget.BROKER_LOGGER,
                        ConfigTarget.CLIENT_METRICS,
                        ConfigTarget.GROUP)
                : types;
        Map<ConfigTarget, ConfigTarget> found = new TreeMap<>();
        for (byte type : asked) {
            switch (type) {
                case ConfigTarget.TOPIC -> image.topics().forEach(topic -> add(found, type, topic.name()));
                case ConfigTarget.BROKER, ConfigTarget.BROKER_LOGGER ->
                    image.brokers().forEach(broker -> add(found, type, Integer.toString(broker.id())));
                case ConfigTarget.CLIENT_METRICS, ConfigTarget.GROUP ->
                    image.configTargets().stream()
                            .filter(target -> target.type() == type)
                            .forEach(target -> add(found, type, target.name()));
                default -> {
                    return new Listed(null, Errors.UNSUPPORTED_VERSION);
                }
            }
        }
        return new Listed(List.copyOf(found.keySet()), Errors.NONE);
    }

    private static void add(Map<ConfigTarget, ConfigTarget> found, byte type, String name) {
        ConfigTarget target = new ConfigTarget(type, name);
        found.put(target, target);
    }

    /** Changes single keys. Errors per resource stand in the answer, in the order of the request. */
    public void alter(IncrementalAlterConfigsRequestData request, Callback<IncrementalAlterConfigsResponseData> done) {
        IncrementalAlteration alteration = new IncrementalAlteration(nodeId, new LoggerChanges(levels), request);
        IncrementalAlterConfigsRequestData rest = alteration.forController();
        if (rest.resources().isEmpty()) {
            done.succeed(alteration.answer(new IncrementalAlterConfigsResponseData()));
            return;
        }
        controller.call(
                (owner, reply) -> owner.incrementalAlterConfigs(rest, reply),
                timeoutMillis,
                then(done, alteration::answer));
    }

    /** Replaces all configs of each resource: the old form. Errors per resource stand in the answer, in the order of the request. */
    public void replace(AlterConfigsRequestData request, Callback<AlterConfigsResponseData> done) {
        Replacement replacement = new Replacement(nodeId, request);
        AlterConfigsRequestData rest = replacement.forController();
        if (rest.resources().isEmpty()) {
            done.succeed(replacement.answer(new AlterConfigsResponseData()));
            return;
        }
        controller.call(
                (owner, reply) -> owner.alterConfigs(rest, reply), timeoutMillis, then(done, replacement::answer));
    }

    private static <T> Callback<T> then(Callback<T> done, UnaryOperator<T> change) {
        return (answer, failure) -> {
            if (failure == null) {
                done.succeed(change.apply(answer));
            } else {
                done.fail(failure);
            }
        };
    }

    private boolean isThisNode(String name) {
        return NodeName.problem(name, nodeId) == null;
    }

    private Described otherNode(ConfigTarget target) {
        return refused(target, Errors.INVALID_REQUEST, NodeName.problem(target.name(), nodeId));
    }

    private static Described refused(ConfigTarget target, Errors error, String message) {
        return new Described(target, error, message, List.of());
    }
}
