package verticles;

import common.Chance;
import common.Failure;
import common.Metrics;
import common.Mutations;
import common.OwnerId;
import common.Peers;
import common.Ports;
import config.Listener;
import io.netty.buffer.ByteBufAllocator;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import node.NodeHost;
import node.Suspicions;
import protocol.BufferPool;
import protocol.Connection;
import protocol.Instance;
import protocol.PeerDialer;
import services.LogLevels;
import storage.DiskExecutor;

/** Event loops, disks and ports of a real machine. */
final class VertxNodeHost implements NodeHost {
    private static final int BLOCKING_THREADS = 2;

    private final Loops loops;
    private final Owners owners;
    private final ByteBufAllocator allocator;
    private final List<Ports> ports = new ArrayList<>();
    private final List<PeerDialer> dialers = new ArrayList<>();
    private final List<RealFileSystem> directories = new ArrayList<>();
    private final List<DiskLanes> lanes = new ArrayList<>();
    private final Doors doors;

    /** @param logDirs existing directories, in the order of log.dirs */
    VertxNodeHost(
            Vertx vertx, Loops loops, List<Path> logDirs, Doors doors, ByteBufAllocator allocator, Metrics metrics) {
        this.loops = loops;
        this.doors = doors;
        this.owners = new Owners(vertx);
        this.allocator = allocator;
        SystemClock clock = new SystemClock();
        for (int loop = 0; loop < loops.count(); loop++) {
            OwnerLoop owner = loops.get(loop);
            VertxTimers timers = new VertxTimers(owner);
            dialers.add(new SocketPeers(vertx, owner, allocator));
            ports.add(new Ports(
                    clock,
                    timers,
                    new SecureRandomSource(),
                    new BusMailboxes(owners, owner, clock, timers),
                    metrics,
                    Chance.NEVER,
                    Mutations.NONE));
        }
        for (Path directory : logDirs) {
            directories.add(new RealFileSystem(directory));
            String name = String.valueOf(directory.getFileName());
            lanes.add(new DiskLanes(name, BLOCKING_THREADS, loops.get(0).fatalErrors()));
        }
    }

    @Override
    public int loops() {
        return loops.count();
    }

    @Override
    public long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    @Override
    public long pageCacheBytes() {
        return PageCache.guessBytes();
    }

    @Override
    public String bootId() {
        return BootId.ofHost();
    }

    @Override
    public int openFileLimit() {
        return OpenFileLimit.ofProcess();
    }

    @Override
    public Ports ports(int loop) {
        return ports.get(loop);
    }

    @Override
    public DiskExecutor disk(int directory, int loop) {
        return new RealDiskExecutor(directories.get(directory), lanes.get(directory), loops.get(loop));
    }

    @Override
    public BufferPool buffers(int loop) {
        return new NettyBufferPool(allocator);
    }

    @Override
    public PeerDialer dialer(int loop) {
        return dialers.get(loop);
    }

    @Override
    public Peers.Address reachable(Listener listener) {
        return doors.reachable(listener);
    }

    @Override
    public void serveControllers(Instance instance) {
        doors.controllers().open(loop -> (info, transport) -> new Connection(info, transport, instance));
    }

    @Override
    public <O> void register(OwnerId<O> id, O owner, int loop) {
        owners.register(id, owner, loops.get(loop));
    }

    @Override
    public LogLevels loggers() {
        return LogbackLevels.ofProcess();
    }

    @Override
    public void halt(Failure why) {
        BrokerProcess.halt(why);
    }

    @Override
    public void execute(int loop, Runnable task) {
        loops.get(loop).post(task);
    }

    /** The node's process may be gone: whoever decides is to look at once. Any thread. */
    void suspect(int nodeId) {
        loops.get(0)
                .post(() -> ports.get(0)
                        .mailboxes()
                        .tell(new OwnerId<>(Suspicions.class, 0), suspicions -> suspicions.suspect(nodeId)));
    }

    /** Lets the accepted disk jobs finish. Blocks for at most {@code seconds} per directory. */
    void closeDisks(int seconds) throws InterruptedException {
        for (DiskLanes directory : lanes) {
            directory.closeAndAwait(seconds);
        }
    }
}
