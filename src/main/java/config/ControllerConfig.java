package config;

/**
 * The metadata log, and what the controller does about time.
 *
 * @param snapshotBytes bytes of records after which a snapshot is taken
 * @param snapshotMillis time after which a snapshot is taken if there are new records; 0: only by bytes
 * @param retentionBytes, retentionMillis of metadata log segments and snapshots that a snapshot has made superfluous; -1: no limit
 * @param maxBatchBytes largest batch of metadata records
 * @param sessionMillis a broker that is not heard of for so long is fenced
 */
public record ControllerConfig(
        long snapshotBytes,
        long snapshotMillis,
        int segmentBytes,
        long segmentMillis,
        long retentionBytes,
        long retentionMillis,
        int maxBatchBytes,
        int sessionMillis,
        Balance balance) {

    /** Whether, and how often, leaderships go back to the preferred replicas. */
    public record Balance(boolean enabled, long checkSeconds) {}
}
