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
 * Makes one shard follow the metadata (rule C8). Roles of partitions change at once, since others wait for a leader; what is to be opened or deleted is done image
 * by image, each whole before the next. Confined to the shard.
 */
final class ShardImage {
    private final PartitionTable partitions;
    private final ShardSettings settings;
    private final Consumer<MetadataImage> brokerSettings;
    private final Share share;
    private final ReplicaCounts counts;
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private boolean applying;

    /** Which partitions are this shard's: of {@code nodeId}, by hash. */
    record Share(int nodeId, int shard, int shards) {
        boolean holds(PartitionId id, PartitionImage partition) {
            return partition.replicas().contains(nodeId) && id.shard(shards) == shard;
        }
    }

    /** @param brokerSettings told of each image in which settings of this broker changed */
    ShardImage(
            PartitionTable partitions,
            ShardSettings settings,
            Consumer<MetadataImage> brokerSettings,
            Share share,
            ReplicaCounts counts) {
        this.partitions = partitions;
        this.settings = settings;
        this.brokerSettings = brokerSettings;
        this.share = share;
        this.counts = counts;
    }

    ReplicaCounts counts() {
        return counts;
    }

    void apply(MetadataImage next, Callback<Void> done) {
        MetadataImage before = partitions.roles().image();
        partitions.roles().follow(next);
        List<Work> work = new ArrayList<>();
        for (TopicChange change : next.topicChangesSince(before)) {
            if (change.after() == null) {
                planRemoval(before, change.before(), work);
            } else {
                plan(before, change, work);
            }
        }
        if (!next.brokerConfigs(-1).equals(before.brokerConfigs(-1))
                || !next.brokerConfigs(share.nodeId).equals(before.brokerConfigs(share.nodeId))) {
            followBrokerSettings(next);
        }
        queue.add(() -> run(work, done));
        if (!applying) {
            queue.poll().run();
        }
    }

    private void run(List<Work> work, Callback<Void> done) {
        applying = true;
        Countdown rest = new Countdown(work.size() + 1, (applied, failure) -> {
            counts.offline(partitions.offline());
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

    private void planRemoval(MetadataImage image, TopicImage topic, List<Work> work) {
        int minIsr = settings.minIsr(image, topic);
        for (PartitionImage each : topic.partitions()) {
            PartitionId id = new PartitionId(topic.id(), each.partition());
            if (share.holds(id, each)) {
                counts.count(each, minIsr, -1);
                leave(id, work);
            }
        }
    }

    private void leave(PartitionId id, List<Work> work) {
        partitions.leave(id);
        work.add(done -> partitions.delete(id, done));
    }

    private void plan(MetadataImage before, TopicChange change, List<Work> work) {
        TopicImage was = change.before();
        TopicImage is = change.after();
        boolean sameSettings = was != null && was.configs().equals(is.configs());
        int known = was == null ? 0 : was.partitions().size();
        int minIsrBefore = was == null ? 0 : settings.minIsr(before, was);
        int minIsr = settings.minIsr(partitions.roles().image(), is);
        LogConfig config = settings.log(partitions.roles().image(), is);
        for (PartitionImage each : is.partitions()) {
            PartitionImage former = each.partition() < known ? was.partitions().get(each.partition()) : null;
            if (each.equals(former) && sameSettings) {
                continue;
            }
            PartitionId id = new PartitionId(is.id(), each.partition());
            boolean held = former != null && share.holds(id, former);
            boolean holds = share.holds(id, each);
            if (held) {
                counts.count(former, minIsrBefore, -1);
            }
            if (holds) {
                counts.count(each, minIsr, 1);
            }
            if (held && holds && !partitions.isHomeless(id)) {
                partitions.update(id);
            } else if (holds) {
                work.add(done -> partitions.open(is, each, config, done));
            } else if (held) {
                leave(id, work);
            }
        }
    }

    /** Defaults of all topics may be others. */
    private void followBrokerSettings(MetadataImage next) {
        brokerSettings.accept(next);
        counts.forget();
        for (TopicImage topic : next.topics()) {
            int minIsr = settings.minIsr(next, topic);
            for (PartitionImage each : topic.partitions()) {
                PartitionId id = new PartitionId(topic.id(), each.partition());
                if (share.holds(id, each)) {
                    counts.count(each, minIsr, 1);
                    partitions.update(id);
                }
            }
        }
    }
}
