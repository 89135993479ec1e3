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
                clusterId.fail(failure.code(), paths.get(index) + ": " + failure.message());
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

    /** A found partition, by directory (index in log.dirs) and with the id of its topic. */
    record Claimed(int directory, PartitionId id, FoundPartition found) {}

    /**
     * Partitions that the metadata knows; the others are set aside (renamed, never deleted: the metadata may be what is wrong) before {@code done}.
     */
    void claim(MetadataImage image, Callback<List<Claimed>> done) {
        List<Claimed> claimed = new ArrayList<>();
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
                    claimed.add(new Claimed(
                            directory,
                            new PartitionId(topic.id(), each.identity().partition()),
                            each));
                }
            }
        }
        Countdown rest = new Countdown(
                strays.size() + 1, (ended, failure) -> done.done(failure == null ? claimed : null, failure));
        strays.forEach((stray, directory) -> setAside(stray, directory, rest));
        rest.one(null);
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

    static Failure offline(String path, Failure why) {
        return Failure.of(FailureCode.STORAGE_ERROR, "log directory " + path + " is offline: " + why.message());
    }
}
