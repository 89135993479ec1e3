package raft;

/**
 * An end of a log, or of a part or snapshot of it.
 *
 * @param offset one past the last record
 * @param epoch of the record before {@code offset}; 0 when there is none (no leader has epoch 0)
 */
public record OffsetAndEpoch(long offset, int epoch) {
    public static final OffsetAndEpoch START = new OffsetAndEpoch(0, 0);

    /** Rule R3's test: a log with this end has all that one with {@code other} can have committed. Epoch first, then length. */
    public boolean notBehind(OffsetAndEpoch other) {
        return epoch > other.epoch || (epoch == other.epoch && offset >= other.offset);
    }

    @Override
    public String toString() {
        return offset + "@" + epoch;
    }
}
