package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.PartitionId;
import common.Ports;
import config.LogConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import node.UnopenedPartitions.Opening;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import replication.LeaderReplica;
import replication.ReadableReplica;
import replication.ReplicaShard.Reader;
import storage.DiskExecutor;
import storage.LogDirectory;
import storage.LogDirectory.FoundPartition;
import storage.LogIdentity;
import storage.LogStart;
import storage.PartitionLog;

/**
 * The partitions of one shard: opens, configures, closes and deletes them as the metadata says. At most {@link #OPENING} logs are opened at once, so that the
 * recovery of thousands does not fill the disk queue. Confined to the shard.
 */
final class PartitionTable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionTable.class);
    private static final int OPENING = 64;
    private static final long FIRST_RETRY_MILLIS = 2_000;
    private static final long MAX_RETRY_MILLIS = 300_000;

    private final Ports ports;
    private final int nodeId;
    private final List<ShardDirectory> directories;
    private final ShardSettings settings;
    private final PartitionRoles roles;
    private final DamagedReplicas damaged;
    private final Map<PartitionId, OpenPartition> partitions = new LinkedHashMap<>();
    /** This node is no replica of theirs any more: they are about to be deleted. */
    private final Set<PartitionId> leaving = new LinkedHashSet<>();
    /** Their directory does not work. */
    private final Map<PartitionId, Failure> homeless = new LinkedHashMap<>();

    private final UnopenedPartitions unopened;
    private final ArrayDeque<Runnable> waitingToOpen = new ArrayDeque<>();
    /** The topic of the partition that was opened last, also as text: partitions of one topic come together, and share that. */
    private Uuid openedLast;

    private String openedLastText;
    private int opening;
    private boolean starting;

    PartitionTable(
            Ports ports, int nodeId, List<ShardDirectory> directories, ShardSettings settings, PartitionRoles roles) {
        this.ports = ports;
        this.nodeId = nodeId;
        this.directories = directories;
        this.settings = settings;
        this.roles = roles;
        this.damaged = new DamagedReplicas(ports.mailboxes(), nodeId);
        this.unopened = new UnopenedPartitions(ports, this::reopen);
    }

    PartitionRoles roles() {
        return roles;
    }

    /** Null when this node does not lead the partition; see {@link #failureOf}. */
    LeaderReplica get(PartitionId partition) {
        OpenPartition open = partitions.get(partition);
        return open == null ? null : open.leader;
    }

    /** Null when the partition does not follow another node here. */
    FollowedReplica followed(PartitionId partition) {
        OpenPartition open = partitions.get(partition);
        return open == null ? null : open.followed;
    }

    /** The replica that {@code reader} may read here; null: none, see {@link #failureOf}. */
    ReadableReplica readable(PartitionId partition, Reader reader) {
        OpenPartition open = partitions.get(partition);
        if (open == null || open.leader != null) {
            return open == null ? null : open.leader;
        }
        return reader.rack() == null || open.followed == null ? null : open.followed.readable();
    }

    /** Why a request for a partition that is not led here is refused. */
    Failure failureOf(PartitionId partition) {
        return failureOf(partition, -1);
    }

    /** Why a request of this leader epoch (-1: of any) for a partition that is not led here is refused. */
    Failure failureOf(PartitionId partition, int currentLeaderEpoch) {
        Failure why = unopened.failureOf(partition);
        if (why == null) {
            why = homeless.get(partition);
        }
        return why != null ? why : roles.refusal(partition, currentLeaderEpoch);
    }

    /** True if the partition's directory does not work: it stays so until the next start. */
    boolean isOffline(PartitionId partition) {
        OpenPartition open = partitions.get(partition);
        return open == null ? homeless.containsKey(partition) : open.directory().failure() != null;
    }

    /** It could not be opened where it was said to lie: where it is said to lie now it may. */
    boolean isHomeless(PartitionId partition) {
        return homeless.containsKey(partition);
    }

    /** How many replicas of this shard lie in directories that do not work. */
    int offline() {
        int count = homeless.size();
        if (directories.stream().anyMatch(each -> each.failure() != null)) {
            for (OpenPartition each : partitions.values()) {
                count += each.directory().failure() != null ? 1 : 0;
            }
        }
        return count;
    }

    long wallMillis() {
        return ports.clock().wallMillis();
    }

    List<OpenPartition> all() {
        return List.copyOf(partitions.values());
    }

    List<LeaderReplica> leaders() {
        List<LeaderReplica> all = new ArrayList<>();
        for (OpenPartition each : partitions.values()) {
            if (each.leader != null) {
                all.add(each.leader);
            }
        }
        return all;
    }

    List<PartitionLog> logs() {
        List<PartitionLog> all = new ArrayList<>(partitions.size());
        for (OpenPartition each : partitions.values()) {
            all.add(each.log());
        }
        return all;
    }

    /** Where the log of a partition that is open lies. */
    ShardDirectory directoryOf(PartitionId partition) {
        return partitions.get(partition).directory();
    }

    /** Periodic duty. */
    void housekeep() {
        long wallMillis = wallMillis();
        for (OpenPartition each : all()) {
            if (each.leader != null) {
                each.leader.housekeep(wallMillis);
            } else {
                each.log().housekeep(wallMillis);
            }
        }
    }

    /** Periodic duty: see {@link LeaderReplica#check}. */
    void checkInSync() {
        leaders().forEach(LeaderReplica::check);
    }

    /** Periodic duty: see {@link DamagedReplicas}. */
    void checkDamage() {
        damaged.check(partitions.values(), roles);
    }

    /** A log directory went offline: what lies in it follows nobody any more. */
    void directoryOffline() {
        all().forEach(roles::assign);
    }

    /**
     * Opens the partition, or makes it where it does not exist; {@code done} when it serves or has failed, never with a failure. What failed is tried again
     * in the background; what lies in a directory that does not work is not served until the next start.
     */
    void open(TopicImage topic, PartitionImage partition, LogConfig config, Callback<Void> done) {
        waitingToOpen.add(() -> openNow(topic, partition, config, done));
        openWaiting();
    }

    private void openWaiting() {
        if (starting) {
            // Called from within the loop below: what ends at once must not go on inside of its own stack.
            return;
        }
        starting = true;
        while (opening < OPENING && !waitingToOpen.isEmpty()) {
            opening++;
            waitingToOpen.poll().run();
        }
        starting = false;
    }

    private String textOf(Uuid topic) {
        if (!topic.equals(openedLast)) {
            openedLast = topic;
            openedLastText = topic.toString();
        }
        return openedLastText;
    }

    private void openNow(TopicImage topic, PartitionImage partition, LogConfig config, Callback<Void> done) {
        PartitionId id = new PartitionId(topic.id(), partition.partition());
        if (partitions.containsKey(id)) {
            opened(done);
            return;
        }
        homeless.remove(id);
        LogIdentity identity = new LogIdentity(topic.name(), partition.partition(), textOf(topic.id()));
        PartitionImage latest = roles.state(id);
        ShardDirectory directory = place(identity, (latest == null ? partition : latest).directory(nodeId));
        Failure nowhere = directory == null ? unread() : directory.failure();
        if (nowhere != null) {
            homeless.put(id, nowhere);
            opened(done);
            return;
        }
        FoundPartition found = directory.takeFound(identity.directory());
        LogStart start = found == null ? LogStart.NEW : found.start();
        Opening opening = new Opening(id, directory, identity, start, config);
        if (found == null) {
            directory.freeName(identity.directory(), () -> openFirst(opening, done));
        } else {
            identified(found, identity, directory, () -> openFirst(opening, done));
        }
    }

    private void openFirst(Opening opening, Callback<Void> done) {
        openLog(opening, (none, failure) -> {
            if (failure != null) {
                unopened.failed(opening, failure);
            }
            opened(done);
        });
    }

    private void reopen(Opening opening, Callback<Void> done) {
        waitingToOpen.add(() -> openLog(opening, (none, failure) -> {
            this.opening--;
            done.done(null, failure);
            openWaiting();
        }));
        openWaiting();
    }

    /** A directory that does not say whose it is says it from now on: else a later topic of the name might take it for its own (rule C7). */
    private static void identified(
            FoundPartition found, LogIdentity identity, ShardDirectory directory, Runnable then) {
        if (found.identity().topicId() != null) {
            then.run();
            return;
        }
        directory.disk().run(DiskExecutor.Lane.BLOCKING, LogDirectory.identify(identity), (written, failure) -> {
            if (failure == null) {
                LOG.warn(
                        "{}/{} had lost its partition.metadata: it is taken for topic id {} of this name",
                        directory.path(),
                        identity.directory(),
                        identity.topicId());
            } else {
                LOG.warn(
                        "{}/{} has lost its partition.metadata, which cannot be written: {}; free space or mend the disk, and restart before the topic is deleted",
                        directory.path(),
                        identity.directory(),
                        failure.message());
                if (failure.code() == FailureCode.SYNC_FAILED) {
                    directory.context().goOffline(failure);
                }
            }
            then.run();
        });
    }

    private void openLog(Opening opening, Callback<Void> done) {
        ShardDirectory directory = opening.directory();
        directory.context().open(opening.identity(), opening.config(), opening.start(), (log, failure) -> {
            if (failure != null) {
                done.fail(failure);
                return;
            }
            directory.opened(log);
            OpenPartition open = new OpenPartition(opening.id(), log, directory);
            open.leaving = leaving.contains(opening.id());
            partitions.put(opening.id(), open);
            update(open);
            done.succeed(null);
        });
    }

    private void opened(Callback<Void> done) {
        opening--;
        done.succeed(null);
        openWaiting();
    }

    /** Why a partition of a directory that is none of those opened is not made anew: it lies in one that could not be read (rule I11). */
    private Failure unread() {
        for (ShardDirectory each : directories) {
            if (each.unread()) {
                return each.failure();
            }
        }
        return Failure.of(
                FailureCode.STORAGE_ERROR,
                "the metadata names a log directory that this broker does not have; restart it to have the partition in another one");
    }

    /** Where the partition was found, else where the metadata says; null when that is none of the directories that were opened. */
    private ShardDirectory place(LogIdentity identity, Uuid told) {
        ShardDirectory named = null;
        for (ShardDirectory each : directories) {
            if (each.holds(identity.directory())) {
                return each;
            }
            named = each.is(told) ? each : named;
        }
        return named;
    }

    /** The newest metadata says something else of the partition. Nothing for one that is not open: it gets what holds when it is. */
    void update(PartitionId id) {
        OpenPartition open = partitions.get(id);
        if (open != null) {
            update(open);
        }
    }

    private void update(OpenPartition open) {
        TopicImage topic = roles.image().topic(open.id().topicId());
        if (topic != null) {
            open.log().updateConfig(settings.log(roles.image(), topic));
        }
        roles.assign(open);
    }

    /** This node is no replica of the partition any more, or its topic is gone: it has no role from now on, {@link #delete} comes. */
    void leave(PartitionId id) {
        leaving.add(id);
        OpenPartition open = partitions.get(id);
        if (open != null) {
            roles.leave(open);
        }
    }

    /** After {@link #leave}: the files go, in the background. */
    void delete(PartitionId id, Callback<Void> done) {
        homeless.remove(id);
        unopened.withdraw(id, opening -> {
            leaving.remove(id);
            if (opening != null) {
                deleteUnopened(opening, done);
            } else {
                deleteOpen(id, done);
            }
        });
    }

    private void deleteOpen(PartitionId id, Callback<Void> done) {
        OpenPartition open = partitions.remove(id);
        if (open == null) {
            done.succeed(null);
            return;
        }
        PartitionLog log = open.log();
        ShardDirectory directory = open.directory();
        deleteFiles(new Deletion(log.identity().directory(), directory, log::delete, FIRST_RETRY_MILLIS), () -> {
            directory.closed(log);
            directory.forgotten(log.identity().directory(), () -> done.succeed(null));
        });
    }

    /** The files of a partition that is gone. */
    private record Deletion(String name, ShardDirectory directory, Consumer<Callback<Void>> attempt, long retryMillis) {
        Deletion later() {
            return new Deletion(name, directory, attempt, Math.min(2 * retryMillis, MAX_RETRY_MILLIS));
        }
    }

    /** {@code tried} after the first attempt; one that failed is repeated until it succeeds: a new topic of the name can take no records before. */
    private void deleteFiles(Deletion deletion, Runnable tried) {
        deletion.attempt.accept((deleted, failure) -> {
            if (failure != null) {
                boolean again = deletion.directory.failure() == null;
                LOG.warn(
                        "the files of deleted partition {} in {} remain{}: {}",
                        deletion.name,
                        deletion.directory.path(),
                        again ? "; tried again in " + deletion.retryMillis + " ms" : " until the next start",
                        failure.message());
                if (again) {
                    ports.timers().after(deletion.retryMillis, () -> deleteFiles(deletion.later(), () -> {}));
                }
            }
            tried.run();
        });
    }

    private void deleteUnopened(Opening opening, Callback<Void> done) {
        LogIdentity identity = opening.identity();
        String name = identity.directory();
        ShardDirectory directory = opening.directory();
        directory.forget(name);
        Consumer<Callback<Void>> attempt = tried -> {
            String suffix = String.format(
                    "%016x%016x", ports.random().nextLong(), ports.random().nextLong());
            directory.disk().run(DiskExecutor.Lane.BLOCKING, LogDirectory.markDeleted(identity, suffix), tried);
        };
        deleteFiles(
                new Deletion(name, directory, attempt, FIRST_RETRY_MILLIS),
                () -> directory.forgotten(name, () -> done.succeed(null)));
    }

    /** A clean stop: every log is made durable and closed; fails with the first failure, after all were tried (rule S6). */
    void closeAll(Callback<Void> done) {
        unopened.stop((none, failure) ->
                closeOpen((closed, unclosed) -> done.done(null, failure != null ? failure : unclosed)));
    }

    private void closeOpen(Callback<Void> done) {
        List<OpenPartition> all = all();
        partitions.clear();
        all.forEach(roles::leave);
        Countdown rest = new Countdown(all.size(), done);
        for (OpenPartition each : all) {
            waitingToOpen.add(() -> each.log().close((closed, failure) -> {
                opening--;
                rest.one(failure);
                openWaiting();
            }));
        }
        openWaiting();
    }
}
