package config;

/**
 * The metadata log.
 *
 * @param snapshotBytes bytes of records after which a snapshot is taken
 * @param snapshotMillis time after which a snapshot is taken if there are new records; 0: only by bytes
 * @param retentionBytes, retentionMillis of metadata log segments and snapshots that a snapshot has made superfluous; -1: no limit
 * @param maxBatchBytes largest batch of metadata records
 */
public record ControllerConfig(
        long snapshotBytes,
        long snapshotMillis,
        int segmentBytes,
        long segmentMillis,
        long retentionBytes,
        long retentionMillis,
        int maxBatchBytes) {}
