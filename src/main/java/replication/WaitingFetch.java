package replication;

import common.Timers;
import java.util.List;
import storage.ReadBound;

/**
 * A fetch that found too little and waits on the partitions it read (KIP-98's and Kafka's delayed fetch, without a purgatory). It ends once: by enough new
 * bytes, a change of leadership, cancellation or its deadline. Confined to the shard.
 */
public final class WaitingFetch {
    /**
     * A replica's fetch waits no longer once it has a new high watermark to tell, which the next records mostly tell before: half of all fetches under load
     * would else carry nothing more. Consumers that read from a replica see records so much later (KIP-392).
     */
    private static final long TELL_HIGH_WATERMARK_MILLIS = 10;

    private final List<? extends ReadableReplica> watched;
    private final Runnable end;
    private final ReadBound bound;
    private long missingBytes;
    private Timers timers;
    private Timers.Handle deadline;
    private Timers.Handle telling;
    private boolean ended;

    /**
     * @param bound what it may read
     * @param end reads once more and answers; run exactly once
     */
    public WaitingFetch(List<? extends ReadableReplica> watched, ReadBound bound, long missingBytes, Runnable end) {
        this.bound = bound;
        this.watched = watched;
        this.missingBytes = missingBytes;
        this.end = end;
    }

    /** Begins to wait. */
    public void start(Timers timers, long maxWaitMillis) {
        this.timers = timers;
        for (ReadableReplica replica : watched) {
            replica.watch(this);
        }
        deadline = timers.after(maxWaitMillis, this::finish);
    }

    /** There is a high watermark that the reader, a replica, has not been told. After {@link #start}. */
    public void highWatermarkMoved() {
        if (telling == null && !ended) {
            telling = timers.after(TELL_HIGH_WATERMARK_MILLIS, this::finish);
        }
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
        if (telling != null) {
            telling.cancel();
        }
        for (ReadableReplica replica : watched) {
            replica.unwatch(this);
        }
        end.run();
    }
}
