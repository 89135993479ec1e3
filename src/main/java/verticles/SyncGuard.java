package verticles;

import java.io.IOException;
import storage.SyncFailedException;

/**
 * The memory of a failed sync, one per log directory (rule S3): once an fsync failed, the kernel may have dropped the pages and marked them clean, so a
 * later one that succeeds proves nothing. Thread safe.
 */
final class SyncGuard {
    private volatile IOException firstFailure;

    interface Sync {
        void run() throws IOException;
    }

    /** Syncs, unless a sync of this directory failed before. */
    void sync(String path, Sync sync) throws IOException {
        IOException earlier = firstFailure;
        if (earlier != null) {
            throw new SyncFailedException(
                    "not synced: " + path + "; an earlier sync in this log directory failed and must not be retried",
                    earlier);
        }
        try {
            sync.run();
        } catch (IOException e) {
            firstFailure = e;
            throw new SyncFailedException("sync failed: " + path + ": " + e.getMessage(), e);
        }
    }
}
