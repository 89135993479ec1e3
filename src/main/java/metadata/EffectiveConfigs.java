package metadata;

import config.BrokerConfig;
import config.DescribedConfig;
import config.LogConfig;
import java.util.List;

/**
 * Which value of a setting is in force, and where it comes from: the topic's own, the broker's dynamic one, the dynamic default of all brokers, the static
 * one of the properties file, Kafka's default, in this order. Immutable; give one to each owner that asks.
 */
public final class EffectiveConfigs {

    private final BrokerConfig config;

    public EffectiveConfigs(BrokerConfig config) {
        this.config = config;
    }

    /** The settings in force for a topic's partitions on this node. */
    public LogConfig logConfig(MetadataImage image, MetadataImage.TopicImage topic) {
        throw new UnsupportedOperationException("lands within the hour: " + config + image + topic);
    }

    /** All entries of a resource that exists, by key; the caller checks that it does, and filters by asked keys. */
    public List<DescribedConfig> describe(MetadataImage image, ConfigTarget target) {
        throw new UnsupportedOperationException("lands within the hour: " + config + image + target);
    }
}
