package node;

import common.Clock;
import common.PartitionId;
import config.FetcherConfig;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import replication.ReplicationRate;

/**
 * How fast replicas that are not in sync are copied from and to one shard (KIP-73): what the settings throttle, and what was moved. One whose rate is used up for now is left
 * out; those in sync never are. Confined to the shard.
 */
final class ReplicationThrottles {
    private static final String ALL = "*";

    private final Side leading;
    private final Side following;

    /**
     * @param config the limits of the node; those in force later come by {@link #configure}
     * @param shards that share them evenly
     */
    ReplicationThrottles(int nodeId, FetcherConfig config, int shards, Clock clock, Supplier<MetadataImage> image) {
        this.leading = new Side("leader.replication.throttled.replicas", nodeId, config, shards, clock, image);
        this.following = new Side("follower.replication.throttled.replicas", nodeId, config, shards, clock, image);
        configure(config);
    }

    void configure(FetcherConfig config) {
        leading.limit(config.leaderBytesPerSecond());
        following.limit(config.followerBytesPerSecond());
    }

    /** For partitions that are led here. */
    Side leading() {
        return leading;
    }

    /** For partitions that follow others here. */
    Side following() {
        return following;
    }

    /** The throttle of one direction. */
    static final class Side {
        private final String key;
        private final int nodeId;
        private final int shards;
        private final Clock clock;
        private final Supplier<MetadataImage> image;
        private final ReplicationRate rate;
        private final Map<Uuid, Throttled> topics = new LinkedHashMap<>();

        /** Partitions of a topic that are throttled here; null: all. Of {@code settings}. */
        private record Throttled(Map<String, String> settings, Set<Integer> partitions) {}

        Side(String key, int nodeId, FetcherConfig config, int shards, Clock clock, Supplier<MetadataImage> image) {
            this.key = key;
            this.nodeId = nodeId;
            this.shards = shards;
            this.clock = clock;
            this.image = image;
            this.rate = new ReplicationRate(config.rateSamples(), config.rateSampleSeconds());
        }

        private void limit(long bytesPerSecond) {
            rate.limit(bytesPerSecond == Long.MAX_VALUE ? bytesPerSecond : bytesPerSecond / shards);
        }

        /** Nothing more is to be moved for now. False without a limit, at no cost. */
        boolean exceeded() {
            return rate.isLimited() && rate.exceeded(clock.monotonicNanos());
        }

        /** Whether the settings throttle the replica of {@code partition} on this node. */
        boolean holds(PartitionId partition) {
            if (!rate.isLimited()) {
                return false;
            }
            TopicImage topic = image.get().topic(partition.topicId());
            if (topic == null) {
                topics.remove(partition.topicId());
                return false;
            }
            Throttled known = topics.get(topic.id());
            if (known == null || known.settings != topic.configs()) {
                known = new Throttled(
                        topic.configs(), partitions(topic.configs().getOrDefault(key, "")));
                topics.put(topic.id(), known);
            }
            return known.partitions == null || known.partitions.contains(partition.partition());
        }

        private Set<Integer> partitions(String value) {
            if (value.trim().equals(ALL)) {
                return null;
            }
            Set<Integer> partitions = new LinkedHashSet<>();
            for (String each : value.split(",", -1)) {
                String[] pair = each.trim().split(":", -1);
                if (pair.length == 2 && Integer.parseInt(pair[1]) == nodeId) {
                    partitions.add(Integer.parseInt(pair[0]));
                }
            }
            return partitions;
        }

        /** Of a replica that {@link #holds} so much was moved. */
        void moved(PartitionId partition, long bytes) {
            if (bytes > 0 && holds(partition)) {
                rate.record(bytes, clock.monotonicNanos());
            }
        }
    }
}
