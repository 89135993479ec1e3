package config;

import java.util.List;

/** Settings of consumer groups and of the topic that keeps them. Times in milliseconds. */
public record GroupConfig(
        OffsetsTopic topic, Offsets offsets, Classic classic, Consumer consumer, boolean consumerProtocol) {

    /**
     * The topic __consumer_offsets.
     *
     * @param compressionCodec id of the codec of its batches, 0 none
     * @param loadBufferBytes read at once while a coordinator loads
     * @param appendLingerMillis how long a batch waits for more records; -1: while another one is being written
     */
    public record OffsetsTopic(
            int partitions,
            short replicationFactor,
            int segmentBytes,
            int compressionCodec,
            int loadBufferBytes,
            int appendLingerMillis) {}

    /** @param metadataMaxBytes longest text that a commit may carry */
    public record Offsets(
            int metadataMaxBytes, long commitTimeoutMillis, long retentionMillis, long retentionCheckMillis) {}

    public record Classic(int initialRebalanceDelayMillis, int minSessionMillis, int maxSessionMillis, int maxSize) {}

    /**
     * KIP-848; a group's own settings (config resource GROUP) stay within the bounds.
     *
     * @param assignors names of the server-side assignors offered; the first is the default
     * @param offload large assignments are computed away from the loop, unless a group's own setting says otherwise (KIP-1263)
     * @param assignmentMillis shortest time between two assignments of a group (KIP-1263)
     * @param migrationPolicy DISABLED, DOWNGRADE, UPGRADE or BIDIRECTIONAL, in capitals
     */
    public record Consumer(
            int sessionMillis,
            int minSessionMillis,
            int maxSessionMillis,
            int heartbeatMillis,
            int minHeartbeatMillis,
            int maxHeartbeatMillis,
            int assignmentMillis,
            int minAssignmentMillis,
            int maxAssignmentMillis,
            int maxSize,
            List<String> assignors,
            boolean offload,
            String migrationPolicy,
            int regexRefreshMillis) {}
}
