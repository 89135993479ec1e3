package sim;

/** One incarnation of a process: everything that belongs to it stops when it ends. */
public final class SimLife {
    private final String name;
    private boolean alive = true;

    public SimLife(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public boolean alive() {
        return alive;
    }

    public void end() {
        alive = false;
    }
}
