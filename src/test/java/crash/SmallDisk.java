package crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A small file system of its own for a broker's data, in memory. Only who may mount it has one (root, but not in every container): for others there is none, and the caller has to make do with the
 * broker's reserve.
 */
final class SmallDisk implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final int MEBIBYTE = 1 << 20;

    private final Path directory;
    private final AtomicBoolean mounted;

    private SmallDisk(Path directory, boolean mounted) {
        this.directory = directory;
        this.mounted = new AtomicBoolean(mounted);
    }

    /** @param directory made when it is not there */
    static SmallDisk mount(Path directory, int mebibytes) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        boolean asked = run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", directory.toString());
        SmallDisk disk =
                new SmallDisk(directory, asked && store(directory).getTotalSpace() == (long) mebibytes * MEBIBYTE);
        if (disk.isMounted()) {
            Runtime.getRuntime().addShutdownHook(new Thread(disk::close));
        }
        return disk;
    }

    private static FileStore store(Path directory) throws IOException {
        return Files.getFileStore(directory);
    }

    boolean isMounted() {
        return mounted.get();
    }

    /** Writes to a file until nothing more fits. */
    void exhaust(String name) throws IOException {
        ByteBuffer zeroes = ByteBuffer.allocate(4_096);
        try (FileChannel file =
                FileChannel.open(directory.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                file.write(zeroes.clear());
            }
        } catch (IOException full) {
            if (store(directory).getUsableSpace() > 0) {
                throw full;
            }
        }
    }

    void remove(String name) throws IOException {
        Files.delete(directory.resolve(name));
    }

    private static boolean run(String... command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noSuchProgram) {
            return false;
        }
        return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    /** Lazily: who still has files open there is not waited for. */
    @Override
    public void close() {
        try {
            if (mounted.getAndSet(false)) {
                run("umount", "-l", directory.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
