package sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The place of one process with a transactional id. The process ends without a word now and then, or a successor begins while it still works and does not know
 * that it is a zombie; when one is over, the next begins.
 */
final class SimTxnSlot implements SimClient {
    private static final int MOST_ZOMBIES = 2;

    private final SimNet net;
    private final SimRandom random;
    private final String name;
    private final int restMillis;
    private final IntFunction<Instance> processes;
    private final List<Instance> zombies = new ArrayList<>();
    private Instance current;
    private int count;
    private boolean working = true;
    private boolean stopped;

    /** One process. */
    interface Instance {
        void start();

        /** As by kill -9. */
        void kill();

        /** It was told that it is fenced, or has nothing more to do. */
        boolean over();

        /** Finishes what it has begun. */
        void quiesce();

        /** What it has still to do; null for nothing. */
        String unfinished();
    }

    /** @param restMillis longest time that the place is empty */
    SimTxnSlot(SimNet net, SimRandom random, String name, int restMillis, IntFunction<Instance> processes) {
        this.net = net;
        this.random = random;
        this.name = name;
        this.restMillis = restMillis;
        this.processes = processes;
    }

    @Override
    public void start() {
        next();
        tick();
    }

    private void next() {
        current = processes.apply(count++);
        current.start();
        if (!working) {
            current.quiesce();
        }
    }

    private void tick() {
        net.scheduler().after((20 + random.below(100)) * SimScheduler.MILLI, null, "txn-slot", () -> {
            if (stopped) {
                return;
            }
            zombies.removeIf(Instance::over);
            if (current != null && current.over() && (working || current.unfinished() != null)) {
                rest("over");
            } else if (current != null && working && random.chance(0.04)) {
                misbehave();
            }
            tick();
        });
    }

    private void misbehave() {
        if (random.chance(0.5)) {
            current.kill();
            rest("killed");
        } else if (zombies.size() < MOST_ZOMBIES) {
            net.count("txn.zombies");
            zombies.add(current);
            next();
        }
    }

    private void rest(String why) {
        net.count("txn.process-" + why);
        current = null;
        long pause = 1L + random.below(working ? restMillis : 50);
        net.scheduler().after(pause * SimScheduler.MILLI, null, "txn-next", () -> {
            if (!stopped && current == null) {
                next();
            }
        });
    }

    @Override
    public void quiesce() {
        working = false;
        zombies.forEach(Instance::quiesce);
        if (current != null) {
            current.quiesce();
        }
    }

    @Override
    public String unfinished() {
        if (current == null) {
            return name + " has no process";
        }
        for (Instance each : zombies) {
            if (!each.over() && each.unfinished() != null) {
                return "zombie " + each.unfinished();
            }
        }
        return current.unfinished();
    }

    @Override
    public void stop() {
        stopped = true;
        zombies.forEach(Instance::kill);
        if (current != null) {
            current.kill();
        }
    }
}
