package storage;

import java.io.IOException;

/** The file system has no room left (ENOSPC) or the configured reserve was reached (rule S10). */
public final class DiskFullException extends IOException {
    private static final long serialVersionUID = 1L;

    public DiskFullException(String message) {
        super(message);
    }
}
