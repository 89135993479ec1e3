package node;

import common.Callback;
import common.Failure;
import common.Ports;
import common.Timers;
import config.StorageConfig;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import replication.LateTransactions;
import replication.ReplicaShard.LogDirInfo;
import replication.ReplicaShard.PartitionSize;
import storage.DiskExecutor;
import storage.LogCleaner;
import storage.LogDirectory;
import storage.PartitionLog;
import storage.ProducerExpiry;

/** The log directories of one shard: periodic duties, description, checkpoints. Confined to the shard. */
final class ShardDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(ShardDirectories.class);
    private static final int PURGE_FILES = 200;
    private static final long LONGEST_HOUSEKEEPING_MILLIS = 10_000;
    private static final long LATE_CHECK_MILLIS = 60_000;
    private static final long DAMAGE_CHECK_MILLIS = 5_000;

    private final Ports ports;
    private final StorageConfig config;
    private final List<ShardDirectory> directories;
    private final List<ShardDirectory> alsoReported;
    private final LogCleaner cleaner;
    private final LateTransactions late;
    private final ProducerExpiry expiry;
    private final List<Timers.Handle> duties = new ArrayList<>();

    /** @param alsoReported used by another owner of the same loop, who leaves the periodic reports to this one */
    ShardDirectories(
            Ports ports,
            StorageConfig config,
            List<ShardDirectory> directories,
            List<ShardDirectory> alsoReported,
            LogCleaner cleaner,
            LateTransactions late,
            ProducerExpiry expiry) {
        this.ports = ports;
        this.config = config;
        this.directories = directories;
        this.alsoReported = alsoReported;
        this.cleaner = cleaner;
        this.late = late;
        this.expiry = expiry;
    }

    void startDuties(PartitionTable partitions) {
        long often = Math.min(config.retentionCheckMillis(), config.flushCheckMillis());
        long first = config.firstDutyMillis();
        long period = Math.max(50, Math.min(often, LONGEST_HOUSEKEEPING_MILLIS));
        every(first, period, partitions::housekeep);
        long lagCheck = partitions.roles().lagCheckMillis();
        every(lagCheck, lagCheck, partitions::checkInSync);
        every(DAMAGE_CHECK_MILLIS, DAMAGE_CHECK_MILLIS, partitions::checkDamage);
        // A disk that was full at the start need not wait for the first of those (rule L6).
        every(period, period, () -> {
            partitions.logs().forEach(PartitionLog::retry);
            directories.forEach(ShardDirectory::checkPresence);
        });
        every(
                LATE_CHECK_MILLIS,
                LATE_CHECK_MILLIS,
                () -> late.check(partitions.leaders(), ports.clock().monotonicNanos()));
        long checkpoint = Math.min(config.recoveryCheckpointMillis(), config.startOffsetCheckpointMillis());
        every(
                first,
                Math.max(50, checkpoint),
                () -> reportAll((reported, failure) -> {
                    if (failure != null) {
                        LOG.warn("checkpoints were not written, the next restart may scan more: {}", failure.message());
                    }
                }));
        directories.forEach(this::purge);
        directories.forEach(ShardDirectory::startScrubbing);
        cleaner.start();
        expiry.start();
    }

    private void every(long first, long millis, Runnable duty) {
        int slot = duties.size();
        duties.add(ports.timers().after(first, () -> again(slot, millis, duty)));
    }

    private void again(int slot, long millis, Runnable duty) {
        duty.run();
        if (!duties.isEmpty()) {
            duties.set(slot, ports.timers().after(millis, () -> again(slot, millis, duty)));
        }
    }

    /** Unlinks what earlier deletions left, a little at a time. */
    private void purge(ShardDirectory directory) {
        if (directory.failure() != null) {
            return;
        }
        directory.disk().run(DiskExecutor.Lane.BLOCKING, LogDirectory.purgeDeleted(PURGE_FILES), (more, failure) -> {
            if (failure == null && more) {
                purge(directory);
            }
        });
    }

    /** Rule S3: a sync of log directory {@code index} failed. */
    void goOffline(int index, Failure why) {
        directories.get(index).context().goOffline(why);
    }

    void stopDuties() {
        duties.forEach(Timers.Handle::cancel);
        duties.clear();
        cleaner.stop();
        expiry.stop();
        directories.forEach(ShardDirectory::stopDuties);
        alsoReported.forEach(ShardDirectory::stopDuties);
    }

    /** Has the checkpoints of the directories that work written. */
    void reportAll(Callback<Void> done) {
        List<ShardDirectory> working = new ArrayList<>(directories);
        working.addAll(alsoReported);
        working.removeIf(each -> each.failure() != null);
        Countdown rest = new Countdown(working.size() + 1, done);
        for (ShardDirectory each : working) {
            each.report((reported, failure) -> rest.one(failure));
        }
        rest.one(null);
    }

    /** The last report of a stop; fails if a directory went offline meanwhile, since no clean mark may say that all of it is durable. */
    void reportLast(Callback<Void> done) {
        Failure offline = null;
        for (ShardDirectory each : directories) {
            offline = each.failure() != null && !each.unread() ? each.failure() : offline;
        }
        Failure first = offline;
        reportAll((reported, failure) -> done.done(null, first != null ? first : failure));
    }

    void describe(PartitionTable partitions, Callback<List<LogDirInfo>> done) {
        Answers<LogDirInfo> answers = new Answers<>(directories.size(), done);
        for (int i = 0; i < directories.size(); i++) {
            ShardDirectory directory = directories.get(i);
            List<PartitionSize> sizes = new ArrayList<>();
            for (OpenPartition each : partitions.all()) {
                if (each.directory() == directory) {
                    // As in Apache Kafka the lag is that behind the high watermark that this node knows: none.
                    sizes.add(new PartitionSize(
                            each.id(),
                            each.log().identity().topic(),
                            directory.path(),
                            each.log().sizeBytes(),
                            0));
                }
            }
            int slot = i;
            directory
                    .disk()
                    .run(
                            DiskExecutor.Lane.BLOCKING,
                            files -> new long[] {files.totalBytes(), files.usableBytes()},
                            (space, failure) -> answers.put(slot, info(directory, space, failure, sizes)));
        }
    }

    private static LogDirInfo info(ShardDirectory directory, long[] space, Failure failure, List<PartitionSize> sizes) {
        Failure why = directory.failure() != null ? directory.failure() : failure;
        return why == null
                ? new LogDirInfo(directory.path(), null, space[0], space[1], sizes)
                : new LogDirInfo(directory.path(), why, -1, -1, List.of());
    }
}
