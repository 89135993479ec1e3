package storage;

import common.Callback;

/**
 * Runs {@link DiskJob}s of one log directory for one owner; the callback runs on that owner. A {@link DiskFullException}
 * becomes DISK_FULL, a {@link SyncFailedException} SYNC_FAILED, any other IOException STORAGE_ERROR (message: what failed, on which path).
 */
public interface DiskExecutor {

    enum Lane {
        /** One thread a directory, first come first served: appends and their syncs. */
        APPEND,
        /** A few threads, no order: cold reads, roll, recovery, retention, checkpoints. */
        BLOCKING,
        /** One thread: decompression and other long computation. */
        CPU
    }

    <T> void run(Lane lane, DiskJob<T> job, Callback<T> done);
}
