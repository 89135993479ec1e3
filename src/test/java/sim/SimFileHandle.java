package sim;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.util.Arrays;
import storage.FileHandle;
import storage.SyncFailedException;

/** An open file of one process. Outlives its name; dies with the process. */
final class SimFileHandle implements FileHandle {
    private final SimFileSystem files;
    private final SimFile file;
    private final String path;
    private final boolean writable;
    private int references = 1;

    SimFileHandle(SimFileSystem files, SimFile file, String path, boolean writable) {
        this.files = files;
        this.file = file;
        this.path = path;
        this.writable = writable;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        open();
        files.before(DiskFaults.Operation.READ, path);
        int count = file.read(target, Math.toIntExact(position));
        files.disk().wasRead(count);
        files.cost(Math.max(0, count) / 4L);
        return count;
    }

    @Override
    public void write(ByteBuffer[] sources, int count, long position) throws IOException {
        writable();
        DiskFaults.Fault fault = files.fault(DiskFaults.Operation.WRITE, path);
        byte[] bytes = gather(sources, count);
        int at = Math.toIntExact(position);
        long growth = Math.max(0, position + bytes.length - file.size());
        long fitting = files.fitting(growth);
        int whole = bytes.length - (int) (growth - fitting);
        boolean partial = fault == DiskFaults.Fault.ERROR || fault == DiskFaults.Fault.CRASH_TORN;
        int written = partial && whole > 0 ? files.disk().random().below(whole) : Math.max(0, whole);
        file.write(written == bytes.length ? bytes : Arrays.copyOf(bytes, written), at);
        files.touched(file);
        files.cost(written / 2L);
        files.after(fault, path);
        if (fault == DiskFaults.Fault.ERROR) {
            throw new IOException("simulated EIO: write " + path);
        }
        if (written < bytes.length) {
            throw SimFileSystem.full(path);
        }
    }

    private static byte[] gather(ByteBuffer[] sources, int count) {
        int length = 0;
        for (int i = 0; i < count; i++) {
            length += sources[i].remaining();
        }
        byte[] bytes = new byte[length];
        int at = 0;
        for (int i = 0; i < count; i++) {
            int part = sources[i].remaining();
            sources[i].get(bytes, at, part);
            at += part;
        }
        return bytes;
    }

    @Override
    public void sync() throws IOException {
        open();
        DiskFaults.Fault fault = files.fault(DiskFaults.Operation.SYNC, path);
        files.cost(200_000 + files.disk().random().below(1_800_000));
        if (fault == DiskFaults.Fault.ERROR) {
            file.loseUnsynced();
            throw new SyncFailedException("sync of " + path + " failed", new IOException("simulated EIO"));
        }
        if (fault != DiskFaults.Fault.CRASH_TORN) {
            file.sync();
        }
        files.after(fault, path);
    }

    @Override
    public void truncate(long size) throws IOException {
        writable();
        DiskFaults.Fault fault = files.before(DiskFaults.Operation.TRUNCATE, path);
        if (size < file.size()) {
            file.resize(Math.toIntExact(size));
            files.touched(file);
        }
        files.after(fault, path);
    }

    @Override
    public long size() throws IOException {
        open();
        return file.size();
    }

    @Override
    public void preallocate(long size) throws IOException {
        writable();
        DiskFaults.Fault fault = files.fault(DiskFaults.Operation.PREALLOCATE, path);
        long growth = Math.max(0, size - file.size());
        long fitting = files.fitting(growth);
        boolean partial = fault == DiskFaults.Fault.ERROR || fault == DiskFaults.Fault.CRASH_TORN;
        long written = partial && fitting > 0 ? files.disk().random().below((int) fitting) : fitting;
        if (written > 0) {
            file.resize(Math.toIntExact(file.size() + written));
            files.touched(file);
        }
        files.cost(written / 2L);
        files.after(fault, path);
        if (fault == DiskFaults.Fault.ERROR) {
            throw new IOException("simulated EIO: reserve space for " + path);
        }
        if (written < growth) {
            throw SimFileSystem.full(path);
        }
    }

    @Override
    public boolean retain() {
        if (references == 0) {
            return false;
        }
        references++;
        return true;
    }

    @Override
    public void release() {
        if (references <= 0) {
            throw new IllegalStateException("released once too often: " + path);
        }
        if (--references == 0) {
            files.disk().handleClosed();
        }
    }

    private void open() throws ClosedChannelException {
        files.alive();
        if (references == 0) {
            throw new ClosedChannelException();
        }
    }

    private void writable() throws ClosedChannelException {
        open();
        if (!writable) {
            throw new NonWritableChannelException();
        }
    }
}
