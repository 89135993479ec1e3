package sim;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import sim.DiskFaults.Operation;

/** The faults of one run: which of the profile's kinds strikes when. */
final class SimStorm {
    private static final int MAX_GHOSTS = 30;
    /** Behind the frame's length and the request's key. */
    private static final int VERSION_AT = 6;

    /** Not a KIP-848 heartbeat that joins, leaves or gives up partitions, nor a commit: nothing in them tells a late repeat from a new one. */
    private static final Set<ApiKeys> HAUNTED = EnumSet.of(
            ApiKeys.PRODUCE,
            ApiKeys.FETCH,
            ApiKeys.JOIN_GROUP,
            ApiKeys.SYNC_GROUP,
            ApiKeys.HEARTBEAT,
            ApiKeys.LEAVE_GROUP,
            ApiKeys.ADD_PARTITIONS_TO_TXN,
            ApiKeys.ADD_OFFSETS_TO_TXN);

    /** From which version on a late repeat can be told from a new one: the epoch names the transaction (KIP-890). */
    private static final Map<ApiKeys, Integer> HAUNTED_FROM =
            new EnumMap<>(Map.of(ApiKeys.END_TXN, 5, ApiKeys.TXN_OFFSET_COMMIT, 5));

    private final SimWorld world;
    private final SimRandom random;
    private final SimRandom restarts;
    private final SimRandom haunting;
    /** Of its own, so that what is said about other requests stays as it was. */
    private final SimRandom initHaunting;

    private final SimScheduler scheduler;
    private final List<SimProfile.Fault> kinds;
    private final Iterator<SimDecisions.Fault> planned;
    private boolean raging;
    private int ghosts;
    private int inits;
    private int strikes;

    SimStorm(SimWorld world, SimRandom random) {
        this.world = world;
        this.random = random;
        this.scheduler = world.scheduler();
        this.kinds = world.profile().faultList();
        this.restarts = random.view("restarts");
        this.haunting = random.view("ghosts");
        this.initHaunting = random.split("init-ghosts");
        SimDecisions decisions = random.decisions();
        boolean replaying = decisions != null && decisions.replaying();
        this.planned = replaying ? decisions.faults().iterator() : null;
    }

    void begin() {
        raging = true;
        if (kinds.contains(SimProfile.Fault.LONG_LATENCY)) {
            world.network().longTail(0.01);
        }
        if (kinds.contains(SimProfile.Fault.SLOW_BUS)) {
            double share = world.profile().get("stallsPerMille") / 1_000.0;
            world.machines().forEach(each -> each.lag().stalls(share));
        }
        if (kinds.contains(SimProfile.Fault.PACKET_LOSS)) {
            world.network().packets(0.03, 0);
        }
        plan();
    }

    /** No more faults; what was broken works again. */
    void end() {
        raging = false;
        world.network().longTail(0);
        world.network().packets(0, 0);
        world.network().heal();
        world.machines().forEach(SimMachine::faultsEnd);
        scheduler.note("storm-ends", 0);
    }

    private void plan() {
        if (planned != null) {
            replay();
            return;
        }
        int mean = world.profile().get("faultMillis");
        long at = scheduler.now() + (1 + random.below(2 * mean)) * SimScheduler.MILLI;
        int place = record(-1, at, null);
        scheduler.at(at, null, "fault", () -> {
            if (raging && !kinds.isEmpty()) {
                SimProfile.Fault kind = kinds.get(random.below(kinds.size()));
                record(place, at, kind);
                strike(kind, random.view("strike" + strikes++));
                plan();
            }
        });
    }

    /**
     * Planned faults count, too: without them a run that ends early would not be the same.
     *
     * @param place of the plan; -1 for a new one
     */
    private int record(int place, long at, SimProfile.Fault kind) {
        if (random.decisions() == null) {
            return -1;
        }
        List<SimDecisions.Fault> faults = random.decisions().faults();
        SimDecisions.Fault fault = new SimDecisions.Fault(at, kind, strikes);
        if (place < 0) {
            faults.add(fault);
            return faults.size() - 1;
        }
        faults.set(place, fault);
        return place;
    }

    /** The next fault of a recorded run. */
    private void replay() {
        if (!planned.hasNext()) {
            return;
        }
        SimDecisions.Fault next = planned.next();
        scheduler.at(next.atNanos(), null, "fault", () -> {
            if (raging && next.kind() != null) {
                strike(next.kind(), random.view("strike" + next.number()));
                plan();
            }
        });
    }

