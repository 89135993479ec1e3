package replication;

import common.Callback;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import storage.ReadBound;

/** A replica of a partition that is read: where this node leads, by consumers and followers; where it follows, by consumers that asked to (KIP-392). On the shard. */
public interface ReadableReplica {

    /** The outcome carries failures, the callback never fails. */
    void read(ReadPartition wish, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadOutcome> done);

    /** First offset that a reader with this bound cannot see. */
    long readableEnd(ReadBound bound);

    void watch(WaitingFetch fetch);

    void unwatch(WaitingFetch fetch);
}
