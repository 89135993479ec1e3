package config;

import java.util.List;

/**
 * Where and how logs are kept.
 *
 * @param logDirs absolute or relative to the working directory, at least one
 * @param metadataLogDir the directory of the metadata log: metadata.log.dir, else the first of logDirs
 * @param flushCheckMillis how often time-based flushes are looked for (log.flush.scheduler.interval.ms); Long.MAX_VALUE: never
 * @param recoveryCheckpointMillis how often recovery points are written
 * @param startOffsetCheckpointMillis how often log start offsets are written
 * @param reserveBytes free space of a log directory's file system below which appends are refused (S10)
 * @param maxOpenFiles segment files kept open at once, 16 or more; -1: as the process may open
 * @param scrubBytesPerSecond bytes of a log directory's closed segments to check again each second; 0: none (S1)
 * @param producerExpiryMillis a producer's state is forgotten after this time without a batch
 * @param producerExpiryCheckMillis how often such producers are looked for
 * @param firstDutyMillis how long after the start the first of the periodic duties come
 */
public record StorageConfig(
        List<String> logDirs,
        String metadataLogDir,
        long retentionCheckMillis,
        long flushCheckMillis,
        long recoveryCheckpointMillis,
        long startOffsetCheckpointMillis,
        long reserveBytes,
        int maxOpenFiles,
        long scrubBytesPerSecond,
        int producerExpiryMillis,
        int producerExpiryCheckMillis,
        long firstDutyMillis) {}
