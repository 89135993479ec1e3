package node;

import common.Callback;
import common.Failure;
import common.PartitionId;
import java.util.function.Consumer;
import node.FollowedPartitions.Followed;
import replication.FollowerReplica;
import replication.FollowerReplica.Fetched;
import replication.FollowerReplica.Wish;
import replication.ReadableReplica;
import storage.PartitionLog;

/** An {@link OpenPartition} while it follows one leader in one epoch. Confined to the shard. */
final class FollowedReplica implements Followed {
    private final OpenPartition partition;
    private final FollowerReplica replica;
    private final int leader;
    private final int leaderEpoch;
    private final Consumer<OpenPartition> settled;
    private boolean ended;

    /** @param settled told when what was under way as following ended is over */
    FollowedReplica(
            OpenPartition partition,
            FollowerReplica replica,
            int leader,
            int leaderEpoch,
            Consumer<OpenPartition> settled) {
        this.partition = partition;
        this.replica = replica;
        this.leader = leader;
        this.leaderEpoch = leaderEpoch;
        this.settled = settled;
    }

    @Override
    public PartitionId id() {
        return partition.id();
    }

    @Override
    public int leader() {
        return leader;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public PartitionLog log() {
        return partition.log();
    }

    @Override
    public boolean inSync() {
        return replica.inSync();
    }

    /** For consumers that read from followers. */
    ReadableReplica readable() {
        return replica;
    }

    void inSync(boolean member) {
        replica.follow(leaderEpoch, member);
    }

    @Override
    public Wish wish() {
        return ended ? null : replica.wish();
    }

    @Override
    public boolean mustFlush() {
        return !ended && replica.mustFlush();
    }

    @Override
    public void flush(Callback<Void> done) {
        if (ended) {
            done.succeed(null);
        } else {
            replica.flush(begun(done));
        }
    }

    @Override
    public void take(Wish wish, Fetched answer, Callback<Void> done) {
        if (ended) {
            done.succeed(null);
        } else {
            replica.take(wish, answer, begun(done));
        }
    }

    @Override
    public void restartAt(Wish wish, long leaderLogStart, Callback<Void> done) {
        if (ended) {
            done.succeed(null);
        } else {
            replica.restartAt(wish, leaderLogStart, begun(done));
        }
    }

    private Callback<Void> begun(Callback<Void> done) {
        partition.busy = true;
        return (none, failure) -> {
            partition.busy = false;
            over(failure, done);
        };
    }

    private void over(Failure failure, Callback<Void> done) {
        partition.directory().cutEnded(partition.log());
        done.done(null, failure);
        if (ended) {
            settled.accept(partition);
        }
    }

    /** Nothing more is asked for or taken. */
    void end() {
        ended = true;
        replica.close();
    }
}
