package storage;

import common.Callback;
import common.Ports;
import config.LogConfig;

/** What the logs of one owner in one log directory share: ports, the executor, open files, knowledge of free space. Confined to that owner. */
public final class LogContext {

    private final Ports ports;
    private final DiskExecutor disk;
    private final LogHost host;
    private final LogLimits limits;

    public LogContext(Ports ports, DiskExecutor disk, LogHost host, LogLimits limits) {
        this.ports = ports;
        this.disk = disk;
        this.host = host;
        this.limits = limits;
    }

    /**
     * Opens a partition's log, recovering it after an unclean stop (rules S7, S8). A damaged log opens (see {@link PartitionLog#damage}). Never removes
     * valid data.
     */
    public void open(LogIdentity identity, LogConfig config, LogStart start, Callback<PartitionLog> done) {
        throw new UnsupportedOperationException("to come: " + ports + disk + host + limits + identity + config + start + done);
    }

    /** True once a sync failed here: every append fails with STORAGE_ERROR until the process restarts. */
    public boolean offline() {
        return false;
    }
}
