package config;

/**
 * Bounds of the use cases (services).
 *
 * @param fetchMaxBytes largest fetch answer (fetch.max.bytes)
 * @param fetchSessionSlots incremental fetch sessions kept
 * @param maxRequestPartitions partitions in one answer of DescribeTopicPartitions
 * @param requestTimeoutMillis deadline of calls inside the node where the client gives none
 */
public record RequestConfig(
        int fetchMaxBytes, int fetchSessionSlots, int maxRequestPartitions, int requestTimeoutMillis) {}
