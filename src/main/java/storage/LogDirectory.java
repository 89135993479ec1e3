package storage;

import common.Mutations;
import java.util.List;

/**
 * One directory of log.dirs: lock, identity, clean-shutdown mark, checkpoints, the partitions in it. Stateless: jobs that node/ runs in a
 * {@link DiskExecutor} at start, periodically and at the stop.
 */
public final class LogDirectory {

    private LogDirectory() {}

    /**
     * @param clusterId expected cluster, null: accept the directory's, or {@code newClusterId} when it is empty
     * @param newClusterId random Kafka Uuid text, used when an empty directory is formatted without an expected cluster
     * @param newDirectoryId random Kafka Uuid text for an empty directory
     */
    public record OpenRequest(
            int nodeId, String clusterId, String newClusterId, String newDirectoryId, Mutations mutations) {}

    /** @param formatted true if the directory was empty and has been formatted now */
    public record Opened(
            String clusterId,
            int nodeId,
            String directoryId,
            boolean formatted,
            boolean cleanStop,
            List<FoundPartition> partitions) {}

    /** A partition directory. {@code identity.topicId} is null when partition.metadata is missing or unreadable. Sorted by directory name. */
    public record FoundPartition(LogIdentity identity, LogStart start) {}

    /** One partition's line in the three checkpoint files. */
    public record Checkpoint(
            String topic, int partition, long recoveryPoint, long logStartOffset, long highWatermark) {}

    /**
     * Locks the directory, formats it when empty, verifies meta.properties, takes the clean-shutdown mark away (removed and synced before this returns,
     * rule S6), reads the checkpoints and lists the partitions. Fails with {@link DirectoryRefusedException} (foreign, newer or in use: untouched).
     */
    public static DiskJob<Opened> open(OpenRequest request) {
        throw new UnsupportedOperationException("to come: " + request);
    }

    /** Replaces the three checkpoint files, Kafka's formats (rule S5). {@code entries} sorted by the caller in any stable order; all partitions of the directory. */
    public static DiskJob<Void> writeCheckpoints(List<Checkpoint> entries) {
        throw new UnsupportedOperationException("to come: " + entries);
    }

    /** The last write of a clean stop, after every log's close and the checkpoints succeeded (rule S6). */
    public static DiskJob<Void> markClean() {
        throw new UnsupportedOperationException("to come");
    }

    /** Renames a partition directory that no topic owns to {@code <name>.<uuid>-stray}; {@code suffix}: 32 hex digits. Nothing is lost. */
    public static DiskJob<Void> setAside(String directory, String suffix) {
        throw new UnsupportedOperationException("to come: " + directory + suffix);
    }

    /** Unlinks at most {@code maxFiles} files of directories left by deletions; true when more remain. */
    public static DiskJob<Boolean> purgeDeleted(int maxFiles) {
        throw new UnsupportedOperationException("to come: " + maxFiles);
    }
}
