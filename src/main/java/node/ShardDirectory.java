package node;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.OwnerId;
import common.Ports;
import common.Timers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchValidator;
import replication.Admission;
import storage.DiskExecutor;
import storage.LogContext;
import storage.LogDirectory;
import storage.LogDirectory.Checkpoint;
import storage.LogDirectory.FoundPartition;
import storage.LogHost;
import storage.LogLimits;
import storage.LogScrubber;
import storage.LogStart;
import storage.PartitionLog;

/** One log directory as one shard uses it: the logs in it, what was found there at the start, and its checkpoints. Confined to the shard. */
final class ShardDirectory implements LogHost {
    /** A checkpoint is written by the keeper on another loop; its disk may be slow. */
    static final long CHECKPOINT_DELAY_MILLIS = 5_000;

    private static final long REPORT_TIMEOUT_MILLIS = 120_000;

    private static final Logger LOG = LoggerFactory.getLogger(ShardDirectory.class);

    private final int index;
    private final int reporter;
    private final String path;
    private final Uuid id;
    private final DiskExecutor disk;
    private final Mailboxes mailboxes;
    private final Timers timers;
    private final LogContext context;
    private final Offline offline;
    private final int queuedBytes;
    private final Admission.Validators validators =
            new Admission.Validators(new BatchValidator(), new BatchValidator());
    private final Map<String, FoundPartition> found = new LinkedHashMap<>();
    /** Taken, but still being opened, or failed to open: their lines stay as they were. */
    private final Map<String, FoundPartition> notOpened = new LinkedHashMap<>();

    private final Map<String, PartitionLog> open = new LinkedHashMap<>();
    private final Map<PartitionLog, Long> risingStarts = new LinkedHashMap<>();
    /** Logs that are being cut, and to where. */
    private final Map<PartitionLog, Long> cuts = new LinkedHashMap<>();
    /** Names of partitions that the checkpoint files spoke of at the start and that are not here; empty once the files were written anew. */
    private final Set<String> staleNames = new LinkedHashSet<>();

    private List<Callback<Void>> waitingForStarts = new ArrayList<>();
    private boolean reporting;
    private Timers.Handle checkpoint;
    private final LogScrubber scrubber;
    private Failure failure;
    private boolean unread;
    private String presentId;

    /** Told once when the directory goes offline (rule S3). */
    @FunctionalInterface
    interface Offline {
        void offline(ShardDirectory directory, Failure why);
    }

    /**
     * Which directory for whom.
     *
     * @param index in log.dirs
     * @param reporter shard, or -1 for the controller
     * @param id null: it could not be opened
     * @param scrubBytesPerSecond how much of it this one reads again each second
     */
    record Place(int index, int reporter, String path, Uuid id, long scrubBytesPerSecond) {}

    ShardDirectory(Place place, Ports ports, DiskExecutor disk, LogLimits limits, Offline offline) {
        this.index = place.index;
        this.reporter = place.reporter;
        this.path = place.path;
        this.id = place.id;
        this.disk = disk;
        this.mailboxes = ports.mailboxes();
        this.timers = ports.timers();
        this.offline = offline;
        this.queuedBytes = limits.queuedBytes();
        this.context = new LogContext(ports, disk, this, limits);
        this.scrubber = new LogScrubber(ports, this::logs, place.scrubBytesPerSecond);
    }

    int index() {
        return index;
    }

    String path() {
        return path;
    }

    /** Null: it could not be opened. */
    Uuid id() {
        return id;
    }

    boolean is(Uuid directory) {
        return directory.equals(id);
    }

    DiskExecutor disk() {
        return disk;
    }

    /** Scratch space of the checks of batches for this directory: its CPU worker is a thread of its own. */
    Admission.Validators validators() {
        return validators;
    }

    /** Most bytes of one partition's batches that wait to be checked; as many again may wait to be written. */
    int queuedBytes() {
        return queuedBytes;
    }

    LogContext context() {
        return context;
    }

    /** Null while the directory works. */
    Failure failure() {
        return failure;
    }

    /** It could not be opened at the start, so nobody knows which partitions it holds. */
    void beginOffline(Failure why) {
        failure = why;
        unread = true;
        context.beginOffline();
    }

    /** See {@link #beginOffline}. */
    boolean unread() {
        return unread;
    }

    /** What the start found of this shard's partitions; taken by {@link #takeFound}. */
    void foundAtStart(FoundPartition partition) {
        found.put(partition.identity().directory(), partition);
    }

    /** Null when the partition has no directory here, or has been opened already. */
    FoundPartition takeFound(String directory) {
        FoundPartition taken = found.remove(directory);
        if (taken != null) {
            notOpened.put(directory, taken);
        }
        return taken;
    }

    boolean holds(String directory) {
        return found.containsKey(directory);
    }

    List<PartitionLog> logs() {
        return List.copyOf(open.values());
    }

    void opened(PartitionLog log) {
        open.put(log.identity().directory(), log);
        notOpened.remove(log.identity().directory());
    }

    void closed(PartitionLog log) {
        String name = log.identity().directory();
        // A successor of the same name may be open already.
        open.remove(name, log);
        risingStarts.remove(log);
        cuts.remove(log);
    }

    /** At the start: the checkpoint files may speak of a partition that is not here. */
    void staleAtStart(String name) {
        staleNames.add(name);
    }

