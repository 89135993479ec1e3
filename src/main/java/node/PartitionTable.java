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
import java.util.List;
import java.util.Map;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.TopicImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import replication.Admission;
import replication.LeaderReplica;
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

    private final Ports ports;
    private final int nodeId;
    private final List<ShardDirectory> directories;
    private final Map<PartitionId, LeaderReplica> replicas = new LinkedHashMap<>();
    private final Map<PartitionId, Failure> failed = new LinkedHashMap<>();
    private final Map<PartitionLog, ShardDirectory> places = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> waitingToOpen = new ArrayDeque<>();
    private int opening;

    PartitionTable(Ports ports, int nodeId, List<ShardDirectory> directories) {
        this.ports = ports;
        this.nodeId = nodeId;
        this.directories = directories;
    }

    /** Null when the partition is not here; see {@link #failureOf}. */
    LeaderReplica get(PartitionId partition) {
        return replicas.get(partition);
    }

    /** Why a partition that is not here cannot be served. */
    Failure failureOf(PartitionId partition) {
        Failure why = failed.get(partition);
        return why != null ? why : StorageShard.UNKNOWN;
    }

    List<LeaderReplica> all() {
        return List.copyOf(replicas.values());
    }

    /** Where a log lies. */
    ShardDirectory directoryOf(LeaderReplica replica) {
        return places.get(replica.log());
    }

    /** Opens the partition, or makes it where it does not exist; {@code done} when it serves or has failed, never with a failure. */
    void open(TopicImage topic, PartitionImage partition, LogConfig config, Callback<Void> done) {
        waitingToOpen.add(() -> openNow(topic, partition, config, done));
        openWaiting();
    }

    private void openWaiting() {
        while (opening < OPENING && !waitingToOpen.isEmpty()) {
            opening++;
            waitingToOpen.poll().run();
        }
    }

    private void openNow(TopicImage topic, PartitionImage partition, LogConfig config, Callback<Void> done) {
        LogIdentity identity = new LogIdentity(topic.name(), partition.partition(), topic.id().toString());
        PartitionId id = new PartitionId(topic.id(), partition.partition());
        ShardDirectory directory = place(identity);
        if (directory == null) {
            failed.put(id, Failure.of(FailureCode.STORAGE_ERROR, "all log directories are offline"));
            opened(done);
            return;
        }
        FoundPartition found = directory.takeFound(identity.directory());
        LogStart start = found == null ? LogStart.NEW : found.start();
        directory.context().open(identity, config, start, (log, failure) -> {
            if (failure != null) {
                LOG.error("partition {} in {} cannot be opened and is not served: {}", identity.directory(), directory.path(), failure.message());
                failed.put(id, Failure.of(FailureCode.STORAGE_ERROR, failure.message()));
                opened(done);
                return;
            }
            directory.opened(log);
            places.put(log, directory);
            Admission admission = new Admission(directory.disk(), ports.clock(), directory.validators());
            LeaderReplica replica = new LeaderReplica(log, admission, nodeId, partition.leaderEpoch());
            replicas.put(id, replica);
            replica.lead(partition.leaderEpoch(), (led, why) -> opened(done));
        });
    }

    private void opened(Callback<Void> done) {
        opening--;
        done.succeed(null);
        openWaiting();
    }

    /** Where the partition lies, else the working directory with the fewest logs; null when none works. */
    private ShardDirectory place(LogIdentity identity) {
        ShardDirectory least = null;
        for (ShardDirectory each : directories) {
            if (each.holds(identity.directory())) {
                return each;
            }
            if (each.failure() == null && (least == null || each.logCount() < least.logCount())) {
                least = each;
            }
        }
        return least;
    }

    /** A changed topic's partition: its settings and, if it changed, its leader epoch. */
    void update(PartitionId id, PartitionImage partition, LogConfig config) {
        LeaderReplica replica = replicas.get(id);
        if (replica == null) {
            return;
        }
        replica.configure(config);
        if (partition.leaderEpoch() > replica.leaderEpoch()) {
            replica.lead(partition.leaderEpoch(), (led, failure) -> {});
        }
    }

    /** Its topic is gone: nothing is served any more; the files go in the background. */
    void delete(PartitionId id, Callback<Void> done) {
        failed.remove(id);
        LeaderReplica replica = replicas.remove(id);
        if (replica == null) {
            done.succeed(null);
            return;
        }
        replica.resign();
        PartitionLog log = replica.log();
        ShardDirectory directory = places.remove(log);
        log.delete((deleted, failure) -> {
            directory.closed(log);
            if (failure != null) {
                LOG.warn("the files of deleted partition {} in {} remain: {}", log.identity().directory(), directory.path(), failure.message());
            }
            done.succeed(null);
        });
    }

    /** A clean stop: every log is made durable and closed; fails with the first failure, after all were tried (rule S6). */
    void closeAll(Callback<Void> done) {
        List<LeaderReplica> all = new ArrayList<>(replicas.values());
        replicas.clear();
        all.forEach(LeaderReplica::resign);
        Countdown rest = new Countdown(all.size(), done);
        for (LeaderReplica each : all) {
            waitingToOpen.add(() -> each.log().close((closed, failure) -> {
                opening--;
                rest.one(failure);
                openWaiting();
            }));
        }
        openWaiting();
    }
}
