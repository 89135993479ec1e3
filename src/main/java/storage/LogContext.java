package storage;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.Ports;
import config.LogConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the logs of one owner in one log directory share: ports, the executor, open files, knowledge of free space. Confined to that owner. */
public final class LogContext {

    private static final Logger LOG = LoggerFactory.getLogger(LogContext.class);

    private final Ports ports;
    private final DiskExecutor disk;
    private final LogHost host;
    private final LogLimits limits;
    private final OpenFiles openFiles;
    private final WarmChunks warm;
    private final DiskSpace diskSpace;
    private final Siblings siblings = new Siblings();
    private final RootSync rootSync;
    private final Metrics.Histogram flushTimes;
    private boolean offline;

    public LogContext(Ports ports, DiskExecutor disk, LogHost host, LogLimits limits) {
        this.ports = ports;
        this.disk = disk;
        this.host = host;
        this.limits = limits;
        this.openFiles = new OpenFiles(limits.openFiles());
        this.warm = new WarmChunks(limits.warmBytes());
        this.diskSpace = new DiskSpace(disk, ports.clock(), limits.reserveBytes());
        this.rootSync = new RootSync(disk);
        this.flushTimes = ports.metrics()
                .histogram(
                        "kafka_log_logflushstats_logflushrateandtimems",
                        "Time to make appended or rolled data durable");
    }

    /**
     * Opens a partition's log, recovering it after an unclean stop (rules S7, S8). A damaged log opens (see {@link PartitionLog#damage}). Never removes
     * valid data.
     */
    public void open(LogIdentity identity, LogConfig config, LogStart start, Callback<PartitionLog> done) {
        LogState log = new LogState(identity, this, config);
        if (!start.exists()) {
            done.succeed(SegmentedLog.create(log, start));
            return;
        }
        Recovery recovery = new Recovery(identity, config, start, ports.clock().wallMillis(), ports.mutations());
        disk.run(DiskExecutor.Lane.BLOCKING, recovery, (found, failure) -> {
            if (failure == null) {
                done.succeed(SegmentedLog.opened(log, start, found));
            } else {
                if (failure.code() == FailureCode.SYNC_FAILED) {
                    goOffline(failure);
                }
                done.fail(failure);
            }
        });
    }

    /** True once a sync failed here: every append fails with STORAGE_ERROR until the process restarts. */
    public boolean offline() {
        return offline;
    }

    /** The directory could not be opened at the start: everything fails here until the process restarts. */
    public void beginOffline() {
        offline = true;
    }

    /** Rule S3: a sync failed, here or at another owner; nothing of this directory may be written any more. */
    public void goOffline(Failure why) {
        if (!offline && !ports.mutations().active("retried-fsync")) {
            offline = true;
            LOG.error("Log directory goes offline: {}. Its partitions are not served until a restart.", why.message());
            host.directoryOffline(why);
        }
    }

    Ports ports() {
        return ports;
    }

    DiskExecutor disk() {
        return disk;
    }

    LogHost host() {
        return host;
    }

    LogLimits limits() {
        return limits;
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    WarmChunks warm() {
        return warm;
    }

    DiskSpace diskSpace() {
        return diskSpace;
    }

    /** A job with a sync has taken so long, from its call to its callback. */
    void flushed(long startNanos) {
        flushTimes.record(ports.clock().monotonicNanos() - startNanos);
    }

    void segmentClosed() {
        host.segmentClosed();
    }

    Siblings siblings() {
        return siblings;
    }

    RootSync rootSync() {
        return rootSync;
    }
}
