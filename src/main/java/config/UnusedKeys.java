package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of Kafka whose function does not exist here, and keys that Kafka itself has retired. */
final class UnusedKeys {

    /** Kafka 3 had them, and files of properties may still. */
    static final List<String> RETIRED = List.of(
            "inter.broker.protocol.version",
            "log.message.format.version",
            "log.message.downconversion.enable",
            "log.message.timestamp.difference.max.ms",
            "broker.id.generation.enable",
            "reserved.broker.max.id",
            "control.plane.listener.name",
            "offsets.commit.required.acks",
            "delegation.token.master.key",
            "group.coordinator.new.enable",
            "leader.imbalance.per.broker.percentage");

    private UnusedKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.withoutEffect("requests run on the event loops (num.network.threads); there is no such pool or purgatory");
        keys.int32("background.threads", 10, atLeast(1)).clusterWide();
        keys.int32("delete.records.purgatory.purge.interval.requests", 1, null);
        keys.int32("fetch.purgatory.purge.interval.requests", 1000, null);
        keys.int32("num.io.threads", 8, atLeast(1)).clusterWide();
        keys.int32("producer.purgatory.purge.interval.requests", 1000, null);
        keys.withoutEffect("metrics are offered to Prometheus; reporters and their windows are not used");
        keys.int32("kafka.metrics.polling.interval.secs", 10, atLeast(1));
        keys.list("kafka.metrics.reporters", "", null);
        keys.list("metric.reporters", "org.apache.kafka.common.metrics.JmxReporter", null)
                .clusterWide();
        keys.int32("metrics.num.samples", 2, atLeast(1));
        keys.string("metrics.recording.level", "INFO", null);
        keys.int64("metrics.sample.window.ms", 30000L, atLeast(1));
        keys.int32("telemetry.max.bytes", 1048576, atLeast(1));
        keys.withoutEffect("client quotas are stored and described, but not enforced yet");
        keys.int32("controller.quota.window.num", 11, atLeast(1));
        keys.int32("controller.quota.window.size.seconds", 1, atLeast(1));
        keys.int32("quota.window.num", 11, atLeast(1));
        keys.int32("quota.window.size.seconds", 1, atLeast(1));
        keys.withoutEffect("this node opens no connections");
        keys.int64("socket.connection.setup.timeout.max.ms", 30000L, null);
        keys.int64("socket.connection.setup.timeout.ms", 10000L, null);
        keys.refused("not built; allowed: the default");
        keys.list("cordoned.log.dirs", "", null).perBroker();
        keys.bool("unstable.api.versions.enable", false);
        keys.bool("unstable.feature.versions.enable", false);
        keys.withoutEffect("Kafka 4 has no such key any more");
        RETIRED.forEach(keys::retired);
        singleNode(keys);
        return keys.list();
    }

    private static void singleNode(KeyTable keys) {
        keys.withoutEffect("with one replica the high watermark is the end of the log; there is nothing to write");
        keys.int64("replica.high.watermark.checkpoint.interval.ms", 5000L, null);
        keys.withoutEffect("logs are recovered by the disk threads that each directory has anyway");
        keys.int32("num.recovery.threads.per.data.dir", 2, atLeast(1));
        keys.withoutEffect("requests in work are bounded by their bytes (queued.max.request.bytes) and per connection");
        keys.int32("queued.max.requests", 500, atLeast(1));
    }
}
