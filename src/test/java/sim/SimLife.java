package sim;

import java.util.ArrayDeque;

/** One incarnation of a process: everything that belongs to it stops when it ends, and waits while it is paused (as by SIGSTOP). */
public final class SimLife {
    private final String name;
    private final SimLife before;
    private boolean alive = true;
    private boolean powerLost;
    private boolean paused;
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();

    public SimLife(String name) {
        this(name, null);
    }

    /** @param before the incarnation before this one on the same disks; null for none */
    SimLife(String name, SimLife before) {
        this.name = name;
        this.before = before;
    }

    public String name() {
        return name;
    }

    public boolean alive() {
        return alive;
    }

    /** True if the machine's power was lost in its time or later: what it said of unsynced data counts no more, also when it arrives late. */
    public boolean powerLost() {
        return powerLost;
    }

    public void end() {
        alive = false;
        held.clear();
    }

    boolean paused() {
        return paused;
    }

    /** What comes for it waits from now on, in order; clocks go on, and the machine still accepts connections and bytes for it. */
    void pause() {
        paused = true;
    }

    /** All that has come meanwhile is done now, and late timers with it. */
    void resume() {
        paused = false;
        while (!held.isEmpty() && !paused) {
            held.poll().run();
        }
    }

    /** Does {@code action}, now or when it is resumed; not at all when it has ended by then. */
    void run(Runnable action) {
        if (paused && alive) {
            held.add(action);
        } else if (alive) {
            action.run();
        }
    }

    /** It lives, but pages were lost: as {@link #powerLost}. */
    void unsyncedLost() {
        for (SimLife each = this; each != null; each = each.before) {
            each.powerLost = true;
        }
    }

    void endWithPower() {
        end();
        unsyncedLost();
    }
}
