package config;

/**
 * Bounds of the use cases (services), and from whom consumers read.
 *
 * @param fetchMaxBytes largest fetch answer (fetch.max.bytes)
 * @param fetchSessionSlots incremental fetch sessions kept
 * @param maxRequestPartitions partitions in one answer of DescribeTopicPartitions
 * @param requestTimeoutMillis deadline of calls inside the node where the client gives none
 * @param readByRack consumers are sent to a replica in their rack (replica.selector.class, KIP-392)
 */
public record RequestConfig(
        int fetchMaxBytes,
        int fetchSessionSlots,
        int maxRequestPartitions,
        int requestTimeoutMillis,
        boolean readByRack) {}
