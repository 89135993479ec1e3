package config;

/** What a topic gets that does not say otherwise, and whether clients may create and delete topics. */
public record TopicDefaults(int partitions, short replicationFactor, boolean autoCreate, boolean deleteEnabled) {}
