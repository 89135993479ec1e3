package node;

import common.Callback;
import common.PartitionId;
import config.LogConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicChange;
import metadata.MetadataImage.TopicImage;

/**
 * Makes one shard follow the metadata (rule C8): each committed image is applied whole before the next. Confined to the shard.
 */
final class ShardImage {
    private final PartitionTable partitions;
    private final TopicSettings settings;
    private final Consumer<MetadataImage> brokerSettings;
    private final Share share;
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private MetadataImage applied;
    private boolean applying;

    /** Which partitions are this shard's: of {@code nodeId}, by hash. */
    record Share(int nodeId, int shard, int shards) {
        boolean holds(PartitionId id, PartitionImage partition) {
            return partition.replicas().contains(nodeId) && id.shard(shards) == shard;
        }
    }

    /** The settings in force for a topic's partitions, under an image. */
    @FunctionalInterface
    interface TopicSettings {
        LogConfig of(MetadataImage image, TopicImage topic);
    }

    /** @param brokerSettings told of each image in which settings of this broker changed */
    ShardImage(
            PartitionTable partitions,
            TopicSettings settings,
            Consumer<MetadataImage> brokerSettings,
            Share share,
            MetadataImage empty) {
        this.partitions = partitions;
        this.settings = settings;
        this.brokerSettings = brokerSettings;
        this.share = share;
        this.applied = empty;
    }

    void apply(MetadataImage next, Callback<Void> done) {
        queue.add(() -> applyNow(next, done));
        if (!applying) {
            queue.poll().run();
        }
    }

    private void applyNow(MetadataImage next, Callback<Void> done) {
        applying = true;
        MetadataImage before = applied;
        applied = next;
        List<Work> work = new ArrayList<>();
        for (TopicChange change : next.topicChangesSince(before)) {
            plan(next, change, work);
        }
        if (!next.brokerConfigs(-1).equals(before.brokerConfigs(-1))
                || !next.brokerConfigs(share.nodeId).equals(before.brokerConfigs(share.nodeId))) {
            brokerSettings.accept(next);
            next.topics().forEach(topic -> planUpdate(next, topic, work));
        }
        Countdown rest = new Countdown(work.size() + 1, (applied, failure) -> {
            done.done(null, failure);
            applying = false;
            if (!queue.isEmpty()) {
                queue.poll().run();
            }
        });
        for (Work each : work) {
            each.run((worked, failure) -> rest.one(failure));
        }
        rest.one(null);
    }

    @FunctionalInterface
    private interface Work {
        void run(Callback<Void> done);
    }

    private void plan(MetadataImage next, TopicChange change, List<Work> work) {
        TopicImage before = change.before();
        TopicImage after = change.after();
        if (after == null) {
            for (PartitionImage each : before.partitions()) {
                PartitionId id = new PartitionId(before.id(), each.partition());
                if (share.holds(id, each)) {
                    work.add(done -> partitions.delete(id, done));
                }
            }
            return;
        }
        if (before != null) {
            planUpdate(next, after, work);
        }
        LogConfig config = settings.of(next, after);
        int known = before == null ? 0 : before.partitions().size();
        for (PartitionImage each :
                after.partitions().subList(known, after.partitions().size())) {
            if (share.holds(new PartitionId(after.id(), each.partition()), each)) {
                work.add(done -> partitions.open(after, each, config, done));
            }
        }
    }

    private void planUpdate(MetadataImage next, TopicImage topic, List<Work> work) {
        LogConfig config = settings.of(next, topic);
        for (PartitionImage each : topic.partitions()) {
            PartitionId id = new PartitionId(topic.id(), each.partition());
            if (share.holds(id, each)) {
                work.add(done -> {
                    partitions.update(id, each.leaderEpoch(), config);
                    done.succeed(null);
                });
            }
        }
    }
}
