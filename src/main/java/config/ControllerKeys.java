package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link ControllerConfig}, and those of a quorum and of replication that have no effect here. */
final class ControllerKeys {

    private ControllerKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        section0(keys);
        section1(keys);
        keys.refused("replication throttles are not built yet; allowed: the default");
        keys.int64("replica.alter.log.dirs.io.max.bytes.per.second", Long.MAX_VALUE, atLeast(0))
                .clusterWide();
        return keys.list();
    }

    private static void section0(KeyTable keys) {
        keys.inForce(ControllerConfig.class);
        keys.int64(
                "metadata.log.max.record.bytes.between.snapshots",
                20971520L,
                atLeast(1),
                "A snapshot of the metadata is taken after this many bytes of records.");
        keys.int64(
                "metadata.log.max.snapshot.interval.ms",
                3600000L,
                atLeast(0),
                "A snapshot of the metadata is taken after this time if there is something new; 0: never for time.");
        keys.int32("metadata.log.segment.bytes", 1073741824, atLeast(8388608), "Segment size of the metadata log.");
        keys.int32(
                "internal.metadata.log.segment.bytes",
                null,
                null,
                "As metadata.log.segment.bytes, without its lower bound; for tests.");
        keys.int64("metadata.log.segment.ms", 604800000L, null, "Segment age of the metadata log.");
        keys.int64(
                "metadata.max.retention.bytes",
                104857600L,
                null,
                "Metadata log segments and snapshots beyond this size go once a later snapshot exists; -1: no limit.");
        keys.int64(
                "metadata.max.retention.ms",
                604800000L,
                null,
                "Metadata log segments and snapshots beyond this age go once a later snapshot exists; -1: no limit.");
        keys.int32("internal.metadata.max.batch.size.in.bytes", 8388608, null, "Largest batch of metadata records.");
        keys.int32(
                "broker.session.timeout.ms",
                3000,
                null,
                "A broker that the active controller has not heard of for so long is fenced: others lead its partitions.");
        keys.bool(
                "auto.leader.rebalance.enable",
                true,
                "The active controller gives leaderships back to the first replica of a partition where that one is in sync.");
        keys.int64(
                "leader.imbalance.check.interval.seconds",
                300L,
                atLeast(1),
                "So often it looks for leaderships to give back, if auto.leader.rebalance.enable is true.");
    }

    private static void section1(KeyTable keys) {
        keys.withoutEffect("replicas are not moved between the log directories of a broker yet");
        keys.int32("alter.log.dirs.replication.quota.window.num", 11, atLeast(1));
        keys.int32("alter.log.dirs.replication.quota.window.size.seconds", 1, atLeast(1));
        keys.int32("num.replica.alter.log.dirs.threads", null, null);
        keys.withoutEffect("the controller has no such log of slow events; its metrics tell");
        keys.int64("controller.performance.always.log.threshold.ms", 2000L, atLeast(0));
        keys.int64("controller.performance.sample.period.ms", 60000L, atLeast(100));
        keys.withoutEffect("what arrives while metadata is written joins the next write; nothing waits on purpose");
        keys.int32("controller.quorum.append.linger.ms", 25, atLeast(0));
        keys.withoutEffect(
                "the active controller chooses how much metadata an answer has: 1 MiB at most, or one batch");
        keys.int32("controller.quorum.fetch.max.bytes", 1048576, atLeast(1));
        keys.int32("controller.quorum.fetch.snapshot.max.bytes", 1048576, atLeast(1));
        keys.withoutEffect("a request to the active controller has the time that its sender gives it");
        keys.int32("controller.socket.timeout.ms", 30000, null);
        keys.withoutEffect("clients are served when the node is ready, controllers from the start on");
        keys.list("early.start.listeners", null, null);
        keys.int64("server.max.startup.time.ms", Long.MAX_VALUE, atLeast(0));
        keys.withoutEffect("metadata segments that a snapshot has made superfluous go when nobody reads them");
        keys.int64("internal.metadata.delete.delay.millis", 60000L, null);
        keys.withoutEffect("a broker that cannot tell of its failed log directories repeats that until it can");
        keys.int64("log.dir.failure.timeout.ms", 30000L, atLeast(1));
        keys.withoutEffect("an idle quorum writes no records to show that it lives: fetches show it");
        keys.int32("metadata.max.idle.interval.ms", 500, atLeast(0));
        keys.withoutEffect("one fetcher for each peer and event loop");
        keys.int32("num.replica.fetchers", 1, atLeast(1)).clusterWide();
        keys.withoutEffect("sockets between brokers are sized by the system");
        keys.int32("replica.socket.receive.buffer.bytes", 65536, null);
        keys.withoutEffect("unclean elections are held as soon as they are allowed and a replica is there");
        keys.int64("unclean.leader.election.interval.ms", 300000L, atLeast(1));
    }
}
