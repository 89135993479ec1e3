package coordinator;

/** The part of its runtime's {@link StateBudget} that one incarnation of a shard takes; given back when the shard is unloaded. Confined to the owner. */
public final class StateMemory {
    /** Object, array and length of a string. */
    private static final int TEXT = 48;

    private static final int MOST_OF_A_CHAR = 2;

    private final StateBudget budget;
    private long bytes;
    private boolean ended;

    StateMemory(StateBudget budget) {
        this.budget = budget;
    }

    /** The most that a string takes on the heap. */
    public static long ofText(String text) {
        return text == null ? 0 : TEXT + MOST_OF_A_CHAR * (long) text.length();
    }

    /** The shard keeps so many bytes more, or fewer; also while it is being loaded. */
    public void add(long change) {
        if (!ended) {
            bytes += change;
            budget.add(change);
        }
    }

    /** Whether there is room for an id or a group that is not there yet. If not, the request is to be refused with COORDINATOR_NOT_AVAILABLE: every client tries again. */
    public boolean takesNew() {
        return budget.takesNew();
    }

    /** As {@link #takesNew}, for more bytes of what is there: for this a reserve is kept. Always when it does not grow. */
    public boolean takesGrowth(long growth) {
        return budget.takesGrowth(growth);
    }

    /** That the shard keeps now. */
    long bytes() {
        return bytes;
    }

    /** The shard is gone. */
    void end() {
        budget.add(-bytes);
        bytes = 0;
        ended = true;
    }
}
