package node;

import common.PartitionId;
import replication.LeaderReplica;
import storage.PartitionLog;

/** A partition of a shard whose log is open, and what this node is to it: its leader, a follower or neither. {@link PartitionRoles} changes that. */
final class OpenPartition {
    private final PartitionId id;
    private final PartitionLog log;
    private final ShardDirectory directory;
    /** Null where it is not led here. */
    LeaderReplica leader;
    /** Null where it does not follow another node. */
    FollowedReplica followed;
    /** A role begins as soon as what a former one has begun to write is over. */
    boolean waits;
    /** A former role as follower has something under way. */
    boolean busy;
    /** It is to be closed or deleted, and has no role any more. */
    boolean leaving;

    OpenPartition(PartitionId id, PartitionLog log, ShardDirectory directory) {
        this.id = id;
        this.log = log;
        this.directory = directory;
    }

    PartitionId id() {
        return id;
    }

    PartitionLog log() {
        return log;
    }

    /** Where the log lies. */
    ShardDirectory directory() {
        return directory;
    }
}
