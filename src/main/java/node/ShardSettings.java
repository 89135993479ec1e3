package node;

import config.LogConfig;
import metadata.EffectiveConfigs;
import metadata.Features;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;

/**
 * The settings in force for a topic's partitions, under an image.
 *
 * @param effective of this node
 */
record ShardSettings(EffectiveConfigs effective) {

    LogConfig log(MetadataImage image, TopicImage topic) {
        return effective.logConfig(image, topic);
    }

    int minIsr(MetadataImage image, TopicImage topic) {
        return Integer.parseInt(effective.topicValue(image, topic, Features.MIN_ISR));
    }
}
