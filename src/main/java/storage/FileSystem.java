package storage;

import java.io.IOException;
import java.util.List;

/**
 * The files of one log directory. Paths are relative to it, with '/' between names. Blocking: called only inside a {@link DiskJob}.
 *
 * <p>Nothing is durable before it was synced: file content by {@link FileHandle#sync}, a name that was made, removed or replaced by
 * {@link #syncDirectory} of its directory (rule S4). A full disk throws {@link DiskFullException}; a failed sync throws
 * {@link SyncFailedException}, after which the whole directory is offline and never synced again (rule S3).
 */
public interface FileSystem {

    enum Mode {
        /** The file must exist. */
        READ,
        /** The file must exist. */
        READ_WRITE,
        /** Made empty if missing. */
        CREATE,
        /** Made; must not exist. */
        CREATE_NEW
    }

    FileHandle open(String path, Mode mode) throws IOException;

    boolean exists(String path) throws IOException;

    boolean isDirectory(String path) throws IOException;

    /** Names (not paths) in a directory, sorted; "" is the log directory itself. */
    List<String> list(String directory) throws IOException;

    /** Makes one directory; its parent must exist and the name must be free. */
    void createDirectory(String path) throws IOException;

    /** Moves a file or directory, replacing a file of that name; atomic in the running system, durable after syncDirectory. */
    void rename(String from, String to) throws IOException;

    /**
     * Makes {@code name} another name of the file {@code existing}: no new file, so much cheaper than one.
     *
     * @return false if that is not possible here: write a file of its own
     */
    default boolean link(String existing, String name) throws IOException {
        return false;
    }

    /** Removes a file or an empty directory; missing is no error. */
    void delete(String path) throws IOException;

    void syncDirectory(String path) throws IOException;

    long size(String path) throws IOException;

    /** Last modification, wall milliseconds. */
    long lastModifiedMillis(String path) throws IOException;

    /**
     * Makes the file {@code path} if missing and takes an exclusive lock on it until the process ends (rule S12).
     *
     * @return false if another process (or another owner in this one) holds it
     */
    boolean tryLock(String path) throws IOException;

    /** Bytes that may still be written on this file system. */
    long usableBytes() throws IOException;

    long totalBytes() throws IOException;
}
