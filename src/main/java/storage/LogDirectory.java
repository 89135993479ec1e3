package storage;

import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory of log.dirs: lock, identity, clean-shutdown mark, checkpoints, the partitions in it. Stateless: jobs that node/ runs in a
 * {@link DiskExecutor} at start, periodically and at the stop.
 */
public final class LogDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirectory.class);
    private static final String LOCK = ".lock";
    private static final int MAX_SMALL_FILE = 1 << 16;
    private static final int MAX_CHECKPOINT = 256 << 20;

    private LogDirectory() {}

    /**
     * @param clusterId expected cluster, null: accept the directory's, or {@code newClusterId} when it is empty
     * @param newClusterId random Kafka Uuid text, used when an empty directory is formatted without an expected cluster; null: the node has still to learn
     *     which cluster it belongs to, and tells it to {@link #join}
     * @param newDirectoryId random Kafka Uuid text for an empty directory
     */
    public record OpenRequest(
            int nodeId, String clusterId, String newClusterId, String newDirectoryId, Mutations mutations) {}

    /**
     * @param clusterId null: not known yet
     * @param formatted true if the directory was empty and has been formatted now
     * @param cleanEpoch of the broker that stopped cleanly; -1 if it did not, or its mark does not tell (one of an earlier Highwater)
     * @param checkpointed names ({@code topic-partition}) that a checkpoint file speaks of, whether or not there is a directory
     */
    public record Opened(
            String clusterId,
            int nodeId,
            String directoryId,
            boolean formatted,
            boolean cleanStop,
            long cleanEpoch,
            List<FoundPartition> partitions,
            Set<String> checkpointed) {}

    /**
     * A partition directory. {@code identity.topicId} is null when partition.metadata is missing or unreadable. Sorted by directory name.
     *
     * @param bare it does not say whose it is, and there is not one segment in it
     */
    public record FoundPartition(LogIdentity identity, LogStart start, boolean bare) {}

    /**
     * One partition's line in the checkpoint files.
     *
     * @param cleanedTo -1: no line in cleaner-offset-checkpoint
     */
    public record Checkpoint(
            String topic, int partition, long recoveryPoint, long logStartOffset, long highWatermark, long cleanedTo) {

        /** Of a log that was never compacted. */
        public Checkpoint(String topic, int partition, long recoveryPoint, long logStartOffset, long highWatermark) {
            this(topic, partition, recoveryPoint, logStartOffset, highWatermark, -1);
        }
    }

    /**
     * Locks the directory, formats it when empty, verifies meta.properties, takes the clean-shutdown mark away (removed and synced before this returns,
     * rule S6), reads the checkpoints and lists the partitions. Fails with {@link DirectoryRefusedException} (foreign, newer or in use: untouched).
     */
    public static DiskJob<Opened> open(OpenRequest request) {
        return files -> {
            readMeta(files, request);
            if (!files.tryLock(LOCK)) {
                throw new DirectoryRefusedException("in use by another process (its lock file " + LOCK
                        + " is held): stop that one, or give this one another log.dirs");
            }
            MetaProperties known = readMeta(files, request);
            long cleanEpoch = CleanMark.read(files);
            boolean clean = cleanEpoch != CleanMark.NOT_CLEAN;
            Set<String> checkpointed = new LinkedHashSet<>();
            List<FoundPartition> partitions = known == null ? List.of() : findPartitions(files, clean, checkpointed);
            MetaProperties meta = known == null || known.directoryId() == null || known.clusterId() == null
                    ? format(files, known, request)
                    : known;
            if (clean && !request.mutations().active("clean-mark-kept")) {
                CleanMark.remove(files);
            } else {
                // What was read here counts from now on (rule I12): a power cut must not bring back an older
                // checkpoint.
                files.syncDirectory("");
            }
            return new Opened(
                    meta.clusterId(),
                    request.nodeId(),
                    meta.directoryId(),
                    known == null,
                    clean,
                    clean ? cleanEpoch : CleanMark.UNKNOWN_EPOCH,
                    partitions,
                    checkpointed);
        };
    }

    /**
     * Formats an empty directory for a node that is not started yet; {@code content} is put into it first, so that what is cut off is no formatted directory. False:
     * it was formatted before, and nothing is done. Not locked.
     */
    public static DiskJob<Boolean> format(OpenRequest request, DiskJob<Void> content) {
        return files -> {
            if (AtomicFile.read(files, MetaProperties.FILE_NAME, MAX_SMALL_FILE) != null) {
                return false;
            }
            requireEmpty(files);
            content.run(files);
            format(files, null, request);
            return true;
        };
    }

    /** The cluster that the directory belongs to, if it says one; else null. Touches nothing. */
    public static DiskJob<String> clusterId() {
        return files -> {
            ByteBuffer content = AtomicFile.read(files, MetaProperties.FILE_NAME, MAX_SMALL_FILE);
            return content == null ? null : MetaProperties.parse(content).clusterId();
        };
    }

    /** The node has learned which cluster it is of: a directory that does not say so yet says it from now on. */
    public static DiskJob<Void> join(String clusterId) {
        return files -> {
            MetaProperties known =
                    MetaProperties.parse(AtomicFile.read(files, MetaProperties.FILE_NAME, MAX_SMALL_FILE));
            if (known.clusterId() == null) {
                MetaProperties joined =
                        new MetaProperties(known.version(), clusterId, known.nodeId(), known.directoryId());
                AtomicFile.replace(files, MetaProperties.FILE_NAME, joined.image());
            }
            return null;
        };
    }

    /** Null: the directory is empty. Before the lock is taken too, so that a foreign directory gets not even a lock file. */
    private static MetaProperties readMeta(FileSystem files, OpenRequest request) throws IOException {
        ByteBuffer content = AtomicFile.read(files, MetaProperties.FILE_NAME, MAX_SMALL_FILE);
        if (content == null) {
            requireEmpty(files);
            return null;
        }
        MetaProperties known = MetaProperties.parse(content);
        requireOurs(known, request);
        return known;
    }

    private static MetaProperties format(FileSystem files, MetaProperties known, OpenRequest request)
            throws IOException {
        String expected = request.clusterId() != null ? request.clusterId() : request.newClusterId();
        MetaProperties meta = new MetaProperties(
                MetaProperties.VERSION,
                known == null || known.clusterId() == null ? expected : known.clusterId(),
                Integer.toString(request.nodeId()),
                known == null || known.directoryId() == null ? request.newDirectoryId() : known.directoryId());
        AtomicFile.replace(files, MetaProperties.FILE_NAME, meta.image());
        return meta;
    }

    /** What a formatting that was cut off, or a file system, may leave is no content. */
    private static void requireEmpty(FileSystem files) throws IOException {
        for (String name : files.list("")) {
            boolean harmless = name.equals(LOCK) || name.equals("lost+found") || name.endsWith(".tmp");
            if (!harmless) {
                throw new DirectoryRefusedException("holds " + name + " but no " + MetaProperties.FILE_NAME
                        + ": not a log directory. Give an empty directory, or the right one.");
            }
        }
    }

    private static void requireOurs(MetaProperties known, OpenRequest request) throws IOException {
        if (!MetaProperties.VERSION.equals(known.version())) {
            throw new DirectoryRefusedException(MetaProperties.FILE_NAME + " is of version " + known.version()
                    + ", this Highwater knows version " + MetaProperties.VERSION + " only");
        }
        if (!Integer.toString(request.nodeId()).equals(known.nodeId())) {
            throw new DirectoryRefusedException("belongs to node.id " + known.nodeId() + ", this node is "
                    + request.nodeId() + ": correct node.id or log.dirs");
        }
        boolean foreign = known.clusterId() != null
                && request.clusterId() != null
                && !request.clusterId().equals(known.clusterId());
        if (foreign) {
            throw new DirectoryRefusedException("belongs to cluster.id " + known.clusterId() + ", this node is of "
                    + request.clusterId() + ": correct log.dirs");
        }
    }

    private static List<FoundPartition> findPartitions(FileSystem files, boolean clean, Set<String> checkpointed)
            throws IOException {
        Map<String, Long> recoveryPoints = offsets(files, CheckpointFile.RECOVERY_POINTS);
        Map<String, Long> logStarts = offsets(files, CheckpointFile.LOG_STARTS);
        Map<String, Long> highWatermarks = offsets(files, CheckpointFile.HIGH_WATERMARKS);
        Map<String, Long> cleaned = offsets(files, CheckpointFile.CLEANED);
        checkpointed.addAll(cleaned.keySet());
        checkpointed.addAll(recoveryPoints.keySet());
        checkpointed.addAll(logStarts.keySet());
        checkpointed.addAll(highWatermarks.keySet());
        List<FoundPartition> found = new ArrayList<>();
        for (String name : files.list("")) {
            int dash = name.lastIndexOf('-');
            if (dash <= 0 || !isNumber(name, dash + 1) || !files.isDirectory(name)) {
                continue;
            }
            LogIdentity identity = new LogIdentity(
                    name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)), topicId(files, name));
            LogStart start = new LogStart(
                    true,
                    clean,
                    recoveryPoints.getOrDefault(name, 0L),
                    logStarts.getOrDefault(name, 0L),
                    highWatermarks.getOrDefault(name, 0L),
                    cleaned.getOrDefault(name, -1L));
            boolean bare = identity.topicId() == null
                    && files.list(name).stream().noneMatch(each -> each.endsWith(SegmentFiles.LOG));
            found.add(new FoundPartition(identity, start, bare));
        }
        return found;
    }

    private static boolean isNumber(String name, int from) {
        int digits = name.length() - from;
        return digits > 0 && digits < 10 && name.chars().skip(from).allMatch(c -> c >= '0' && c <= '9');
    }

    private static String topicId(FileSystem files, String directory) throws IOException {
        ByteBuffer content = AtomicFile.read(files, directory + '/' + PartitionMetadataFile.FILE_NAME, MAX_SMALL_FILE);
        if (content == null) {
            return null;
        }
        PartitionMetadataFile.Loaded loaded = PartitionMetadataFile.load(content);
        refuseNewer(directory, loaded.failure());
        return loaded.topicId();
    }

    /** By directory name. Unreadable: empty (rule S5). */
    private static Map<String, Long> offsets(FileSystem files, String name) throws IOException {
        Map<String, Long> offsets = new LinkedHashMap<>();
        ByteBuffer content = AtomicFile.read(files, name, MAX_CHECKPOINT);
        if (content != null) {
            CheckpointFile.Loaded loaded = CheckpointFile.load(content);
            refuseNewer(name, loaded.failure());
            if (loaded.failure() != null) {
                LOG.warn("{}: {}. It counts as absent.", name, loaded.failure().message());
            } else {
                loaded.entries().forEach(entry -> offsets.put(entry.topic() + '-' + entry.partition(), entry.offset()));
            }
        }
        return offsets;
    }

    private static void refuseNewer(String what, Failure failure) throws IOException {
        if (failure != null && failure.code() == FailureCode.UNSUPPORTED_FORMAT) {
            throw new DirectoryRefusedException(what + ": " + failure.message());
        }
    }

    /**
     * Replaces the checkpoint files, Kafka's formats (rule S5); that of the cleaner only where there is one or something for it. {@code entries}: all
     * partitions of the directory, in any stable order.
     */
    public static DiskJob<Void> writeCheckpoints(List<Checkpoint> entries) {
        return files -> {
            replace(files, CheckpointFile.LOG_STARTS, entries, Checkpoint::logStartOffset);
            replace(files, CheckpointFile.RECOVERY_POINTS, entries, Checkpoint::recoveryPoint);
            replace(files, CheckpointFile.HIGH_WATERMARKS, entries, Checkpoint::highWatermark);
            List<Checkpoint> compacted =
                    entries.stream().filter(each -> each.cleanedTo() >= 0).toList();
            if (!compacted.isEmpty() || files.exists(CheckpointFile.CLEANED)) {
                replace(files, CheckpointFile.CLEANED, compacted, Checkpoint::cleanedTo);
            }
            files.syncDirectory("");
            return null;
        };
    }

    private static void replace(
            FileSystem files, String name, List<Checkpoint> entries, ToLongFunction<Checkpoint> offset)
            throws IOException {
        List<CheckpointFile.Entry> lines = new ArrayList<>(entries.size());
        for (Checkpoint entry : entries) {
            lines.add(new CheckpointFile.Entry(entry.topic(), entry.partition(), offset.applyAsLong(entry)));
        }
        AtomicFile.replaceUnsynced(files, name, CheckpointFile.image(lines));
    }

    /** The directory's id as its meta.properties says it now; null when that file is gone, and the directory with it. */
    public static DiskJob<String> presentId() {
        return files -> {
            FileHandle file;
            try {
                file = files.open(MetaProperties.FILE_NAME, FileSystem.Mode.READ);
            } catch (NoSuchFileException gone) {
                return null;
            }
            try {
                ByteBuffer content = ByteBuffer.allocate((int) Math.min(MAX_SMALL_FILE, file.size()));
                PartitionFiles.readFully(file, content, 0);
                String id = MetaProperties.parse(content.flip()).directoryId();
                return id == null ? "" : id;
            } finally {
                file.release();
            }
        };
    }

    /**
     * The last write of a clean stop, after every log's close and the checkpoints succeeded (rule S6).
     *
     * @param brokerEpoch of this process; -1 when it had none
     */
    public static DiskJob<Void> markClean(long brokerEpoch) {
        return files -> {
            CleanMark.write(files, brokerEpoch);
            return null;
        };
    }

    /** Renames a partition directory that no topic owns to {@code <name>.<uuid>-stray}; {@code suffix}: 32 hex digits. Nothing is lost. */
    public static DiskJob<Void> setAside(String directory, String suffix) {
        return files -> {
            files.rename(directory, DirectoryDeletion.asideName(directory, suffix, DirectoryDeletion.STRAY_SUFFIX));
            files.syncDirectory("");
            return null;
        };
    }

    /**
     * Writes the partition.metadata that a partition directory has lost (say, in a power cut before it was synced), durably: without it the directory
     * would one day pass for that of a later topic of its name (rule C7).
     */
    public static DiskJob<Void> identify(LogIdentity partition) {
        return files -> {
            AtomicFile.replace(
                    files,
                    partition.directory() + '/' + PartitionMetadataFile.FILE_NAME,
                    PartitionMetadataFile.image(partition.topicId()));
            return null;
        };
    }

    /** Renames a partition directory, if it is there, to Kafka's deleted form {@code <name>.<uuid>-delete}; the next start unlinks it. Not if it
     * has become that of another topic. */
    public static DiskJob<Void> markDeleted(LogIdentity partition, String suffix) {
        return files -> {
            DirectoryDeletion.rename(files, partition, suffix);
            return null;
        };
    }

    /** Unlinks at most {@code maxFiles} files of directories left by deletions; true when more remain. */
    public static DiskJob<Boolean> purgeDeleted(int maxFiles) {
        return files -> {
            int left = maxFiles;
            for (String directory : files.list("")) {
                if (!directory.endsWith(DirectoryDeletion.DELETE_SUFFIX) || !files.isDirectory(directory)) {
                    continue;
                }
                if (left == maxFiles) {
                    // As in DirectoryDeletion: the new names must not be lost when the files are.
                    files.syncDirectory("");
                }
                for (String name : files.list(directory)) {
                    if (left-- <= 0) {
                        return true;
                    }
                    files.delete(directory + '/' + name);
                }
                files.delete(directory);
            }
            return false;
        };
    }
}
