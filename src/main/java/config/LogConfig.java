package config;

/**
 * The topic-level settings in force for one partition: the topic's own, else the broker's, else the default. Immutable; replaced whole on change. Names
 * and meanings are Kafka's (org.apache.kafka.common.config.TopicConfig). -1 means "no limit" where Kafka says so.
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
        int minInsyncReplicas,
        boolean cleanupDelete,
        boolean cleanupCompact,
        boolean fullRecordValidation,
        boolean uncleanLeaderElection) {

    /** Durable acks: one group-commit fsync before each answer (rule I7). */
    public boolean durable() {
        return flushMessages == 1;
    }
}
