package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.RandomSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import storage.DiskExecutor;
import storage.LogDirectory;
import storage.LogDirectory.FoundPartition;
import storage.LogDirectory.Opened;
import storage.LogIdentity;

/**
 * The log directories of the node at start and stop: opens and locks all of them (rule S12), agrees on one cluster id, sorts what they hold into the
 * metadata log, the shards' partitions and strays, and marks them clean at the end (rule S6). On loop 0.
 */
final class LogDirectories {
    static final String METADATA_DIRECTORY = "__cluster_metadata-0";
    private static final Logger LOG = LoggerFactory.getLogger(LogDirectories.class);

    private final List<String> paths;
    private final List<DiskExecutor> disks;
    private final RandomSource random;
    private final List<Opened> opened = new ArrayList<>();

    LogDirectories(List<String> paths, List<DiskExecutor> disks, RandomSource random) {
        this.paths = paths;
        this.disks = disks;
        this.random = random;
    }

    /** Opens them one after another: the first tells the cluster id that the others must have. Stops at the first that refuses. */
    void open(LogDirectory.OpenRequest request, Callback<String> clusterId) {
        if (opened.size() == paths.size()) {
            clusterId.succeed(opened.get(0).clusterId());
            return;
        }
        int index = opened.size();
        String known = index == 0 ? request.clusterId() : opened.get(0).clusterId();
        LogDirectory.OpenRequest mine = new LogDirectory.OpenRequest(
                request.nodeId(), known, request.newClusterId(), randomUuid().toString(), request.mutations());
        disks.get(index).run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(mine), (result, failure) -> {
            if (failure != null) {
                clusterId.fail(failure.code(), paths.get(index) + ": " + explained(paths.get(index), failure));
                return;
            }
            opened.add(result);
            open(request, clusterId);
        });
    }

    Uuid randomUuid() {
        Uuid id;
        do {
            id = new Uuid(random.nextLong(), random.nextLong());
        } while (id.toString().startsWith("-") || Uuid.RESERVED.contains(id));
        return id;
    }

    List<Opened> opened() {
        return opened;
    }

    /** Directory ids, that of {@code first} first. */
    List<Uuid> directoryIds(int first) {
        List<Uuid> ids = new ArrayList<>();
        ids.add(Uuid.fromString(opened.get(first).directoryId()));
        for (int i = 0; i < opened.size(); i++) {
            if (i != first) {
                ids.add(Uuid.fromString(opened.get(i).directoryId()));
            }
        }
        return ids;
    }

    /** True if no directory may have lost anything: the process before us stopped cleanly, or there was none. */
    boolean cleanStop() {
        return opened.stream().allMatch(each -> each.cleanStop() || each.formatted());
    }

    /** Directory of the metadata log; null when it is new. */
    FoundPartition metadataLog(int directory) {
        for (FoundPartition each : opened.get(directory).partitions()) {
            if (each.identity().directory().equals(METADATA_DIRECTORY)) {
                return each;
            }
        }
        return null;
    }

    /** Partition directories in all log directories, the metadata log's not counted. */
    int foundPartitions() {
        int count = 0;
        for (Opened each : opened) {
            for (FoundPartition found : each.partitions()) {
                count += found.identity().directory().equals(METADATA_DIRECTORY) ? 0 : 1;
            }
        }
        return count;
    }

    /** A found partition, by directory (index in log.dirs) and with the id of its topic. */
    record Claimed(int directory, PartitionId id, FoundPartition found) {}

    /**
     * Partitions that the metadata knows; the others are set aside (renamed, never deleted: the metadata may be what is wrong) before {@code done}. Fails,
     * and touches nothing, when a partition lies in two directories: nobody here can tell which of them is the newer one.
     */
    void claim(MetadataImage image, Callback<List<Claimed>> done) {
        Map<PartitionId, Claimed> claimed = new LinkedHashMap<>();
        Map<FoundPartition, Integer> strays = new LinkedHashMap<>();
        for (int directory = 0; directory < opened.size(); directory++) {
            for (FoundPartition each : opened.get(directory).partitions()) {
                if (each.identity().directory().equals(METADATA_DIRECTORY)) {
                    continue;
                }
                TopicImage topic = topicOf(image, each.identity());
                if (topic == null
                        || each.identity().partition() >= topic.partitions().size()) {
                    strays.put(each, directory);
                } else {
                    PartitionId id = new PartitionId(topic.id(), each.identity().partition());
                    Claimed other = claimed.putIfAbsent(id, new Claimed(directory, id, each));
                    if (other != null) {
                        done.fail(twice(each.identity().directory(), paths.get(other.directory), paths.get(directory)));
                        return;
                    }
                }
            }
        }
        Countdown rest = new Countdown(
                strays.size() + 1,
                (ended, failure) -> done.done(failure == null ? List.copyOf(claimed.values()) : null, failure));
        strays.forEach((stray, directory) -> setAside(stray, directory, rest));
        rest.one(null);
    }

    private static Failure twice(String name, String first, String second) {
        return Failure.of(
                FailureCode.STORAGE_ERROR,
                "partition " + name + " is in two log directories: " + first + '/' + name + " and " + second + '/'
                        + name
                        + "; find out which of them is complete, move the other one out of its log directory, then start"
                        + " again");
    }

    /** A directory whose partition.metadata is lost (a power cut) belongs to the topic of its name. */
    private static TopicImage topicOf(MetadataImage image, LogIdentity identity) {
        TopicImage topic = image.topic(identity.topic());
        boolean same = topic != null
                && (identity.topicId() == null || topic.id().toString().equals(identity.topicId()));
        return same ? topic : null;
    }

    /** Names that the checkpoint files of a directory speak of although no claimed partition there has them. */
    Set<String> staleNames(int directory, List<Claimed> claimed) {
        Set<String> names = new LinkedHashSet<>(opened.get(directory).checkpointed());
        names.remove(METADATA_DIRECTORY);
        for (Claimed each : claimed) {
            if (each.directory() == directory) {
                names.remove(each.found().identity().directory());
            }
        }
        return names;
    }

    private void setAside(FoundPartition stray, int directory, Countdown rest) {
        String name = stray.identity().directory();
        LOG.warn(
                "partition directory {} in {} belongs to no topic of this cluster: it is renamed to {}.<id>-stray and not served; remove it when you are"
                        + " sure that it is not needed",
                name,
                paths.get(directory),
                name);
        String suffix = String.format("%016x%016x", random.nextLong(), random.nextLong());
        disks.get(directory)
                .run(
                        DiskExecutor.Lane.BLOCKING,
                        LogDirectory.setAside(name, suffix),
                        (moved, failure) -> rest.one(failure));
    }

    /** The last write of a clean stop. */
    void markClean(Callback<Void> done) {
        Countdown rest = new Countdown(disks.size(), done);
        for (DiskExecutor each : disks) {
            each.run(DiskExecutor.Lane.BLOCKING, LogDirectory.markClean(), (marked, failure) -> rest.one(failure));
        }
    }

    /** Why something failed in a log directory, and what to do where that is known. */
    static String explained(String path, Failure why) {
        return why.code() != FailureCode.DISK_FULL
                ? why.message()
                : why.message() + ". The disk of log directory " + path
                        + " is full: free some space on it, then start again; remove no files of the log directory";
    }

    static Failure offline(String path, Failure why) {
        return Failure.of(FailureCode.STORAGE_ERROR, "log directory " + path + " is offline: " + why.message());
    }
}
