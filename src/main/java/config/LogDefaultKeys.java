package config;

import static config.KeyTable.GZIP_LEVEL;
import static config.KeyTable.atLeast;
import static config.KeyTable.between;
import static config.KeyTable.oneOf;
import static config.KeyTable.subsetOf;

import java.util.List;

/** Broker-wide defaults of topic settings; owner {@link LogConfig}. */
final class LogDefaultKeys {

    private LogDefaultKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(LogConfig.class);
        segments(keys);
        messages(keys);
        compaction(keys);
        keys.int32("min.insync.replicas", 1, atLeast(1), "Broker-wide default of min.insync.replicas.")
                .clusterWide();
        keys.bool("unclean.leader.election.enable", false, "Broker-wide default of unclean.leader.election.enable.")
                .clusterWide();
        return keys.list();
    }

    private static void segments(KeyTable keys) {
        keys.int32("log.segment.bytes", 1073741824, atLeast(1048576), "Broker-wide default of segment.bytes.")
                .clusterWide();
        keys.int64("log.roll.ms", null, null, "Broker-wide default of segment.ms.")
                .clusterWide();
        keys.int32("log.roll.hours", 168, atLeast(1), "Broker-wide default of segment.ms, in hours.");
        keys.int64("log.roll.jitter.ms", null, null, "Broker-wide default of segment.jitter.ms.")
                .clusterWide();
        keys.int32("log.roll.jitter.hours", 0, atLeast(0), "Broker-wide default of segment.jitter.ms, in hours.");
        keys.int32("log.index.size.max.bytes", 10485760, atLeast(4), "Broker-wide default of segment.index.bytes.")
                .clusterWide();
        keys.int32("log.index.interval.bytes", 4096, atLeast(0), "Broker-wide default of index.interval.bytes.")
                .clusterWide();
        keys.int64(
                        "log.flush.interval.messages",
                        Long.MAX_VALUE,
                        atLeast(1),
                        "Broker-wide default of flush.messages (1: durable acknowledgements).")
                .clusterWide();
        keys.int64("log.flush.interval.ms", null, null, "Broker-wide default of flush.ms.")
                .clusterWide();
        keys.int64("log.retention.bytes", -1L, null, "Broker-wide default of retention.bytes.")
                .clusterWide();
        keys.int64("log.retention.ms", null, null, "Broker-wide default of retention.ms.")
                .clusterWide();
        keys.int32("log.retention.minutes", null, null, "Broker-wide default of retention.ms, in minutes.");
        keys.int32("log.retention.hours", 168, null, "Broker-wide default of retention.ms, in hours.");
    }

    private static void messages(KeyTable keys) {
        keys.int32("message.max.bytes", 1048588, atLeast(0), "Broker-wide default of max.message.bytes.")
                .clusterWide();
        keys.int64("log.segment.delete.delay.ms", 60000L, atLeast(0), "Broker-wide default of file.delete.delay.ms.")
                .clusterWide();
        keys.string(
                        "log.message.timestamp.type",
                        "CreateTime",
                        oneOf("CreateTime", "LogAppendTime"),
                        "Broker-wide default of message.timestamp.type.")
                .clusterWide();
        keys.int64(
                        "log.message.timestamp.before.max.ms",
                        Long.MAX_VALUE,
                        atLeast(0),
                        "Broker-wide default of message.timestamp.before.max.ms.")
                .clusterWide();
        keys.int64(
                        "log.message.timestamp.after.max.ms",
                        3600000L,
                        atLeast(0),
                        "Broker-wide default of message.timestamp.after.max.ms.")
                .clusterWide();
        keys.string(
                        "compression.type",
                        "producer",
                        oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
                        "Broker-wide default of compression.type.")
                .clusterWide();
        keys.int32("compression.gzip.level", -1, GZIP_LEVEL, "Broker-wide default of compression.gzip.level.")
                .clusterWide();
        keys.int32("compression.lz4.level", 9, between(1, 17), "Broker-wide default of compression.lz4.level.")
                .clusterWide();
        keys.int32("compression.zstd.level", 3, between(-131072, 22), "Broker-wide default of compression.zstd.level.")
                .clusterWide();
        keys.bool("log.preallocate", false, "Broker-wide default of preallocate.")
                .clusterWide();
        keys.list(
                        "log.cleanup.policy",
                        "delete",
                        subsetOf("compact", "delete"),
                        "Broker-wide default of cleanup.policy.")
                .clusterWide();
        keys.int32(
                        "max.decompressed.message.bytes",
                        2147483639,
                        between(1, 2147483639),
                        "Broker-wide default of max.decompressed.message.bytes.")
                .clusterWide();
        keys.string("record.validation", "full", oneOf("full", "header"), "Broker-wide default of record.validation.")
                .clusterWide();
    }

    private static void compaction(KeyTable keys) {
        keys.int64(
                        "log.cleaner.delete.retention.ms",
                        86400000L,
                        atLeast(0),
                        "Broker-wide default of delete.retention.ms.")
                .clusterWide();
        keys.int64(
                        "log.cleaner.max.compaction.lag.ms",
                        Long.MAX_VALUE,
                        atLeast(1),
                        "Broker-wide default of max.compaction.lag.ms.")
                .clusterWide();
        keys.float64(
                        "log.cleaner.min.cleanable.ratio",
                        0.5,
                        between(0, 1),
                        "Broker-wide default of min.cleanable.dirty.ratio.")
                .clusterWide();
        keys.int64("log.cleaner.min.compaction.lag.ms", 0L, atLeast(0), "Broker-wide default of min.compaction.lag.ms.")
                .clusterWide();
    }
}
