package verticles;

import common.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import storage.FileHandle;

/** A {@link FileChannel} with a count of its users. */
final class RealFileHandle implements FileHandle {
    /** Linux takes at most 1024 buffers in one gathering write. */
    private static final int MAX_GATHERED = 1024;

    private static final ByteBuffer ZEROES = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();
    private static final AtomicIntegerFieldUpdater<RealFileHandle> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(RealFileHandle.class, "references");

    private final FileChannel channel;
    private final String path;
    private final SyncGuard guard;
    private volatile int references = 1;

    /** Where the channel stands, -1 if not known: saves a seek before each gathering write that continues the last. Writer only. */
    private long channelPosition = -1;

    RealFileHandle(FileChannel channel, String path, SyncGuard guard) {
        this.channel = channel;
        this.path = path;
        this.guard = guard;
    }

    /** For sending ranges with sendfile; never close it. */
    FileChannel channel() {
        return channel;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        try {
            return channel.read(target, position);
        } catch (IOException e) {
            throw IoFailures.named("read", path, e);
        }
    }

    @Override
    public void write(ByteBuffer[] sources, int count, long position) throws IOException {
        try {
            if (count == 1) {
                writeOne(sources[0], position);
            } else if (count > 1) {
                gather(sources, count, position);
            }
        } catch (IOException e) {
            channelPosition = -1;
            throw IoFailures.named("write", path, e);
        }
    }

    /** An append goes on where the channel stands, so that appends of one and of many buffers may alternate without a seek in between. */
    private void writeOne(ByteBuffer source, long position) throws IOException {
        long at = position;
        if (at != channelPosition) {
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
            return;
        }
        channelPosition = -1;
        while (source.hasRemaining()) {
            at += channel.write(source);
        }
        channelPosition = at;
    }

    /** The JDK gathers only at the channel's own position, so that is moved along. */
    private void gather(ByteBuffer[] sources, int count, long position) throws IOException {
        if (channelPosition != position) {
            channel.position(position);
        }
        long at = position;
        int first = 0;
        while (true) {
            while (first < count && !sources[first].hasRemaining()) {
                first++;
            }
            if (first == count) {
                break;
            }
            at += channel.write(sources, first, Math.min(count - first, MAX_GATHERED));
        }
        channelPosition = at;
    }

    @Override
    public void sync() throws IOException {
        guard.sync(path, () -> channel.force(false));
    }

    @Override
    public void truncate(long size) throws IOException {
        try {
            channelPosition = -1;
            channel.truncate(size);
        } catch (IOException e) {
            throw IoFailures.named("truncate", path, e);
        }
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    /** Writes zeroes: the JDK offers no way to reserve blocks, and a longer length alone (a hole) reserves none (rule S10). */
    @Override
    public void preallocate(long size) throws IOException {
        try {
            long at = channel.size();
            while (at < size) {
                ByteBuffer zeroes = ZEROES.duplicate();
                zeroes.limit((int) Math.min(zeroes.capacity(), size - at));
                at += channel.write(zeroes, at);
            }
        } catch (IOException e) {
            throw IoFailures.named("reserve space for", path, e);
        }
    }

    @Override
    public boolean retain() {
        while (true) {
            int now = references;
            if (now == 0) {
                return false;
            }
            if (REFERENCES.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    @Override
    public void release() {
        int left = REFERENCES.decrementAndGet(this);
        Check.invariant(left >= 0, "file handle released too often", left, 0);
        if (left == 0) {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing was promised about unsynced content, and synced content cannot be lost by a close.
                org.slf4j.LoggerFactory.getLogger(RealFileHandle.class)
                        .warn("closing {} failed: {}", path, e.toString());
            }
        }
    }
}
