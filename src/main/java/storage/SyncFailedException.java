package storage;

import java.io.IOException;

/** An fsync failed: what was written since the last good one is in an unknown state for ever (rule S3). */
public final class SyncFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public SyncFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
