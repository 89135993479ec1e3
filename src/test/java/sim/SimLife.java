package sim;

/** One incarnation of a process: everything that belongs to it stops when it ends. */
public final class SimLife {
    private final String name;
    private final SimLife before;
    private boolean alive = true;
    private boolean powerLost;

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
    }

    /** It lives, but pages were lost: as {@link #powerLost}. */
    void unsyncedLost() {
        for (SimLife each = this; each != null; each = each.before) {
            each.powerLost = true;
        }
    }

    void endWithPower() {
        alive = false;
        unsyncedLost();
    }
}