    /**
     * Runs {@code then} once the checkpoint files say nothing of a former partition of this name: they know no topic ids, so a crash would give its log start
     * and recovery point to the new one, whose records would be lost.
     */
    void freeName(String name, Runnable then) {
        if (staleNames.contains(name)) {
            forgotten(name, then);
        } else {
            then.run();
        }
    }

    /** The partition that could not be opened is deleted. */
    void forget(String name) {
        notOpened.remove(name);
    }

    /** Runs {@code then} once the checkpoint files have no line of {@code name}, which is not here any more. */
    void forgotten(String name, Runnable then) {
        waitingForStarts.add((none, why) -> {
            if (why != null && failure == null) {
                LOG.error(
                        "{}: the checkpoints still speak of the former partition {} ({}): free space, else a new one of this name may lose records in a crash",
                        path,
                        name,
                        why.message());
            }
            then.run();
        });
        if (!reporting) {
            reportStarts();
        }
    }

    /**
     * Writes the recovery points soon, not only with the periodic checkpoint: after a crash at most what the last {@link #CHECKPOINT_DELAY_MILLIS} closed is
     * read again.
     */
    @Override
    public void segmentClosed() {
        if (checkpoint == null && failure == null) {
            checkpoint = timers.after(CHECKPOINT_DELAY_MILLIS, () -> {
                checkpoint = null;
                report((done, why) -> {
                    if (why != null) {
                        LOG.warn(
                                "recovery points in {} were not written, a crash would scan more: {}",
                                path,
                                why.message());
                    }
                });
            });
        }
    }

    void startScrubbing() {
        scrubber.start();
    }

    /** No checkpoint of its own accord any more: the last one is the stop's. */
    void stopDuties() {
        scrubber.stop();
        if (checkpoint != null) {
            checkpoint.cancel();
            checkpoint = null;
        }
    }

    /**
     * Looks whether the directory is still there, and still the one that was opened: open files outlive their names, so all would seem well until the next
     * start finds nothing.
     */
    void checkPresence() {
        if (failure != null || reporter > 0) {
            return;
        }
        disk.run(DiskExecutor.Lane.BLOCKING, LogDirectory.presentId(), (id, why) -> {
            if (why != null) {
                // Unreadable for now: that is for those who read and write it to say.
                return;
            }
            if (id == null || (presentId != null && !presentId.equals(id))) {
                context.goOffline(
                        Failure.of(
                                FailureCode.STORAGE_ERROR,
                                "log directory " + path
                                        + (id == null ? " was removed" : " was replaced by another one")
                                        + " while the broker runs. What it held is lost unless you bring it back; then restart"));
            } else {
                presentId = id;
            }
        });
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

    /** The log is about to be cut to {@code offset}: until that is done, or {@link #cutEnded} says that it is not to be, its recovery point is no higher (rule S8). */
    void lower(PartitionLog log, long offset, Callback<Void> done) {
        cuts.merge(log, offset, Math::min);
        report(done);
    }

    private long recoveryPoint(PartitionLog log) {
        Long cutTo = cuts.get(log);
        if (cutTo != null && (log.logEndOffset() <= cutTo || log.logStartOffset() > cutTo)) {
            cuts.remove(log);
            return log.recoveryPoint();
        }
        return Math.min(log.recoveryPoint(), cutTo == null ? Long.MAX_VALUE : cutTo);
    }

    /** The log is cut, or is not to be any more. Nothing for one that was not. */
    void cutEnded(PartitionLog log) {
        cuts.remove(log);
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

    /** Has the checkpoints of this shard's partitions written, if they say anything new. Not in a directory that is offline (rule S3). */
    void report(Callback<Void> done) {
        if (failure != null) {
            done.fail(FailureCode.STORAGE_ERROR, failure.message());
            return;
        }
        List<Checkpoint> all = lines();
        OwnerId<CheckpointKeeper> keeper = new OwnerId<>(CheckpointKeeper.class, index);
        mailboxes.<CheckpointKeeper, Void>call(
                keeper, (owner, reply) -> owner.report(reporter, all, reply), REPORT_TIMEOUT_MILLIS, (none, why) -> {
                    if (why == null) {
                        staleNames.clear();
                    } else if (why.code() == FailureCode.SYNC_FAILED) {
                        context.goOffline(why);
                    }
                    done.done(none, why);
                });
    }

    /** What the checkpoint files are to say of this shard's partitions. */
    List<Checkpoint> lines() {
        List<Checkpoint> all = new ArrayList<>(open.size() + found.size() + notOpened.size());
        for (PartitionLog log : open.values()) {
            long start = Math.max(log.logStartOffset(), risingStarts.getOrDefault(log, 0L));
            all.add(new Checkpoint(
                    log.identity().topic(),
                    log.identity().partition(),
                    recoveryPoint(log),
                    start,
                    log.highWatermark(),
                    log.cleanedTo()));
        }
        found.values().forEach(each -> all.add(line(each)));
        notOpened.values().forEach(each -> all.add(line(each)));
        return all;
    }

    /** What the checkpoint files said of a partition at the start. */
    static Checkpoint line(FoundPartition partition) {
        LogStart known = partition.start();
        return new Checkpoint(
                partition.identity().topic(),
                partition.identity().partition(),
                known.recoveryPoint(),
                known.logStartOffset(),
                known.highWatermark(),
                known.cleanedTo());
    }
}
