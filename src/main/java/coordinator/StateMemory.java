package coordinator;

/** The part of its runtime's {@link StateBudget} that one incarnation of a shard takes; given back when the shard is unloaded. Confined to the owner. */
public final class StateMemory {
    /** Object, array and length of a string. */
    private static final int TEXT = 48;

    private static final char LAST_OF_ONE_BYTE = 0xFF;

    private final StateBudget budget;
    private long bytes;
    private boolean ended;

    StateMemory(StateBudget budget) {
        this.budget = budget;
    }

    /** What a string takes on the heap: one byte for each character, two when one of them needs that; 0 for null. */
    public static long ofText(String text) {
        if (text == null) {
            return 0;
        }
        boolean wide = text.chars().anyMatch(each -> each > LAST_OF_ONE_BYTE);
        return TEXT + (wide ? 2L : 1L) * text.length();
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
