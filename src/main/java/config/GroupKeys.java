package config;

import static config.KeyTable.atLeast;
import static config.KeyTable.between;
import static config.KeyTable.caseInsensitive;
import static config.KeyTable.subsetOf;

import java.util.List;

/** Keys of {@link GroupConfig}, and those of streams groups and share groups, which are not served. */
final class GroupKeys {

    private GroupKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        groups(keys);
        consumerGroups(keys);
        notBuilt(keys);
        shareGroups(keys);
        plugins(keys);
        return keys.list();
    }

    private static void groups(KeyTable keys) {
        keys.inForce(GroupConfig.class);
        keys.int32(
                "offsets.topic.num.partitions",
                50,
                atLeast(1),
                "Partitions of __consumer_offsets; not to be changed once it exists.");
        keys.int16(
                "offsets.topic.replication.factor",
                (short) 3,
                atLeast(1),
                "Replicas of __consumer_offsets; fewer when the cluster has fewer brokers.");
        keys.int32("offsets.topic.segment.bytes", 104857600, atLeast(1), "Segment size of __consumer_offsets.");
        keys.int32(
                "group.coordinator.append.linger.ms",
                -1,
                atLeast(-1),
                "How long group records wait for more; -1: while others are being written.");
        keys.list(
                "group.coordinator.rebalance.protocols",
                "classic,consumer,streams",
                subsetOf("consumer", "classic", "share", "streams"),
                "Group protocols offered; streams and share are not built.");
        keys.int32(
                "group.initial.rebalance.delay.ms", 3000, null, "How long the first members of a group wait for more.");
        keys.int32("group.max.session.timeout.ms", 1800000, null, "Longest session that a classic member may ask for.");
        keys.int32("group.max.size", Integer.MAX_VALUE, atLeast(1), "Most members of a classic group.");
        keys.int32("group.min.session.timeout.ms", 6000, null, "Shortest session that a classic member may ask for.");
        keys.int32("offset.metadata.max.bytes", 4096, null, "Longest text that a commit may carry.");
        keys.int32("offsets.commit.timeout.ms", 5000, atLeast(1), "How long a commit may take.");
        keys.int32("offsets.load.buffer.size", 5242880, atLeast(1), "Read at once while a group coordinator loads.");
        keys.int64(
                "offsets.retention.check.interval.ms",
                600000L,
                atLeast(1),
                "How often expired offsets are looked for.");
        keys.int32(
                "offsets.retention.minutes",
                10080,
                atLeast(1),
                "How long offsets of an unused group or topic are kept.");
        keys.int32(
                "offsets.topic.compression.codec",
                0,
                null,
                "Codec of the batches of __consumer_offsets: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.");
    }

    private static void consumerGroups(KeyTable keys) {
        keys.inForce(GroupConfig.class);
        keys.int32(
                        "group.consumer.assignment.interval.ms",
                        1000,
                        atLeast(0),
                        "Shortest time between two assignments of a KIP-848 group: changes that come sooner are assigned together.")
                .clusterWide();
        keys.int32(
                "group.consumer.max.assignment.interval.ms",
                15000,
                atLeast(0),
                "Highest consumer.assignment.interval.ms of a group.");
        keys.int32(
                "group.consumer.min.assignment.interval.ms",
                0,
                atLeast(0),
                "Lowest consumer.assignment.interval.ms of a group.");
        keys.bool(
                        "group.consumer.assignor.offload.enable",
                        true,
                        "Compute the assignments of large KIP-848 groups beside the event loop.")
                .clusterWide();
        keys.int32("group.consumer.heartbeat.interval.ms", 5000, atLeast(1), "Heartbeat of a KIP-848 member.");
        keys.int32(
                "group.consumer.max.heartbeat.interval.ms",
                15000,
                atLeast(1),
                "Highest consumer.heartbeat.interval.ms of a group.");
        keys.int32(
                "group.consumer.max.session.timeout.ms",
                60000,
                atLeast(1),
                "Highest consumer.session.timeout.ms of a group.");
        keys.int32("group.consumer.max.size", Integer.MAX_VALUE, atLeast(1), "Most members of a KIP-848 group.");
        keys.string(
                "group.consumer.migration.policy",
                "bidirectional",
                caseInsensitive("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"),
                "Which groups change protocol while in use: DISABLED, DOWNGRADE, UPGRADE, BIDIRECTIONAL.");
        keys.int32(
                "group.consumer.min.heartbeat.interval.ms",
                5000,
                atLeast(1),
                "Lowest consumer.heartbeat.interval.ms of a group.");
        keys.int32(
                "group.consumer.min.session.timeout.ms",
                45000,
                atLeast(1),
                "Lowest consumer.session.timeout.ms of a group.");
        keys.int32(
                "group.consumer.regex.refresh.interval.ms",
                600000,
                atLeast(10000),
                "How often topic patterns are matched again.");
        keys.int32("group.consumer.session.timeout.ms", 45000, atLeast(1), "Session of a KIP-848 member.");
        keys.list(
                "group.consumer.assignors",
                "uniform,range",
                null,
                "Server-side assignors offered; the first is the default. Classes are not loaded.");
    }

    private static void notBuilt(KeyTable keys) {
        keys.withoutEffect("has no counterpart here, or is for streams groups, which are not served");
        keys.int32("group.coordinator.background.threads", 2, atLeast(1));
        // Kafka keeps so large a buffer to append with again; here none is kept.
        keys.int32("group.coordinator.cached.buffer.max.bytes", 1048588, atLeast(524288))
                .clusterWide();
        keys.int32("group.coordinator.threads", 4, atLeast(1));
        keys.int64("group.streams.acceptable.recovery.lag", 10000L, atLeast(0));
        keys.int32("group.streams.assignment.interval.ms", 1000, atLeast(0)).clusterWide();
        keys.bool("group.streams.assignor.offload.enable", true).clusterWide();
        keys.int32("group.streams.heartbeat.interval.ms", 5000, atLeast(1));
        keys.int32("group.streams.initial.rebalance.delay.ms", 3000, atLeast(0));
        keys.int32("group.streams.max.assignment.interval.ms", 15000, atLeast(0));
        keys.int32("group.streams.max.heartbeat.interval.ms", 15000, atLeast(1));
        keys.int32("group.streams.max.session.timeout.ms", 60000, atLeast(1));
        keys.int32("group.streams.max.size", Integer.MAX_VALUE, atLeast(1));
        keys.int32("group.streams.max.standby.replicas", 2, atLeast(0));
        keys.int32("group.streams.max.warmup.replicas", 20, atLeast(0));
        keys.int32("group.streams.min.assignment.interval.ms", 0, atLeast(0));
        keys.int32("group.streams.min.heartbeat.interval.ms", 5000, atLeast(1));
        keys.int32("group.streams.min.session.timeout.ms", 45000, atLeast(1));
        keys.int32("group.streams.min.task.offset.interval.ms", 15000, atLeast(1));
        keys.int32("group.streams.num.standby.replicas", 0, atLeast(0));
        keys.int32("group.streams.num.warmup.replicas", 2, atLeast(0));
        keys.list("group.streams.rack.aware.assignment.tags", "", null);
        keys.int32("group.streams.session.timeout.ms", 45000, atLeast(1));
        keys.int32("group.streams.task.offset.interval.ms", 60000, atLeast(1));
    }

    private static void shareGroups(KeyTable keys) {
        keys.withoutEffect("share groups are not served yet");
        keys.int32("share.coordinator.state.topic.num.partitions", 50, atLeast(1));
        keys.int16("share.coordinator.state.topic.replication.factor", (short) 3, atLeast(1));
        keys.int16("share.coordinator.state.topic.min.isr", (short) 2, atLeast(1));
        keys.int32("share.coordinator.state.topic.segment.bytes", 104857600, atLeast(1));
        keys.bool("errors.deadletterqueue.auto.create.topics.enable", false).clusterWide();
        keys.string("errors.deadletterqueue.topic.name.prefix", "dlq.", null).clusterWide();
        keys.int32("group.share.assignment.interval.ms", 1000, atLeast(0)).clusterWide();
        keys.bool("group.share.assignor.offload.enable", true).clusterWide();
        keys.int32("group.share.delivery.count.limit", 5, between(2, 10));
        keys.int32("group.share.heartbeat.interval.ms", 5000, atLeast(1));
        keys.int32("group.share.initialize.retry.interval.ms", 30000, atLeast(1));
        keys.int32("group.share.max.assignment.interval.ms", 15000, atLeast(0));
        keys.int32("group.share.max.delivery.count.limit", 10, between(5, 25));
        keys.int32("group.share.max.heartbeat.interval.ms", 15000, atLeast(1));
        keys.int32("group.share.max.partition.max.record.locks", 4000, between(2000, 10000));
        keys.int32("group.share.max.record.lock.duration.ms", 60000, between(30000, 3600000));
        keys.int32("group.share.max.session.timeout.ms", 60000, atLeast(1));
        keys.int32("group.share.max.share.sessions", 2000, atLeast(1));
        keys.int32("group.share.max.size", 200, between(1, 1000));
        keys.int32("group.share.min.assignment.interval.ms", 0, atLeast(0));
        keys.int32("group.share.min.delivery.count.limit", 2, between(2, 5));
        keys.int32("group.share.min.heartbeat.interval.ms", 5000, atLeast(1));
        keys.int32("group.share.min.partition.max.record.locks", 100, between(100, 2000));
        keys.int32("group.share.min.record.lock.duration.ms", 15000, between(1000, 30000));
        keys.int32("group.share.min.session.timeout.ms", 45000, atLeast(1));
        keys.int32("group.share.partition.max.record.locks", 2000, between(100, 10000));
        keys.int32("group.share.record.lock.duration.ms", 30000, between(1000, 3600000));
        keys.int32("group.share.session.timeout.ms", 45000, atLeast(1));
        keys.int32("share.coordinator.append.linger.ms", -1, atLeast(-1));
        keys.int32("share.coordinator.cached.buffer.max.bytes", 1048588, atLeast(524288))
                .clusterWide();
        keys.int32("share.coordinator.cold.partition.snapshot.interval.ms", 300000, atLeast(1));
        keys.int32("share.coordinator.load.buffer.size", 5242880, atLeast(1));
        keys.int32("share.coordinator.snapshot.update.records.per.snapshot", 500, between(0, 500));
        keys.int32("share.coordinator.state.topic.compression.codec", 0, null);
        keys.int32("share.coordinator.state.topic.prune.interval.ms", 300000, atLeast(1));
        keys.int32("share.coordinator.threads", 1, atLeast(1));
        keys.int32("share.coordinator.write.timeout.ms", 5000, atLeast(1));
        keys.int32("share.fetch.purgatory.purge.interval.requests", 1000, null);
    }

    private static void plugins(KeyTable keys) {
        keys.refused("plugs in classes, and no plug-ins are loaded; allowed: the default");
        keys.list("group.share.assignors", "simple", null);
        keys.string(
                "group.share.dlq.manager.class.name",
                "org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager",
                null);
        keys.string(
                "group.share.persister.class.name",
                "org.apache.kafka.server.share.persister.DefaultStatePersister",
                null);
        keys.list("group.streams.assignors", "sticky", null);
        keys.classOf("group.streams.topology.description.plugin.class", null);
    }
}
