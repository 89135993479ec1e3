package verticles;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The claim of this process on a log directory (rule S12): an operating system lock on its file {@code .lock}, the same that Apache Kafka takes, so the two
 * exclude each other as well. The system drops it when the process ends, however it ends.
 */
final class DirectoryLock implements AutoCloseable {
    private static final String NAME = ".lock";

    private final FileChannel channel;
    private final FileLock lock;

    private DirectoryLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the lock or throws at once.
     *
     * @param directory an existing directory
     * @throws StartException if another process, or this one, holds it or it cannot be written
     */
    static DirectoryLock acquire(Path directory) {
        Path file = directory.resolve(NAME);
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new DirectoryLock(channel, lock);
            }
        } catch (OverlappingFileLockException e) {
            // Held by this very process: the same directory is named twice.
        } catch (IOException e) {
            close(channel);
            throw new StartException("log.dirs: cannot lock " + file + " (" + e + "). The directory must be writable by this user.");
        }
        close(channel);
        throw new StartException("log.dirs: " + directory + " is in use by another broker process (its lock file " + NAME
                + " is held). Stop that process, or give this broker a directory of its own.");
    }

    private static void close(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing was written through it.
            }
        }
    }

    @Override
    public void close() {
        try {
            lock.release();
            channel.close();
        } catch (IOException e) {
            // The system releases it with the process.
        }
    }
}
