package sim;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One log directory's disk: outlives the processes that use it through {@link SimFileSystem}.
 *
 * <p>{@link #kill} (kill -9): everything written stays, synced or not. {@link #powerCut}: only what was synced surely stays; of the rest each 4 KiB
 * piece, each length and each name goes its own way. A name needs a sync of its directory, and so does that directory's name in its parent.
 */
public final class SimDisk {
    private static final long UNBOUNDED = 1L << 40;

    private final SimRandom random;
    private final SimDirectory root;
    private DiskFaults faults = DiskFaults.NONE;
    private long capacity = UNBOUNDED;
    private double slowness = 1;
    private long operations;
    private final Map<String, SimLife> locks = new TreeMap<>();
    private int openHandles;
    private long bytesRead;
    private int boots;

    public SimDisk(SimRandom random) {
        this(random, new SimDirectory());
    }

    private SimDisk(SimRandom random, SimDirectory root) {
        this.random = random;
        this.root = root;
    }

    /** The machine lost its power. End the process' {@link SimLife} first. */
    public void powerCut() {
        root.powerCut(random);
        openHandles = 0;
        boots++;
    }

    /** Names the machine's boot: another one after each loss of power. */
    public String boot() {
        return "boot" + boots;
    }

    /** The process was killed. End its {@link SimLife} first. */
    public void kill() {
        root.kill();
        openHandles = 0;
    }

    /** What asks about each operation from now on. */
    public void faults(DiskFaults next) {
        faults = next;
    }

    /** Room in all, in bytes; may be below what is used. */
    public void capacity(long bytes) {
        capacity = bytes;
    }

    /** Room without end again. */
    public void unbounded() {
        capacity = UNBOUNDED;
    }

    public long usedBytes() {
        return root.bytes();
    }

    /** Factor on the time that operations take. */
    public void slowness(double factor) {
        slowness = factor;
    }

    /** Operations so far, reads apart: the numbers that {@link DiskFaults} sees. */
    public long operations() {
        return operations;
    }

    /** Handles opened and not yet fully released: a leak shows here. */
    public int openHandles() {
        return openHandles;
    }

    /** Bytes that reads returned so far. */
    public long bytesRead() {
        return bytesRead;
    }

    /** Flips a bit of a file, on the disk and in the cache. */
    public void rot(String path, long position, int bit) {
        file(path).rot(Math.toIntExact(position), bit);
    }

    /** A file as the page cache has it. */
    public byte[] content(String path) {
        return file(path).content();
    }

    /** What is surely on the disk of a file, whether or not its name is. */
    public byte[] durableContent(String path) {
        return file(path).durableContent();
    }

    /** Makes or replaces a file, all of it durable: to prepare a test. */
    public void put(String path, byte[] content) {
        SimDirectory directory = root;
        String[] parts = path.split("/", -1);
        for (int i = 0; i < parts.length - 1; i++) {
            if (directory.names().get(parts[i]) == null) {
                directory.link(parts[i], new SimDirectory());
                directory.sync();
            }
            directory = (SimDirectory) directory.names().get(parts[i]);
        }
        SimFile file = new SimFile();
        file.write(content.clone(), 0);
        file.sync();
        directory.link(parts[parts.length - 1], file);
        directory.sync();
    }

    /** A directory, or a file, of the root goes to another disk's, durably: what people do while the node is down. */
    void move(String name, SimDisk to) {
        to.root.link(name, root.names().get(name));
        root.unlink(name);
        to.root.sync();
        root.sync();
    }

    /** All paths with sizes, directories with a '/' at the end; in order. */
    public List<String> tree() {
        List<String> paths = new ArrayList<>();
        root.tree("", paths);
        return paths;
    }

    /** The same disk apart from this one, with its own chance, no faults and no open handles. */
    public SimDisk copy(SimRandom chance) {
        SimDisk copy = new SimDisk(chance, root.copy(new IdentityHashMap<>()));
        copy.capacity = capacity;
        return copy;
    }

    SimDirectory root() {
        return root;
    }

    /** For tests that want another outcome of the next power cut. */
    public SimRandom random() {
        return random;
    }

    double slowness() {
        return slowness;
    }

    long room() {
        return capacity == UNBOUNDED ? UNBOUNDED : Math.max(0, capacity - root.bytes());
    }

    long capacity() {
        return capacity;
    }

    /** A lock of a process that has ended is free. */
    boolean lock(String path, SimLife life) {
        SimLife holder = locks.get(path);
        if (holder != null && holder.alive()) {
            return false;
        }
        locks.put(path, life);
        return true;
    }

    DiskFaults.Fault fault(DiskFaults.Operation operation, String path) {
        long number = operation == DiskFaults.Operation.READ ? operations : operations++;
        return faults.next(operation, path, number);
    }

    void handleOpened() {
        openHandles++;
    }

    void handleClosed() {
        openHandles--;
    }

    void wasRead(int bytes) {
        bytesRead += Math.max(0, bytes);
    }

    private SimFile file(String path) {
        try {
            if (lookup(path) instanceof SimFile file) {
                return file;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
        throw new IllegalArgumentException("no file " + path + " in " + tree());
    }

    /** The node at a path; null if there is none but its directory exists. */
    Object lookup(String path) throws IOException {
        return path.isEmpty() ? root : parent(path).names().get(lastName(path));
    }

    SimDirectory parent(String path) throws IOException {
        SimDirectory directory = root;
        String[] parts = path.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            if (parts[i].isEmpty() || parts[i].equals(".") || parts[i].equals("..")) {
                throw new IOException("not a path of this log directory: " + path);
            }
            if (i < parts.length - 1) {
                if (!(directory.names().get(parts[i]) instanceof SimDirectory next)) {
                    throw new NoSuchFileException(path);
                }
                directory = next;
            }
        }
        return directory;
    }

    static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
