package sim;

import common.Clock;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import storage.DiskFullException;
import storage.FileHandle;
import storage.FileSystem;
import storage.SyncFailedException;

/**
 * One process' view of a {@link SimDisk}. Asks the disk's faults before each operation; sums up the virtual time that operations take. When the
 * process has ended every call throws {@link SimCrash}.
 */
public final class SimFileSystem implements FileSystem {
    private final SimDisk disk;
    private final SimLife life;
    private final Clock clock;
    private long costNanos;

    public SimFileSystem(SimDisk disk, SimLife life, Clock clock) {
        this.disk = disk;
        this.life = life;
        this.clock = clock;
    }

    @Override
    public FileHandle open(String path, Mode mode) throws IOException {
        alive();
        Object node = disk.lookup(path);
        if (node instanceof SimDirectory) {
            throw new IOException("is a directory: " + path);
        }
        if (node != null && mode == Mode.CREATE_NEW) {
            throw new FileAlreadyExistsException(path);
        }
        if (node == null) {
            if (mode == Mode.READ || mode == Mode.READ_WRITE) {
                throw new NoSuchFileException(path);
            }
            DiskFaults.Fault fault = before(DiskFaults.Operation.CREATE, path);
            SimFile made = new SimFile();
            made.modifiedMillis = clock.wallMillis();
            disk.parent(path).link(SimDisk.lastName(path), made);
            after(fault, path);
            node = made;
        }
        disk.handleOpened();
        return new SimFileHandle(this, (SimFile) node, path, mode != Mode.READ);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return find(path) != null;
    }

    @Override
    public boolean isDirectory(String path) throws IOException {
        return find(path) instanceof SimDirectory;
    }

    /** As lookup, but a missing parent is an answer too. */
    private Object find(String path) throws IOException {
        alive();
        try {
            return disk.lookup(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public List<String> list(String directory) throws IOException {
        SimDirectory node = directory(directory);
        if (disk.fault(DiskFaults.Operation.READ, directory) == DiskFaults.Fault.ERROR) {
            throw new IOException("simulated EIO: list " + directory);
        }
        return new ArrayList<>(node.names().keySet());
    }

    @Override
    public void createDirectory(String path) throws IOException {
        alive();
        if (disk.lookup(path) != null) {
            throw new FileAlreadyExistsException(path);
        }
        DiskFaults.Fault fault = before(DiskFaults.Operation.MAKE_DIRECTORY, path);
        disk.parent(path).link(SimDisk.lastName(path), new SimDirectory());
        after(fault, path);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        alive();
        Object node = disk.lookup(from);
        if (node == null) {
            throw new NoSuchFileException(from);
        }
        if (disk.lookup(to) instanceof SimDirectory || (node instanceof SimDirectory && disk.lookup(to) != null)) {
            throw new FileAlreadyExistsException(to);
        }
        DiskFaults.Fault fault = before(DiskFaults.Operation.RENAME, to);
        SimDirectory source = disk.parent(from);
        SimDirectory target = disk.parent(to);
        if (source == target) {
            source.rename(SimDisk.lastName(from), SimDisk.lastName(to));
        } else {
            target.link(SimDisk.lastName(to), node);
            source.unlink(SimDisk.lastName(from));
        }
        after(fault, to);
    }

    @Override
    public void delete(String path) throws IOException {
        Object node = find(path);
        if (node == null) {
            return;
        }
        if (node instanceof SimDirectory directory && !directory.names().isEmpty()) {
            throw new DirectoryNotEmptyException(path);
        }
        DiskFaults.Fault fault = before(DiskFaults.Operation.DELETE, path);
        disk.parent(path).unlink(SimDisk.lastName(path));
        after(fault, path);
    }

    @Override
    public void syncDirectory(String path) throws IOException {
        SimDirectory directory = directory(path);
        DiskFaults.Fault fault = fault(DiskFaults.Operation.SYNC_DIRECTORY, path);
        cost(200_000 + disk.random().below(600_000));
        if (fault == DiskFaults.Fault.ERROR) {
            // Unlike pages, names are not forgotten: a journal that could not be written is written later, or not at
            // all.
            throw new SyncFailedException("sync of directory " + path + " failed", new IOException("simulated EIO"));
        }
        if (fault != DiskFaults.Fault.CRASH_TORN) {
            directory.sync();
        }
        after(fault, path);
    }

    @Override
    public long size(String path) throws IOException {
        return file(path).size();
    }

    @Override
    public long lastModifiedMillis(String path) throws IOException {
        return find(path) instanceof SimDirectory ? clock.wallMillis() : file(path).modifiedMillis;
    }

    @Override
    public boolean tryLock(String path) throws IOException {
        open(path, Mode.CREATE).release();
        return disk.lock(path, life);
    }

    @Override
    public long usableBytes() {
        alive();
        return disk.room();
    }

    @Override
    public long totalBytes() {
        alive();
        return disk.capacity();
    }

    /** Virtual nanoseconds that the operations since the last call took. */
    public long takeCost() {
        long cost = costNanos;
        costNanos = 0;
        return cost;
    }

    private SimDirectory directory(String path) throws IOException {
        if (find(path) instanceof SimDirectory directory) {
            return directory;
        }
        throw new NoSuchFileException(path);
    }

    private SimFile file(String path) throws IOException {
        if (find(path) instanceof SimFile file) {
            return file;
        }
        throw new NoSuchFileException(path);
    }

    SimDisk disk() {
        return disk;
    }

    void alive() {
        if (!life.alive()) {
            throw new SimCrash("process is dead: " + life.name());
        }
    }

    void cost(long nanos) {
        costNanos += (long) (nanos * disk.slowness());
    }

    void touched(SimFile file) {
        file.modifiedMillis = clock.wallMillis();
    }

    /** As {@link #fault}, and an error is thrown. */
    DiskFaults.Fault before(DiskFaults.Operation operation, String path) throws IOException {
        DiskFaults.Fault fault = fault(operation, path);
        if (fault == DiskFaults.Fault.ERROR) {
            throw new IOException("simulated EIO: " + operation + " " + path);
        }
        return fault;
    }

    /** The verdict about an operation; crashes here when it is to crash before. */
    DiskFaults.Fault fault(DiskFaults.Operation operation, String path) {
        alive();
        cost(2_000 + disk.random().below(8_000));
        DiskFaults.Fault fault = disk.fault(operation, path);
        if (fault == DiskFaults.Fault.CRASH_BEFORE) {
            crash(operation + " " + path);
        }
        return fault;
    }

    void after(DiskFaults.Fault fault, String path) {
        if (fault == DiskFaults.Fault.CRASH_AFTER || fault == DiskFaults.Fault.CRASH_TORN) {
            crash("after " + path);
        }
    }

    private void crash(String where) {
        life.end();
        throw new SimCrash("simulated crash: " + where);
    }

    /** How many of {@code growth} more bytes fit. */
    long fitting(long growth) {
        return Math.min(growth, disk.room());
    }

    static DiskFullException full(String path) {
        return new DiskFullException("simulated ENOSPC: " + path);
    }
}
