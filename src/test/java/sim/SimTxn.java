package sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One transaction as its producer lived it: what it wrote where, and what it knows of the end. */
final class SimTxn {
    final String name;
    final SimTxnId of;
    /** Rises within its transactional id; also what its producer commits as an offset, if it does. */
    final long number;
    /** Its producer speaks the second protocol: its epoch tells it from the next one. */
    boolean second;
    /** Values by partition, in the order in which they were sent. */
    final Map<SimTxnPartition, List<String>> records = new LinkedHashMap<>();
    /** Its producer has sent {@link #number} as a group's offset. */
    boolean offset;
    /** The one whose offsets it commits, or tries to; null for none. */
    String group;

    /** Nothing of it may come later than its end: of the first protocol it may, when requests come again. */
    boolean closes;

    private long endedAt = Long.MAX_VALUE;
    private boolean commitAsked;
    private boolean committed;
    private boolean refused;

    SimTxn(String name, SimTxnId of, long number) {
        this.name = name;
        this.of = of;
        this.number = number;
    }

    void wrote(SimTxnPartition partition, String value) {
        records.computeIfAbsent(partition, none -> new ArrayList<>()).add(value);
    }

    boolean isEmpty() {
        return records.isEmpty() && !offset;
    }

    void askCommit() {
        commitAsked = true;
    }

    /** Answered: it is committed. */
    void committed() {
        if (refused) {
            throw new RuleBroken("T6 an end stays", name + " was answered as not committed, and then as committed");
        }
        committed = true;
    }

    /** Answered, with no request of unknown outcome before: it is not committed and will not be. */
    void refused() {
        if (committed) {
            throw new RuleBroken("T6 an end stays", name + " was answered as committed, and then as not committed");
        }
        refused = true;
    }

    /** Its producer was told now that it is ended. */
    void ended(long now) {
        endedAt = now;
    }

    /** Whether it was ended before {@code when}, and so is all that it will ever be. */
    boolean closedBefore(long when) {
        return closes && endedAt < when;
    }

    boolean mayBeVisible() {
        return commitAsked && !refused;
    }

    boolean mustBeVisible() {
        return committed;
    }

    @Override
    public String toString() {
        return name
                + (committed ? " (committed)" : refused ? " (refused)" : commitAsked ? " (unknown)" : " (not ended)");
    }
}
