package replication;

import common.Timers;
import java.util.List;
import storage.ReadBound;

/**
 * A fetch that found too little and waits on the partitions it read (KIP-98's and Kafka's delayed fetch, without a purgatory). It ends once: by enough new
 * bytes, a change of leadership, cancellation or its deadline. Confined to the shard.
 */
public final class WaitingFetch {
    private final List<LeaderReplica> watched;
    private final Runnable end;
    private final ReadBound bound;
    private long missingBytes;
    private Timers.Handle deadline;
    private boolean ended;

    /**
     * @param bound what it may read
     * @param end reads once more and answers; run exactly once
     */
    public WaitingFetch(List<LeaderReplica> watched, ReadBound bound, long missingBytes, Runnable end) {
        this.bound = bound;
        this.watched = watched;
        this.missingBytes = missingBytes;
        this.end = end;
    }

    /** Begins to wait. */
    public void start(Timers timers, long maxWaitMillis) {
        for (LeaderReplica replica : watched) {
            replica.watch(this);
        }
        deadline = timers.after(maxWaitMillis, this::finish);
    }

    ReadBound bound() {
        return bound;
    }

    /** {@code bytes} more have become readable; true if that ends the wait. The caller then runs {@link #finish}. */
    boolean appended(long bytes) {
        missingBytes -= bytes;
        return missingBytes <= 0;
    }

    /** Ends the wait now. Idempotent. */
    public void finish() {
        if (ended) {
            return;
        }
        ended = true;
        if (deadline != null) {
            deadline.cancel();
        }
        for (LeaderReplica replica : watched) {
            replica.unwatch(this);
        }
        end.run();
    }
}
