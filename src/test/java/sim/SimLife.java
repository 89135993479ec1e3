package sim;

/** One incarnation of a process: everything that belongs to it stops when it ends. */
public final class SimLife {
    private final String name;
    private boolean alive = true;
    private boolean powerLost;

    public SimLife(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public boolean alive() {
        return alive;
    }

    /** True if it ended with the machine's power: what it said of unsynced data counts no more. */
    public boolean powerLost() {
        return powerLost;
    }

    public void end() {
        alive = false;
    }

    /** It lives, but pages were lost: as {@link #powerLost}. */
    void unsyncedLost() {
        powerLost = true;
    }

    void endWithPower() {
        alive = false;
        powerLost = true;
    }
}
