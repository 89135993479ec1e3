package replication;

/** Told of all that happens in a partition led here that a follower is to hear of. Called on the shard, from within what the leader does: it only takes note. */
public interface LeaderWatch {

    /** {@code bytes} more are in the log. */
    void written(long bytes);

    void highWatermarkMoved();

    /** Another epoch has begun, the log starts elsewhere, or this node leads no more. */
    void changed();
}
