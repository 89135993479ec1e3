package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.RandomSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import metadata.DirectoryId;
import metadata.MetadataImage;
import metadata.MetadataImage.TopicImage;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import storage.DiskExecutor;
import storage.DiskJob;
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
    private static final String CHECK =
            "see that it is there, that this user may read and write it, and that its disk is well";
    private static final Logger LOG = LoggerFactory.getLogger(LogDirectories.class);

    private final List<String> paths;
    private final List<DiskExecutor> disks;
    private final int metadata;
    private final RandomSource random;
    /** By index; null: not opened. */
    private final Opened[] opened;

    private final Failure[] broken;

    /** @param metadata index of the one that holds the metadata */
    LogDirectories(List<String> paths, List<DiskExecutor> disks, int metadata, RandomSource random) {
        this.paths = paths;
        this.disks = disks;
        this.metadata = metadata;
        this.random = random;
        this.opened = new Opened[paths.size()];
        this.broken = new Failure[paths.size()];
    }

    /**
     * Opens them one after another, that of the metadata first. All must be of the cluster that {@code request} names, or else it, or, while it is empty, the first one with an id. One that
     * cannot be read or written is offline from now on, as in Kafka, but not the one of the metadata; one that refuses (rule S12), and a full disk, end the start.
     * So does one that cannot be read or written beside one of the metadata that holds none: it may hold what another metadata log speaks of.
     */
    void open(LogDirectory.OpenRequest request, Callback<String> clusterId) {
        findClusterId(0, (known, failure) -> {
            if (failure != null) {
                clusterId.fail(failure);
                return;
            }
            String expected = request.clusterId() != null ? request.clusterId() : known;
            LogDirectory.OpenRequest wanted = new LogDirectory.OpenRequest(
                    request.nodeId(), expected, request.newClusterId(), null, request.mutations());
            openFrom(0, wanted, clusterId);
        });
    }

    /** That of the metadata, then the others as they are named. */
    private int inOrder(int step) {
        if (step == 0) {
            return metadata;
        }
        return step <= metadata ? step - 1 : step;
    }

    /** Before any is formatted: an empty one must not say which cluster this is. */
    private void findClusterId(int step, Callback<String> found) {
        if (step == paths.size()) {
            found.succeed(null);
            return;
        }
        int index = inOrder(step);
        disks.get(index).run(DiskExecutor.Lane.BLOCKING, clusterIdOf(), (id, failure) -> {
            if (id != null || (failure != null && index == metadata)) {
                // That of the metadata is opened next, and says itself why it cannot be.
                found.succeed(id);
            } else if (failure != null && isDisk(failure)) {
                found.fail(beginsAnew(index, failure));
            } else {
                findClusterId(step + 1, found);
            }
        });
    }

    /** A directory that cannot be read at all does not pass for an empty one. */
    private static DiskJob<String> clusterIdOf() {
        return files -> {
            files.list("");
            return LogDirectory.clusterId().run(files);
        };
    }

    private Failure beginsAnew(int index, Failure why) {
        return Failure.of(
                FailureCode.STORAGE_ERROR,
                "log directory " + paths.get(index) + " cannot be used: " + why.message() + ". " + paths.get(metadata)
                        + " holds no metadata yet, so a new cluster would begin beside what may lie there: mend it, or take it out of log.dirs, then start again");
    }

    private void openFrom(int step, LogDirectory.OpenRequest wanted, Callback<String> clusterId) {
        if (step == paths.size()) {
            endOpening(clusterId);
            return;
        }
        int index = inOrder(step);
        LogDirectory.OpenRequest mine = new LogDirectory.OpenRequest(
                wanted.nodeId(),
                wanted.clusterId(),
                wanted.newClusterId(),
                randomUuid().toString(),
                wanted.mutations());
        disks.get(index).run(DiskExecutor.Lane.BLOCKING, LogDirectory.open(mine), (result, failure) -> {
            if (failure != null && !isBroken(index, failure)) {
                clusterId.fail(failure.code(), refusal(index, failure));
                return;
            }
            opened[index] = result;
            broken[index] = failure;
            LogDirectory.OpenRequest next = result == null || wanted.clusterId() != null
                    ? wanted
                    : new LogDirectory.OpenRequest(
                            wanted.nodeId(), result.clusterId(), wanted.newClusterId(), null, wanted.mutations());
            openFrom(step + 1, next, clusterId);
        });
    }

    /** The node has learned which cluster it is of. */
    void join(String clusterId, Callback<Void> done) {
        Countdown rest = new Countdown(opened().size(), done);
        for (int i = 0; i < opened.length; i++) {
            if (opened[i] != null) {
                disks.get(i)
                        .run(
                                DiskExecutor.Lane.BLOCKING,
                                LogDirectory.join(clusterId),
                                (joined, failure) -> rest.one(failure));
            }
        }
    }

    private void endOpening(Callback<String> clusterId) {
        for (int i = 0; i < broken.length; i++) {
            if (broken[i] != null && metadataLog() == null) {
                clusterId.fail(beginsAnew(i, broken[i]));
                return;
            }
        }
        Failure confused = confused();
        if (confused != null) {
            clusterId.done(null, confused);
            return;
        }
        clusterId.succeed(opened[metadata].clusterId());
    }

    /** Two directories of one id (rule S12): it could not say which of them holds a partition. Or the metadata lies elsewhere than it is looked for. Null: all is well. */
    private Failure confused() {
        Map<String, Integer> byId = new LinkedHashMap<>();
        for (int i = 0; i < opened.length; i++) {
            Integer other = opened[i] == null ? null : byId.putIfAbsent(opened[i].directoryId(), i);
            if (other != null) {
                return Failure.of(
                        FailureCode.DIRECTORY_REFUSED,
                        "log directories " + paths.get(other) + " and " + paths.get(i) + " have the same directory.id "
                                + opened[i].directoryId()
                                + ": one is a copy of the other. Take the copy out of log.dirs, or give an empty directory instead");
            }
            if (opened[i] != null && metadataLog() == null && metadataLogIn(i) != null) {
                return Failure.of(
                        FailureCode.DIRECTORY_REFUSED,
                        "the metadata log is in " + paths.get(i) + ", but this node looks for it in "
                                + paths.get(metadata) + ": set metadata.log.dir=" + paths.get(i)
                                + ", or name it first in log.dirs");
            }
        }
        return null;
    }

    private static boolean isDisk(Failure failure) {
        return failure.code() == FailureCode.STORAGE_ERROR || failure.code() == FailureCode.SYNC_FAILED;
    }

    private String refusal(int index, Failure failure) {
        String path = paths.get(index);
        String why = path + ": " + explained(path, failure);
        String needed = paths.size() == 1 ? "" : ". It holds the metadata, without which this node cannot start";
        return isDisk(failure) ? why + needed + ": " + CHECK + ", then start again" : why;
    }

    private boolean isBroken(int index, Failure failure) {
        if (!isDisk(failure) || index == metadata) {
            return false;
        }
        LOG.error(
                "log directory {} cannot be used: {}. It is offline, and what lies in it is not served: {}, then restart",
                paths.get(index),
                failure.message(),
                CHECK);
        return true;
    }

    /** Why the directory could not be opened; null: it was. */
    Failure broken(int index) {
        return broken[index] == null ? null : offline(paths.get(index), broken[index]);
    }

    Uuid randomUuid() {
        Uuid id;
        do {
            id = new Uuid(random.nextLong(), random.nextLong());
        } while (id.toString().startsWith("-") || Uuid.RESERVED.contains(id) || DirectoryId.isReserved(id));
        return id;
    }

    private List<Opened> opened() {
        return Arrays.stream(opened).filter(Objects::nonNull).toList();
    }

    /** Null: it could not be opened. */
    Uuid directoryId(int index) {
        return opened[index] == null ? null : Uuid.fromString(opened[index].directoryId());
    }

    /** Paths of those that could not be opened. */
    List<String> unread() {
        return IntStream.range(0, broken.length)
                .filter(i -> broken[i] != null)
                .mapToObj(paths::get)
                .toList();
    }

    /** Paths of those that were empty until this start; in words. */
    String foundEmpty() {
        String empty = IntStream.range(0, opened.length)
                .filter(i -> opened[i] != null && opened[i].formatted())
                .mapToObj(paths::get)
                .collect(Collectors.joining(", "));
        return empty.isEmpty() ? "none" : empty;
    }

    /** Ids of the directories that work, that of the metadata first. */
    List<Uuid> directoryIds() {
        List<Uuid> ids = new ArrayList<>();
        ids.add(directoryId(metadata));
        for (int i = 0; i < opened.length; i++) {
            if (i != metadata && opened[i] != null) {
                ids.add(directoryId(i));
            }
        }
        return ids;
    }

    /**
     * The epoch of the broker that left all directories cleanly: they hold all that it wrote. -1: some may not (rule C3), or nobody has used them yet.
     *
     * @param last the broker's last epoch as far as is known: that of marks which name none, as those of earlier Highwaters
     */
    long cleanEpoch(long last) {
        long epoch = -1;
        for (Opened each : opened) {
            if (each == null || !(each.cleanStop() || each.formatted())) {
                return -1;
            }
            if (each.cleanStop()) {
                long told = each.cleanEpoch() < 0 ? last : each.cleanEpoch();
                if (epoch >= 0 && told != epoch) {
                    return -1;
                }
                epoch = told;
            }
        }
        return epoch;
    }

    /** Directory of the metadata log; null when it is new. */
    FoundPartition metadataLog() {
        return metadataLogIn(metadata);
    }

    private FoundPartition metadataLogIn(int index) {
        for (FoundPartition each : opened[index].partitions()) {
            if (each.identity().directory().equals(METADATA_DIRECTORY)) {
                return each;
            }
        }
        return null;
    }

    /** Partition directories in all log directories, the metadata log's not counted. */
    int foundPartitions() {
        int count = 0;
        for (Opened each : opened()) {
            for (FoundPartition found : each.partitions()) {
                count += found.identity().directory().equals(METADATA_DIRECTORY) ? 0 : 1;
            }
        }
        return count;
    }

    /** A found partition, by directory (index in log.dirs) and with the id of its topic. */
    record Claimed(int directory, PartitionId id, FoundPartition found) {}

    /**
     * Partitions that the metadata knows; the others are set aside (renamed, never deleted: the metadata may be what is wrong) before {@code done}. When a
     * partition lies in two directories the lesser of them is set aside, too. Fails, and touches nothing, when both may be it: nobody here can tell which is the
     * newer one.
     */
    void claim(MetadataImage image, Callback<List<Claimed>> done) {
        Map<PartitionId, Claimed> claimed = new LinkedHashMap<>();
        Map<FoundPartition, Integer> strays = new LinkedHashMap<>();
        for (int directory = 0; directory < opened.length; directory++) {
            List<FoundPartition> found = opened[directory] == null ? List.of() : opened[directory].partitions();
            for (FoundPartition each : found) {
                if (each.identity().directory().equals(METADATA_DIRECTORY)) {
                    continue;
                }
                TopicImage topic = topicOf(image, each.identity());
                if (topic == null
                        || each.identity().partition() >= topic.partitions().size()) {
                    strays.put(each, directory);
                    continue;
                }
                PartitionId id = new PartitionId(topic.id(), each.identity().partition());
                Claimed mine = new Claimed(directory, id, each);
                Claimed other = claimed.putIfAbsent(id, mine);
                Claimed stray = other == null ? null : lesser(mine, other);
                if (other != null && stray == null) {
                    done.fail(twice(each.identity().directory(), paths.get(other.directory), paths.get(directory)));
                    return;
                }
                if (stray != null) {
                    claimed.put(id, stray.equals(mine) ? other : mine);
                    strays.put(stray.found, stray.directory);
                }
            }
        }
        Countdown rest = new Countdown(
                strays.size() + 1,
                (ended, failure) -> done.done(failure == null ? List.copyOf(claimed.values()) : null, failure));
        strays.forEach((stray, directory) -> setAside(stray, directory, rest));
        rest.one(null);
    }

    /**
     * The one of two directories of one partition that says less: nothing (neither whose it is, nor a segment), or not whose it is. It is what remains of an earlier
     * topic of the name, which was deleted while the log directory was offline. Null: both may be it.
     */
    private static Claimed lesser(Claimed one, Claimed other) {
        int difference = said(one.found) - said(other.found);
        if (difference == 0) {
            return one.found.bare() ? one : null;
        }
        return difference < 0 ? one : other;
    }

    private static int said(FoundPartition found) {
        return found.bare() ? 0 : found.identity().topicId() == null ? 1 : 2;
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
        if (opened[directory] == null) {
            return Set.of();
        }
        Set<String> names = new LinkedHashSet<>(opened[directory].checkpointed());
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
                "partition directory {} in {} belongs to no topic of this cluster, or does not say to which while another directory does: it is renamed to"
                        + " {}.<id>-stray and not served; remove it when you are sure that it is not needed",
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

    /** The last write of a clean stop of the broker with that epoch. */
    void markClean(long brokerEpoch, Callback<Void> done) {
        Countdown rest = new Countdown(opened().size(), done);
        for (int i = 0; i < opened.length; i++) {
            if (opened[i] != null) {
                disks.get(i)
                        .run(
                                DiskExecutor.Lane.BLOCKING,
                                LogDirectory.markClean(brokerEpoch),
                                (marked, failure) -> rest.one(failure));
            }
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
