package replication;

/**
 * What the leader of a partition knows of one other replica in its epoch: nothing of former epochs counts (rule I4). Confined to the shard.
 */
final class Follower {
    private static final int SURE = 3;

    private final int id;
    private long endOffset = -1;
    private long logStart;
    private long brokerEpoch = -1;
    /** When it last had all that the leader had; meaningless while {@link #everCaughtUp} is not set. */
    private long caughtUpNanos;

    private boolean everCaughtUp;
    private long lastFetchNanos;
    private long leaderEndAtLastFetch = Long.MAX_VALUE;
    /** How many fetches in a row said that it has less than what is committed. */
    private int fetchesBelowCommitted;

    /** @param inSync counts as caught up at {@code nowNanos}: the new leader gives each member of the ISR its whole time (rule I8) */
    Follower(int id, boolean inSync, long nowNanos) {
        this.id = id;
        this.everCaughtUp = inSync;
        this.caughtUpNanos = nowNanos;
    }

    int id() {
        return id;
    }

    /** End of its log, durable where acks are durable (rules I7, R8); -1 before its first fetch of this epoch. */
    long endOffset() {
        return endOffset;
    }

    /** Start of its log, as its last fetch said. */
    long logStart() {
        return logStart;
    }

    void logStart(long offset) {
        logStart = offset;
    }

    /** As Kafka compares: the end of the log, then who was caught up later, then the id. */
    boolean hasMoreThan(Follower other) {
        if (endOffset != other.endOffset) {
            return endOffset > other.endOffset;
        }
        long later = caughtUpNanos - other.caughtUpNanos;
        return later != 0 ? later > 0 : id > other.id;
    }

    /** Of the process that fetched last; -1 before its first fetch of this epoch. */
    long brokerEpoch() {
        return brokerEpoch;
    }

    /**
     * It asked for {@code offset}, and so has all below. Who reaches what the leader had at its former fetch was caught up then: under steady load nobody ever
     * has all that the leader has now (KIP-16).
     *
     * @param leaderEnd of the leader's log at this moment
     */
    void fetched(long offset, long epoch, long leaderEnd, long nowNanos) {
        if (epoch > brokerEpoch) {
            // Another process: what the former one had says nothing of it.
            leaderEndAtLastFetch = Long.MAX_VALUE;
        }
        if (offset >= leaderEnd) {
            caughtUp(nowNanos);
        } else if (offset >= leaderEndAtLastFetch) {
            caughtUp(lastFetchNanos);
        }
        endOffset = offset;
        brokerEpoch = epoch;
        lastFetchNanos = nowNanos;
        leaderEndAtLastFetch = leaderEnd;
    }

    /** The leader's log, which ended at {@code formerEnd}, has grown. A follower that has all of a resting partition does not ask for it again and again. */
    void grown(long formerEnd, long nowNanos) {
        if (endOffset >= formerEnd) {
            caughtUp(nowNanos);
        }
    }

    private void caughtUp(long atNanos) {
        caughtUpNanos = everCaughtUp && caughtUpNanos - atNanos > 0 ? caughtUpNanos : atNanos;
        everCaughtUp = true;
    }

    /** As {@link #fetched}: counts whether it has all that is committed. */
    void committedAt(long highWatermark) {
        fetchesBelowCommitted = endOffset < highWatermark ? fetchesBelowCommitted + 1 : 0;
    }

    /** A member of the ISR that says so again and again has lost records; once may be a fetch that came late. */
    boolean hasLost() {
        return fetchesBelowCommitted >= SURE;
    }

    /** Has what the leader has, or had it within {@code lagNanos}. */
    boolean isCaughtUp(long leaderEnd, long nowNanos, long lagNanos) {
        return endOffset >= leaderEnd || (everCaughtUp && nowNanos - caughtUpNanos <= lagNanos);
    }
}
