package sim;

import common.Chance;
import common.Failure;
import common.Mutations;
import common.OwnerId;
import common.Peers;
import common.Ports;
import config.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import node.NodeHost;
import protocol.BufferPool;
import protocol.Instance;
import protocol.PeerDialer;
import storage.DiskExecutor;

/** The machine that one incarnation of a node runs on: loops and disk threads of virtual time. */
final class SimNodeHost implements NodeHost {
    private static final long MAX_BUS_DELAY = 60_000;
    private static final long MAX_DISK_DELAY = 100_000;

    private final SimScheduler scheduler;
    private final SimLife life;
    private final SimRandom random;
    private final SimMailboxes mailboxes;
    private final Place place;
    private final List<Ports> ports = new ArrayList<>();
    private final List<SimDiskExecutor> disks = new ArrayList<>();
    private final List<SimPeers> peers = new ArrayList<>();
    private final Consumer<Failure> onHalt;
    private final String boot;
    private Instance controllers;

    /**
     * Where a host is in the network.
     *
     * @param name of its machine's end
     * @param others who listens at other ends
     */
    record Place(String name, SimNetwork network, SimPeers.Listening others) {
        /** A machine without others. */
        static Place alone(SimNetwork network) {
            return new Place("n0", network, (from, to, client) -> null);
        }
    }

    /** What a host is made of; chosen per run. */
    record Parts(
            SimScheduler scheduler,
            SimClock clock,
            List<SimDisk> disks,
            int loops,
            Chance chance,
            Mutations mutations,
            Place place,
            SimMetrics metrics,
            SimLag lag) {}

    /**
     * @param onCrash told when the process crashed inside a disk job
     * @param onHalt told when the node says that it cannot go on
     */
    SimNodeHost(Parts parts, SimLife life, SimRandom random, Runnable onCrash, Consumer<Failure> onHalt) {
        this.scheduler = parts.scheduler;
        this.life = life;
        this.random = random;
        this.place = parts.place;
        this.onHalt = onHalt;
        this.boot = parts.disks.get(0).boot();
        this.mailboxes = new SimMailboxes(scheduler, life, random.split("bus"), MAX_BUS_DELAY, parts.lag);
        for (int loop = 0; loop < parts.loops; loop++) {
            ports.add(new Ports(
                    parts.clock,
                    new SimTimers(scheduler, parts.clock, life, random.split("timers" + loop), 1_000_000),
                    random.split("random" + loop),
                    mailboxes.of(new OwnerId<>(SimNodeHost.class, loop)),
                    parts.metrics,
                    parts.chance,
                    parts.mutations));
            peers.add(new SimPeers(place.network, life, random.split("peers" + loop), place.name, place.others));
        }
        for (int i = 0; i < parts.disks.size(); i++) {
            SimFileSystem files = new SimFileSystem(parts.disks.get(i), life, parts.clock);
            SimDiskExecutor executor =
                    new SimDiskExecutor(scheduler, life, files, random.split("disk" + i), MAX_DISK_DELAY);
            executor.onCrash(onCrash);
            disks.add(executor);
        }
    }

    @Override
    public int loops() {
        return ports.size();
    }

    @Override
    public long heapBytes() {
        return 64 << 20;
    }

    @Override
    public long pageCacheBytes() {
        return 8 << 20;
    }

    @Override
    public String bootId() {
        return boot;
    }

    @Override
    public int openFileLimit() {
        return 1024;
    }

    @Override
    public Ports ports(int loop) {
        return ports.get(loop);
    }

    @Override
    public DiskExecutor disk(int directory, int loop) {
        return disks.get(directory);
    }

    @Override
    public BufferPool buffers(int loop) {
        return place.network.chunks();
    }

    @Override
    public PeerDialer dialer(int loop) {
        return peers.get(loop);
    }

    @Override
    public Peers.Address reachable(Listener listener) {
        return new Peers.Address(place.name, listener.port());
    }

    @Override
    public void serveControllers(Instance instance) {
        controllers = instance;
    }

    /** For connections to the listeners of controllers; null: they wait. */
    Instance controllers() {
        return controllers;
    }

    /** The process has ended: nodes that it talked to learn of it, or (silently) not. */
    void died(boolean silently) {
        peers.forEach(each -> each.died(silently));
    }

    @Override
    public <O> void register(OwnerId<O> id, O owner, int loop) {
        mailboxes.register(id, owner);
    }

    @Override
    public void execute(int loop, Runnable task) {
        scheduler.after(1 + random.below(10_000), life, "execute", task);
    }

    @Override
    public void halt(Failure why) {
        onHalt.accept(why);
    }
}
