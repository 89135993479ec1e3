package replication;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import common.Timers;
import replication.IsrProposal.Refusal;
import replication.ReplicaShard.ReadPartition;
import storage.PartitionLog;

/**
 * How far a partition that others follow is committed, in one epoch of its leader: moves the log's high watermark, answers who waits for it, and has the
 * controller change the ISR. Confined to the shard.
 */
final class CommitTracker {
    private static final long RETRY_MILLIS = 500;

    private final Setup setup;
    private final PartitionLog log;
    private final InSyncReplicas replicas;
    private final Runnable moved;
    private final long epochStart;
    private final CommitWaiters waiting = new CommitWaiters();
    private Timers.Handle deadline;
    private boolean closed;

    /**
     * What all partitions of a shard share.
     *
     * @param self id of this node
     * @param lagNanos replica.lag.time.max.ms
     */
    record Setup(
            int self,
            InSyncReplicas.Brokers brokers,
            IsrChanges changes,
            Clock clock,
            Timers timers,
            long lagNanos,
            Mutations mutations) {}

    /** @param moved runs after the high watermark has moved, before who waits for it is answered */
    CommitTracker(Setup setup, PartitionLog log, IsrState state, Runnable moved) {
        this.setup = setup;
        this.log = log;
        this.moved = moved;
        this.epochStart = log.logEndOffset();
        this.replicas = new InSyncReplicas(setup, state, epochStart, now());
    }

    private long now() {
        return setup.clock.monotonicNanos();
    }

    int leaderEpoch() {
        return replicas.state().leaderEpoch();
    }

    /** Rule I5: what a former leader had committed may lie above the high watermark that this node knows. */
    boolean mayLag() {
        return log.highWatermark() < epochStart;
    }

    /** Null, or why nothing may be appended for acks=all (rule I6). */
    Failure refusal() {
        IsrState state = replicas.state();
        if (state.enough()) {
            return null;
        }
        return Failure.of(
                FailureCode.NOT_ENOUGH_REPLICAS,
                "only " + state.isr().size() + " replica(s) are in sync, min.insync.replicas is " + state.minIsr());
    }

    /** {@code done} when the append that ends with {@code lastOffset} is committed in this epoch, or its time is up (rule I6). */
    void await(long lastOffset, long timeoutMillis, Callback<Void> done) {
        if (log.highWatermark() > lastOffset) {
            done.done(null, afterAppend());
            return;
        }
        waiting.await(lastOffset, now() + timeoutMillis * 1_000_000, done);
        if (deadline == null) {
            deadline = setup.timers.after(timeoutMillis, this::expire);
        }
    }

    private Failure afterAppend() {
        Failure few = refusal();
        return few == null ? null : new Failure(FailureCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, few.message());
    }

    private void expire() {
        deadline = null;
        waiting.expire(
                now(),
                Failure.of(
                        FailureCode.TIMED_OUT,
                        "it is appended, but not in all in-sync replicas in time; it may be yet"));
        long left = waiting.millisLeft(now());
        if (left >= 0 && deadline == null && !closed) {
            deadline = setup.timers.after(left, this::expire);
        }
    }

    /** Whether a fetch says how far its replica is: only one whose log is the beginning of the leader's does. */
    boolean counts(boolean beginningOfLeaders) {
        return beginningOfLeaders || setup.mutations.active("diverged-fetch-counts");
    }

    /**
     * A replica fetches in this epoch. False: it is not one of this partition's, or not its latest process; nothing it says counts then.
     *
     * @param wish it has all below; durably where acks are durable. Its log is the beginning of the leader's
     */
    boolean fetched(int replica, long brokerEpoch, ReadPartition wish) {
        if (!replicas.fetched(
                replica, brokerEpoch, wish.fetchOffset(), wish.logStartOffset(), log.logEndOffset(), now())) {
            return false;
        }
        advance();
        propose();
        return true;
    }

    /** Committed metadata of this leader epoch. */
    void update(IsrState state) {
        replicas.update(state, now());
        advance();
        propose();
    }

    /** The log has more, or more of it is durable, or time has passed: moves the high watermark as far as it may go. */
    void advance() {
        long before = log.highWatermark();
        long acknowledged = log.config().durable() ? log.durableEndOffset() : log.logEndOffset();
        long next = replicas.highWatermark(before, acknowledged, log.logEndOffset(), now());
        if (next > before) {
            log.advanceHighWatermark(next);
            moved.run();
            waiting.committed(log.highWatermark(), afterAppend());
        }
    }

    /** Periodic duty, at least twice in replica.lag.time.max.ms: who lags too long is to leave the ISR (rule I8). */
    void check() {
        advance();
        propose();
    }

    private void propose() {
        IsrProposal proposal = closed ? null : replicas.propose(log.highWatermark(), log.logEndOffset(), now());
        if (proposal == null) {
            return;
        }
        setup.changes.ask(log.identity(), proposal, new IsrChanges.Outcome() {
            @Override
            public void changed(IsrState state) {
                if (!closed && state.leaderEpoch() == leaderEpoch()) {
                    update(state);
                }
            }

            @Override
            public void refused(Refusal why) {
                if (closed) {
                    return;
                }
                replicas.refused(proposal, why);
                if (why == Refusal.UNKNOWN) {
                    setup.timers.after(RETRY_MILLIS, CommitTracker.this::propose);
                }
            }
        });
    }

    /** Rule I12: below it no replica that is served has anything. */
    long lowWatermark() {
        return replicas.lowWatermark(log.logStartOffset());
    }

    /** The epoch is over. */
    void close(Failure why) {
        closed = true;
        if (deadline != null) {
            deadline.cancel();
        }
        waiting.failAll(why);
    }
}
