package node;

import common.Callback;
import common.Failure;
import common.Mailboxes;
import common.OwnerId;
import common.Ports;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import records.BatchValidator;
import replication.Admission;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogDirectory.Checkpoint;
import storage.LogDirectory.FoundPartition;
import storage.LogHost;
import storage.LogLimits;
import storage.LogStart;
import storage.PartitionLog;

/** One log directory as one shard uses it: the logs in it, what was found there at the start, and its checkpoints. Confined to the shard. */
final class ShardDirectory implements LogHost {
    /** A checkpoint is written by the keeper on another loop; its disk may be slow. */
    private static final long REPORT_TIMEOUT_MILLIS = 120_000;

    private final int index;
    private final int reporter;
    private final String path;
    private final DiskExecutor disk;
    private final Mailboxes mailboxes;
    private final LogContext context;
    private final Offline offline;
    private final Admission.Validators validators = new Admission.Validators(new BatchValidator(), new BatchValidator());
    private final Map<String, FoundPartition> found = new LinkedHashMap<>();
    private final Map<String, PartitionLog> open = new LinkedHashMap<>();
    private final Map<PartitionLog, Long> risingStarts = new LinkedHashMap<>();
    private List<Callback<Void>> waitingForStarts = new ArrayList<>();
    private boolean reporting;
    private Failure failure;

    /** Told once when the directory goes offline (rule S3). */
    @FunctionalInterface
    interface Offline {
        void offline(ShardDirectory directory, Failure why);
    }

    /** Which directory (index in log.dirs) for which reporter (shard, or -1 for the controller). */
    record Place(int index, int reporter, String path) {}

    ShardDirectory(Place place, Ports ports, DiskExecutor disk, LogLimits limits, Offline offline) {
        this.index = place.index;
        this.reporter = place.reporter;
        this.path = place.path;
        this.disk = disk;
        this.mailboxes = ports.mailboxes();
        this.offline = offline;
        this.context = new LogContext(ports, disk, this, limits);
    }

    int index() {
        return index;
    }

    String path() {
        return path;
    }

    DiskExecutor disk() {
        return disk;
    }

    /** Scratch space of the checks of batches for this directory: its CPU worker is a thread of its own. */
    Admission.Validators validators() {
        return validators;
    }

    LogContext context() {
        return context;
    }

    /** Null while the directory works. */
    Failure failure() {
        return failure;
    }

    /** What the start found of this shard's partitions; taken by {@link #takeFound}. */
    void foundAtStart(FoundPartition partition) {
        found.put(partition.identity().directory(), partition);
    }

    /** Null when the partition has no directory here, or has been opened already. */
    FoundPartition takeFound(String directory) {
        return found.remove(directory);
    }

    boolean holds(String directory) {
        return found.containsKey(directory);
    }

    int logCount() {
        return open.size();
    }

    List<PartitionLog> logs() {
        return List.copyOf(open.values());
    }

    void opened(PartitionLog log) {
        open.put(log.identity().directory(), log);
    }

    void closed(PartitionLog log) {
        open.remove(log.identity().directory());
        risingStarts.remove(log);
    }

    @Override
    public void directoryOffline(Failure why) {
        if (failure == null) {
            failure = why;
            offline.offline(this, why);
        }
    }

    @Override
    public void persistLogStart(PartitionLog log, long newStart, Callback<Void> persisted) {
        risingStarts.merge(log, newStart, Math::max);
        waitingForStarts.add(persisted);
        if (!reporting) {
            reportStarts();
        }
    }

    private void reportStarts() {
        reporting = true;
        List<Callback<Void>> served = waitingForStarts;
        waitingForStarts = new ArrayList<>();
        Map<PartitionLog, Long> carried = new LinkedHashMap<>(risingStarts);
        report((done, why) -> {
            reporting = false;
            carried.forEach(risingStarts::remove);
            served.forEach(each -> each.done(null, why));
            if (!waitingForStarts.isEmpty()) {
                reportStarts();
            }
        });
    }

    /** Has the checkpoints of this shard's partitions written, if they say anything new. */
    void report(Callback<Void> done) {
        List<Checkpoint> all = new ArrayList<>(open.size() + found.size());
        for (PartitionLog log : open.values()) {
            long start = Math.max(log.logStartOffset(), risingStarts.getOrDefault(log, 0L));
            all.add(new Checkpoint(
                    log.identity().topic(), log.identity().partition(), log.recoveryPoint(), start, log.highWatermark()));
        }
        for (FoundPartition each : found.values()) {
            LogStart known = each.start();
            all.add(new Checkpoint(
                    each.identity().topic(),
                    each.identity().partition(),
                    known.recoveryPoint(),
                    known.logStartOffset(),
                    known.highWatermark()));
        }
        OwnerId<CheckpointKeeper> keeper = new OwnerId<>(CheckpointKeeper.class, index);
        mailboxes.call(keeper, (owner, reply) -> owner.report(reporter, all, reply), REPORT_TIMEOUT_MILLIS, done);
    }
}