    /** Lets a node that has ended start again a little later. */
    void planRestart(SimMachine machine) {
        if (!raging) {
            return;
        }
        scheduler.after((20 + restarts.below(1_500)) * SimScheduler.MILLI, null, "restart", () -> {
            if (!machine.node().alive() && raging) {
                if (!kinds.contains(SimProfile.Fault.DISK_FULL)) {
                    machine.noExcuse();
                }
                machine.node().start();
            }
        });
    }

    private void strike(SimProfile.Fault kind, SimRandom own) {
        SimMachine machine = machine(own);
        SimDisk disk = machine.disks().get(own.below(machine.disks().size()));
        switch (kind) {
            case POWER_CUT -> crash(machine, true, own);
            case KILL -> crash(machine, false, own);
            case CRASH_IN_JOB -> crashInJob(machine, disk, own);
            case CLEAN_RESTART -> machine.node().stopClean();
            case WRITE_ERROR -> failNext(machine, disk, Operation.WRITE, own);
            case SYNC_ERROR ->
                failNext(machine, disk, own.chance(0.8) ? Operation.SYNC : Operation.SYNC_DIRECTORY, own);
            case DISK_FULL -> fill(machine, disk, own);
            case SLOW_DISK -> {
                disk.slowness(own.between(5, 100));
                scheduler.after(own.below(2_000) * SimScheduler.MILLI, null, "fast-again", () -> disk.slowness(1));
            }
            case CONNECTION_KILL -> killConnection(machine, own);
            case CLOCK_JUMP -> {
                machine.clock().jumpMillis(own.between(-10_000, 10_000));
                machine.clock().rates(0.95 + 0.1 * own.below(100) / 100, 0.99 + 0.02 * own.below(100) / 100);
            }
            case NETWORK_CUT -> cut(machine, own);
            case BROKEN_DIRECTORY -> breakDirectory(machine, own);
            case PAUSE -> pause(machine, own);
            case LINK_CUT -> cutLinks(machine, own);
            case GHOST, LONG_LATENCY, PACKET_LOSS, SLOW_BUS -> {
                // at work all the time
            }
        }
    }

    private SimMachine machine(SimRandom own) {
        List<SimMachine> all = world.machines();
        return all.size() == 1 ? all.get(0) : all.get(own.below(all.size()));
    }

    private void crash(SimMachine machine, boolean power, SimRandom own) {
        if (machine.node().alive()) {
            machine.crash(power, power && own.chance(0.3));
            planRestart(machine);
        }
    }

    private void crashInJob(SimMachine machine, SimDisk disk, SimRandom own) {
        machine.nextCrash(own.chance(0.6));
        long at = disk.operations() + own.below(40);
        DiskFaults.Fault fault = switch (own.below(3)) {
            case 0 -> DiskFaults.Fault.CRASH_BEFORE;
            case 1 -> DiskFaults.Fault.CRASH_AFTER;
            default -> DiskFaults.Fault.CRASH_TORN;
        };
        disk.faults(DiskFaults.at(at, fault));
    }

    /** The node ends, and starts without one of its directories; when that works again it is started once more. */
    private void breakDirectory(SimMachine machine, SimRandom own) {
        List<SimDisk> disks = machine.disks();
        if (disks.size() == 1 || !machine.node().alive()) {
            return;
        }
        SimDisk disk = disks.get(own.between(1, disks.size() - 1));
        long until = (2_000 + own.below(2_000)) * SimScheduler.MILLI;
        world.count("disk.broken-directories");
        crash(machine, own.chance(0.5), own);
        machine.breakDirectory(disk);
        scheduler.after(until, null, "directory-mended", () -> {
            machine.mendDirectory(disk);
            if (raging) {
                crash(machine, false, own);
            }
        });
    }

    private void failNext(SimMachine machine, SimDisk disk, Operation kind, SimRandom own) {
        int skip = own.below(5);
        int[] left = {skip};
        disk.faults((operation, path, number) -> {
            if (operation != kind || left[0]-- != 0) {
                return DiskFaults.Fault.NONE;
            }
            world.count("disk.failed-" + kind);
            machine.excuse();
            if (kind != Operation.WRITE) {
                machine.pagesLost();
            }
            return DiskFaults.Fault.ERROR;
        });
    }

