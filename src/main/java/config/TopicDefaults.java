package config;

/** What a topic gets that does not say otherwise, and whether clients may create and delete topics. */
public record TopicDefaults(
        int partitions, short replicationFactor, boolean autoCreate, boolean deleteEnabled, InternalTopics internal) {

    /** Shape of the topics that the broker makes for itself. */
    public record InternalTopics(
            int offsetsPartitions,
            short offsetsReplicationFactor,
            int offsetsSegmentBytes,
            int transactionPartitions,
            short transactionReplicationFactor,
            int transactionMinIsr,
            int transactionSegmentBytes,
            int sharePartitions,
            short shareReplicationFactor,
            short shareMinIsr,
            int shareSegmentBytes) {}
}
