package group;

import config.GroupConfig;
import java.util.function.Supplier;
import metadata.ConfigTarget;
import metadata.MetadataImage;

/** The settings of KIP-848 groups in force: a group's own (config resource GROUP) within the broker's bounds, else the broker's. Times in milliseconds. */
final class ConsumerGroupSettings {
    private final GroupConfig.Consumer config;
    private final Supplier<MetadataImage> image;

    ConsumerGroupSettings(GroupConfig.Consumer config, Supplier<MetadataImage> image) {
        this.config = config;
        this.image = image;
    }

    int sessionMillis(String group) {
        return own(
                group,
                "consumer.session.timeout.ms",
                config.sessionMillis(),
                config.minSessionMillis(),
                config.maxSessionMillis());
    }

    int heartbeatMillis(String group) {
        return own(
                group,
                "consumer.heartbeat.interval.ms",
                config.heartbeatMillis(),
                config.minHeartbeatMillis(),
                config.maxHeartbeatMillis());
    }

    /** Shortest time between two target assignments. */
    int assignmentMillis(String group) {
        String forAll = image.get().brokerConfigs(-1).get("group.consumer.assignment.interval.ms");
        int usual = forAll == null ? config.assignmentMillis() : Integer.parseInt(forAll.trim());
        return own(
                group,
                "consumer.assignment.interval.ms",
                usual,
                config.minAssignmentMillis(),
                config.maxAssignmentMillis());
    }

    /** Whether large assignments are computed away from the loop. */
    boolean offloads(String group) {
        MetadataImage now = image.get();
        String own = now.configs(new ConfigTarget(ConfigTarget.GROUP, group)).get("consumer.assignor.offload.enable");
        String forAll = own != null ? own : now.brokerConfigs(-1).get("group.consumer.assignor.offload.enable");
        return forAll == null ? config.offload() : Boolean.parseBoolean(forAll.trim());
    }

    private int own(String group, String key, int usual, int least, int most) {
        String own =
                image.get().configs(new ConfigTarget(ConfigTarget.GROUP, group)).get(key);
        // Checked when it was set; the bounds may have changed since.
        return own == null ? usual : Math.max(least, Math.min(most, Integer.parseInt(own.trim())));
    }
}