    private void fill(SimMachine machine, SimDisk disk, SimRandom own) {
        machine.excuse();
        disk.capacity(disk.usedBytes() + own.below(30_000));
        scheduler.after((200 + own.below(3_000)) * SimScheduler.MILLI, null, "room-again", () -> {
            disk.unbounded();
            world.count("disk.was-full");
        });
    }

    private void cut(SimMachine machine, SimRandom own) {
        SimNetwork network = world.network();
        List<SimWire> wires = machine.node().wires();
        switch (own.below(4)) {
            case 0 -> network.mute(machine.name());
            case 1 -> network.deafen(machine.name());
            case 2 -> {
                network.mute(machine.name());
                network.deafen(machine.name());
            }
            default -> {
                if (!wires.isEmpty()) {
                    network.cut(wires.get(own.below(wires.size())).client(), machine.name());
                }
            }
        }
        world.count("network.cuts");
        scheduler.after((50 + own.below(3_000)) * SimScheduler.MILLI, null, "cut-heals", network::heal);
    }

    private void pause(SimMachine machine, SimRandom own) {
        if (machine.node().alive()) {
            SimLife paused = machine.node().life();
            paused.pause();
            world.count("node.pauses");
            scheduler.after((50 + own.below(4_000)) * SimScheduler.MILLI, null, "goes-on", paused::resume);
        }
    }

    private void cutLinks(SimMachine machine, SimRandom own) {
        List<SimMachine> all = world.machines();
        SimNetwork network = world.network();
        SimMachine other = all.get(own.below(all.size()));
        switch (own.below(4)) {
            case 0 -> network.cut(machine.name(), other.name());
            case 1 -> network.path(machine.name(), other.name()).cut();
            case 2 -> all.forEach(each -> network.cut(machine.name(), each.name()));
            default -> {
                // To one side of the others only.
                int side = own.below(1 << all.size());
                for (int i = 0; i < all.size(); i++) {
                    if ((side >> i & 1) == 1) {
                        network.path(machine.name(), all.get(i).name()).cut();
                    }
                }
            }
        }
        world.count("network.link-cuts");
        scheduler.after((50 + own.below(5_000)) * SimScheduler.MILLI, null, "links-heal", network::heal);
    }

    private void killConnection(SimMachine machine, SimRandom own) {
        List<SimWire> wires = machine.node().wires();
        if (!wires.isEmpty()) {
            SimWire wire = wires.get(own.below(wires.size()));
            wire.killAfter(own.below(2_000), own.below(2_000));
        }
    }

    /** Now and then a request is executed once more, seconds later, from a connection that nobody reads any more. */
    void sent(ApiKeys key, byte[] frame) {
        if (!raging || !kinds.contains(SimProfile.Fault.GHOST)) {
            return;
        }
        if (key == ApiKeys.INIT_PRODUCER_ID && SimTransactions.used(world.profile())) {
            inits = haunt(frame, initHaunting, inits);
        } else if (haunted(key, frame)) {
            ghosts = haunt(frame, haunting, ghosts);
        }
    }

    /** @return how many there are now of {@code before} and this one */
    private int haunt(byte[] frame, SimRandom own, int before) {
        if (before == MAX_GHOSTS || !own.chance(0.1)) {
            return before;
        }
        byte[] copy = frame.clone();
        scheduler.after((1 + own.below(5_000)) * SimScheduler.MILLI, null, "ghost", () -> {
            SimWire wire = machine(own).node().connect("ghost", new Nobody());
            if (wire != null) {
                world.count("ghosts");
                wire.send(copy);
                scheduler.after(2_000 * SimScheduler.MILLI, null, "ghost-gone", wire::closeByClient);
            }
        });
        return before + 1;
    }

    private static boolean haunted(ApiKeys key, byte[] frame) {
        short version = ByteBuffer.wrap(frame).getShort(VERSION_AT);
        return HAUNTED.contains(key) || (HAUNTED_FROM.containsKey(key) && version >= HAUNTED_FROM.get(key));
    }

    private static final class Nobody implements SimWire.ClientEnd {
        @Override
        public void onBytes(byte[] bytes) {}

        @Override
        public void onClosed() {}
    }
}
