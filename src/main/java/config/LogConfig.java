package config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The topic-level settings in force for one partition: the topic's own, else the broker's, else the default. Immutable; replaced whole on change. Names
 * and meanings are Kafka's (org.apache.kafka.common.config.TopicConfig). -1 means "no limit" where Kafka says so.
 *
 * @param maxDecompressedBytes largest size of one record of a compressed batch after decompression (Kafka's max.decompressed.message.bytes)
 * @param cleanupDelete false: retention deletes nothing
 * @param cleanupCompact the log keeps the last record of each key
 * @param deleteRetentionMillis tombstones and markers stay for so long after the cleaning that found them
 * @param minCompactionLagMillis younger records are not compacted
 * @param maxCompactionLagMillis older records are compacted however little of the log is dirty
 * @param minDirtyRatio of a log, above which it is compacted
 */
public record LogConfig(
        int segmentBytes,
        long segmentMillis,
        long segmentJitterMillis,
        int segmentIndexBytes,
        int indexIntervalBytes,
        long flushMessages,
        long flushMillis,
        long retentionBytes,
        long retentionMillis,
        int maxMessageBytes,
        long fileDeleteDelayMillis,
        boolean logAppendTime,
        long timestampBeforeMaxMillis,
        long timestampAfterMaxMillis,
        String compressionType,
        int gzipLevel,
        int lz4Level,
        int zstdLevel,
        boolean preallocate,
        boolean cleanupDelete,
        boolean cleanupCompact,
        long deleteRetentionMillis,
        long minCompactionLagMillis,
        long maxCompactionLagMillis,
        double minDirtyRatio,
        boolean fullRecordValidation,
        int maxDecompressedBytes) {

    /** Durable acks: one group-commit fsync before each answer (rule I7). */
    public boolean durable() {
        return flushMessages == 1;
    }

    /** A segment takes no records later than its first by more than this: so a compacted log becomes cleanable in time, as in Kafka. */
    public long rollMillis() {
        return cleanupCompact && maxCompactionLagMillis > 0
                ? Math.min(maxCompactionLagMillis, segmentMillis)
                : segmentMillis;
    }

    /** Kafka's defaults. */
    public static LogConfig defaults() {
        return of(Map.of());
    }

    /**
     * Kafka's defaults with some topic keys set otherwise. Throws IllegalArgumentException on an unknown key or a value that cannot be parsed: validate
     * before ({@link TopicKeys#problem}).
     */
    public static LogConfig of(Map<String, String> settings) {
        Map<String, Object> values = new TreeMap<>();
        for (ConfigKey key : TopicKeys.all()) {
            values.put(key.name(), key.defaultValue());
        }
        new TreeMap<>(settings).forEach((name, value) -> {
            ConfigKey key = TopicKeys.get(name);
            String problem = key == null ? "unknown topic setting " + name : key.problem(value);
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
            values.put(name, key.parse(value));
        });
        return fromValues(values);
    }

    private static LogConfig fromValues(Map<String, Object> values) {
        List<?> policy = (List<?>) values.get("cleanup.policy");
        Integer testSegmentBytes = (Integer) values.get("internal.segment.bytes");
        return new LogConfig(
                testSegmentBytes != null ? testSegmentBytes : (Integer) values.get("segment.bytes"),
                (Long) values.get("segment.ms"),
                (Long) values.get("segment.jitter.ms"),
                (Integer) values.get("segment.index.bytes"),
                (Integer) values.get("index.interval.bytes"),
                (Long) values.get("flush.messages"),
                (Long) values.get("flush.ms"),
                (Long) values.get("retention.bytes"),
                (Long) values.get("retention.ms"),
                (Integer) values.get("max.message.bytes"),
                (Long) values.get("file.delete.delay.ms"),
                values.get("message.timestamp.type").equals("LogAppendTime"),
                (Long) values.get("message.timestamp.before.max.ms"),
                (Long) values.get("message.timestamp.after.max.ms"),
                (String) values.get("compression.type"),
                (Integer) values.get("compression.gzip.level"),
                (Integer) values.get("compression.lz4.level"),
                (Integer) values.get("compression.zstd.level"),
                (Boolean) values.get("preallocate"),
                policy.contains("delete"),
                policy.contains("compact"),
                (Long) values.get("delete.retention.ms"),
                (Long) values.get("min.compaction.lag.ms"),
                (Long) values.get("max.compaction.lag.ms"),
                (Double) values.get("min.cleanable.dirty.ratio"),
                values.get("record.validation").equals("full"),
                (Integer) values.get("max.decompressed.message.bytes"));
    }
}
