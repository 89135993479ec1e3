package config;

/**
 * How compacted logs are cleaned.
 *
 * @param enabled false: no log is compacted
 * @param backoffMillis pause when there was nothing to clean
 * @param dedupeBufferBytes memory for the keys of one cleaning, of all shards together
 * @param loadFactor how full that memory may get, 0 to 1
 * @param ioBufferBytes of all shards together, half for reading, half for writing
 * @param maxBytesPerSecond read and written, of each shard
 */
public record CleanerConfig(
        boolean enabled,
        long backoffMillis,
        long dedupeBufferBytes,
        double loadFactor,
        int ioBufferBytes,
        double maxBytesPerSecond) {}
