package sim;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import sim.DiskFaults.Operation;

/** The faults of one run: which of the profile's kinds strikes when. */
final class SimStorm {
    private static final int MAX_GHOSTS = 30;

    /** Not a KIP-848 heartbeat that joins, leaves or gives up partitions, nor a commit: nothing in them tells a late repeat from a new one. */
    private static final Set<ApiKeys> HAUNTED = EnumSet.of(
            ApiKeys.PRODUCE,
            ApiKeys.FETCH,
            ApiKeys.JOIN_GROUP,
            ApiKeys.SYNC_GROUP,
            ApiKeys.HEARTBEAT,
            ApiKeys.LEAVE_GROUP);

    private final SimWorld world;
    private final SimRandom random;
    private final SimScheduler scheduler;
    private final List<SimProfile.Fault> kinds;
    private boolean raging;
    private int ghosts;

    SimStorm(SimWorld world, SimRandom random) {
        this.world = world;
        this.random = random;
        this.scheduler = world.scheduler();
        this.kinds = world.profile().faultList();
    }

    void begin() {
        raging = true;
        if (kinds.contains(SimProfile.Fault.LONG_LATENCY)) {
            world.network().longTail(0.01);
        }
        plan();
    }

    /** No more faults; what was broken works again. */
    void end() {
        raging = false;
        world.network().longTail(0);
        world.machines().forEach(SimMachine::faultsEnd);
        scheduler.note("storm-ends", 0);
    }

    private void plan() {
        int mean = world.profile().get("faultMillis");
        scheduler.after((1 + random.below(2 * mean)) * SimScheduler.MILLI, null, "fault", () -> {
            if (raging && !kinds.isEmpty()) {
                strike(kinds.get(random.below(kinds.size())));
                plan();
            }
        });
    }

    /** Lets a node that has ended start again a little later. */
    void planRestart(SimMachine machine) {
        if (!raging) {
            return;
        }
        scheduler.after((20 + random.below(1_500)) * SimScheduler.MILLI, null, "restart", () -> {
            if (!machine.node().alive() && raging) {
                if (!kinds.contains(SimProfile.Fault.DISK_FULL)) {
                    machine.noExcuse();
                }
                machine.node().start();
            }
        });
    }

    private void strike(SimProfile.Fault kind) {
        SimMachine machine = machine();
        SimDisk disk = machine.disks().get(random.below(machine.disks().size()));
        switch (kind) {
            case POWER_CUT -> crash(machine, true);
            case KILL -> crash(machine, false);
            case CRASH_IN_JOB -> crashInJob(machine, disk);
            case CLEAN_RESTART -> machine.node().stopClean();
            case WRITE_ERROR -> failNext(machine, disk, Operation.WRITE);
            case SYNC_ERROR -> failNext(machine, disk, random.chance(0.8) ? Operation.SYNC : Operation.SYNC_DIRECTORY);
            case DISK_FULL -> fill(machine, disk);
            case SLOW_DISK -> {
                disk.slowness(random.between(5, 100));
                scheduler.after(random.below(2_000) * SimScheduler.MILLI, null, "fast-again", () -> disk.slowness(1));
            }
            case CONNECTION_KILL -> killConnection(machine);
            case CLOCK_JUMP -> {
                machine.clock().jumpMillis(random.between(-10_000, 10_000));
                machine.clock().rates(0.95 + 0.1 * random.below(100) / 100, 0.99 + 0.02 * random.below(100) / 100);
            }
            case GHOST, LONG_LATENCY -> {
                // at work all the time
            }
        }
    }

    private SimMachine machine() {
        List<SimMachine> all = world.machines();
        return all.size() == 1 ? all.get(0) : all.get(random.below(all.size()));
    }

    private void crash(SimMachine machine, boolean power) {
        if (machine.node().alive()) {
            machine.crash(power, power && random.chance(0.3));
            planRestart(machine);
        }
    }

    private void crashInJob(SimMachine machine, SimDisk disk) {
        machine.nextCrash(random.chance(0.6));
        long at = disk.operations() + random.below(40);
        DiskFaults.Fault fault = switch (random.below(3)) {
            case 0 -> DiskFaults.Fault.CRASH_BEFORE;
            case 1 -> DiskFaults.Fault.CRASH_AFTER;
            default -> DiskFaults.Fault.CRASH_TORN;
        };
        disk.faults(DiskFaults.at(at, fault));
    }

    private void failNext(SimMachine machine, SimDisk disk, Operation kind) {
        int skip = random.below(5);
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

    private void fill(SimMachine machine, SimDisk disk) {
        machine.excuse();
        disk.capacity(disk.usedBytes() + random.below(30_000));
        scheduler.after((200 + random.below(3_000)) * SimScheduler.MILLI, null, "room-again", () -> {
            disk.unbounded();
            world.count("disk.was-full");
        });
    }

    private void killConnection(SimMachine machine) {
        List<SimWire> wires = machine.node().wires();
        if (!wires.isEmpty()) {
            SimWire wire = wires.get(random.below(wires.size()));
            wire.killAfter(random.below(2_000), random.below(2_000));
        }
    }

    /** Now and then a request is executed once more, seconds later, from a connection that nobody reads any more. */
    void sent(ApiKeys key, byte[] frame) {
        boolean wanted = raging && kinds.contains(SimProfile.Fault.GHOST) && ghosts < MAX_GHOSTS;
        if (!wanted || !HAUNTED.contains(key) || !random.chance(0.1)) {
            return;
        }
        ghosts++;
        byte[] copy = frame.clone();
        scheduler.after((1 + random.below(5_000)) * SimScheduler.MILLI, null, "ghost", () -> {
            SimWire wire = machine().node().connect(world.network(), "ghost", new Nobody());
            if (wire != null) {
                world.count("ghosts");
                wire.send(copy);
                scheduler.after(2_000 * SimScheduler.MILLI, null, "ghost-gone", wire::closeByClient);
            }
        });
    }

    private static final class Nobody implements SimWire.ClientEnd {
        @Override
        public void onBytes(byte[] bytes) {}

        @Override
        public void onClosed() {}
    }
}
