package verticles;

import common.Check;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import storage.FileHandle;
import storage.FileSystem;

/** A log directory on the operating system's file system. Thread safe; every method may block. */
final class RealFileSystem implements FileSystem, AutoCloseable {
    private static final boolean DIRECTORIES_CAN_BE_SYNCED = File.separatorChar == '/';
    private static final Set<OpenOption> READ_ONLY = Set.of(StandardOpenOption.READ);
    private static final Set<OpenOption> READ_AND_WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> MADE_IF_MISSING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    private static final Set<OpenOption> MADE_NEW =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final Path root;
    private final SyncGuard guard = new SyncGuard();
    private final List<FileChannel> locks = new CopyOnWriteArrayList<>();

    /** @param root an existing directory */
    RealFileSystem(Path root) {
        this.root = root;
    }

    @Override
    public FileHandle open(String path, Mode mode) throws IOException {
        try {
            return new RealFileHandle(FileChannel.open(resolve(path), options(mode)), path, guard);
        } catch (IOException e) {
            throw IoFailures.named("open", path, e);
        }
    }

    private static Set<OpenOption> options(Mode mode) {
        return switch (mode) {
            case READ -> READ_ONLY;
            case READ_WRITE -> READ_AND_WRITE;
            case CREATE -> MADE_IF_MISSING;
            case CREATE_NEW -> MADE_NEW;
        };
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(resolve(path));
    }

    @Override
    public boolean isDirectory(String path) {
        return Files.isDirectory(resolve(path));
    }

    @Override
    public List<String> list(String directory) throws IOException {
        File file = resolve(directory).toFile();
        String[] names = file.list();
        if (names == null) {
            String named = directory.isEmpty() ? root.toString() : directory;
            if (!file.exists()) {
                throw new NoSuchFileException(named);
            }
            if (!file.isDirectory()) {
                throw new NotDirectoryException(named);
            }
            throw new IOException("cannot list " + named);
        }
        Arrays.sort(names);
        return Arrays.asList(names);
    }

    @Override
    public void createDirectory(String path) throws IOException {
        try {
            Files.createDirectory(resolve(path));
        } catch (IOException e) {
            throw IoFailures.named("create directory", path, e);
        }
    }

    @Override
    public boolean link(String existing, String name) {
        try {
            Files.createLink(resolve(name), resolve(existing));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            Files.move(resolve(from), resolve(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw IoFailures.named("rename", from + " to " + to, e);
        }
    }

    @Override
    public void delete(String path) throws IOException {
        try {
            Files.deleteIfExists(resolve(path));
        } catch (IOException e) {
            throw IoFailures.named("delete", path, e);
        }
    }

    /** On systems where a directory cannot be opened (Windows) names are durable by the file system's own journal only. */
    @Override
    public void syncDirectory(String path) throws IOException {
        if (!DIRECTORIES_CAN_BE_SYNCED) {
            return;
        }
        Path directory = resolve(path);
        guard.sync(path.isEmpty() ? "." : path, () -> {
            try (FileChannel channel = FileChannel.open(directory, READ_ONLY)) {
                channel.force(true);
            }
        });
    }

    @Override
    public long size(String path) throws IOException {
        return Files.size(resolve(path));
    }

    @Override
    public long lastModifiedMillis(String path) throws IOException {
        return Files.getLastModifiedTime(resolve(path)).toMillis();
    }

    @Override
    public long usableBytes() throws IOException {
        return known(root.toFile().getUsableSpace());
    }

    @Override
    public long totalBytes() throws IOException {
        return known(root.toFile().getTotalSpace());
    }

    /** The JDK answers 0 for a directory it cannot ask about. */
    private long known(long bytes) throws IOException {
        if (bytes == 0 && !Files.isDirectory(root)) {
            throw new NoSuchFileException(root.toString());
        }
        return bytes;
    }

    /** The system drops the lock when the process ends, however it ends; Apache Kafka takes its own in the same way, so the two exclude each other. */
    @Override
    public boolean tryLock(String path) throws IOException {
        FileChannel channel = FileChannel.open(resolve(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                locks.add(channel);
                return true;
            }
        } catch (OverlappingFileLockException e) {
            // Held by this very process: the same directory is named twice.
        } catch (IOException e) {
            channel.close();
            throw IoFailures.named("lock", path, e);
        }
        channel.close();
        return false;
    }

    /** Gives the locks back. For tests; in a broker they last as long as the process. */
    @Override
    public void close() throws IOException {
        for (FileChannel lock : locks) {
            lock.close();
        }
        locks.clear();
    }

    private Path resolve(String path) {
        boolean inside = !path.startsWith("/") && !path.equals("..") && !path.startsWith("../");
        Check.argument(inside && !path.endsWith("/..") && !path.contains("/../"), "path outside the log directory");
        return path.isEmpty() ? root : root.resolve(path);
    }
}
