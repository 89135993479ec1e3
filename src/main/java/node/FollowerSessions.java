package node;

import common.Callback;
import common.Failure;
import common.PartitionId;
import common.Ports;
import common.Timers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import replication.LeaderReplica;
import replication.ReplicaShard.News;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.SessionId;
import replication.ReplicaShard.SessionRead;

/** The sessions in which other nodes follow partitions of one shard. Confined to it. */
final class FollowerSessions implements FollowerSession.Shard {
    private final PartitionTable partitions;
    private final Ports ports;
    private final Consumer<Runnable> soon;
    private final ReplicationThrottles.Side throttle;
    private final Map<SessionId, FollowerSession> sessions = new LinkedHashMap<>();
    private boolean stopped;

    /** @param soon runs a task on the shard after what is queued for it now */
    FollowerSessions(
            PartitionTable partitions, Ports ports, Consumer<Runnable> soon, ReplicationThrottles.Side throttle) {
        this.partitions = partitions;
        this.ports = ports;
        this.soon = soon;
        this.throttle = throttle;
    }

    void fetch(SessionRead request, Callback<List<News>> done) {
        if (stopped) {
            done.succeed(List.of());
        } else {
            sessions.computeIfAbsent(request.session(), id -> new FollowerSession(this))
                    .fetch(request, done);
        }
    }

    void hurry(SessionId id) {
        FollowerSession session = sessions.get(id);
        if (session != null) {
            session.hurry();
        }
    }

    void end(SessionId id) {
        FollowerSession session = sessions.remove(id);
        if (session != null) {
            session.end();
        }
    }

    /** All that wait are answered; nothing waits any more. */
    void stop() {
        stopped = true;
        List.copyOf(sessions.values()).forEach(FollowerSession::end);
        sessions.clear();
    }

    @Override
    public LeaderReplica leader(PartitionId partition) {
        return partitions.get(partition);
    }

    @Override
    public Failure whyNot(ReadPartition wish) {
        return partitions.failureOf(wish.partition(), wish.currentLeaderEpoch());
    }

    @Override
    public Timers timers() {
        return ports.timers();
    }

    @Override
    public long nanos() {
        return ports.clock().monotonicNanos();
    }

    @Override
    public ReplicationThrottles.Side throttle() {
        return throttle;
    }

    @Override
    public void soon(Runnable task) {
        soon.accept(task);
    }
}
