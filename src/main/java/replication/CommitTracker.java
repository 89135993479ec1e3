package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Timers;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import replication.IsrProposal.Refusal;
import replication.ReplicaShard.ReadPartition;
import storage.PartitionLog;

/**
 * How far a partition that others follow is committed, in one epoch of its leader: moves the log's high watermark, answers who waits for it, and has the
 * controller change the ISR. Confined to the shard.
 */
final class CommitTracker {
    private final LeaderSetup setup;
    private final PartitionLog log;
    private final InSyncReplicas replicas;
    private final LongConsumer moved;
    private final long epochStart;
    private final CommitWaiters waiting = new CommitWaiters();
    private final ArrayDeque<Written> uncommitted = new ArrayDeque<>(2);
    private Timers.Handle deadline;
    private long deadlineNanos;
    private boolean retryComes;
    /** Null while the epoch lasts. */
    private Failure over;

    /** A batch on its way to be committed. */
    private record Written(long lastOffset, int bytes) {}

    /** @param moved gets the bytes that the high watermark has passed, before who waits for it is answered */
    CommitTracker(LeaderSetup setup, PartitionLog log, IsrState state, LongConsumer moved) {
        this.setup = setup;
        this.log = log;
        this.moved = moved;
        this.epochStart = log.logEndOffset();
        this.replicas = new InSyncReplicas(setup, state, epochStart, now());
    }

    private long now() {
        return setup.clock().monotonicNanos();
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
        if (over != null) {
            done.fail(over);
            return;
        }
        if (log.highWatermark() > lastOffset) {
            done.done(null, afterAppend());
            return;
        }
        long until = now() + timeoutMillis * 1_000_000;
        waiting.await(lastOffset, until, done);
        if (deadline == null || until - deadlineNanos < 0) {
            expireIn(timeoutMillis);
        }
    }

    private void expireIn(long millis) {
        if (deadline != null) {
            deadline.cancel();
        }
        deadlineNanos = now() + millis * 1_000_000;
        deadline = setup.timers().after(millis, this::expire);
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
        if (left >= 0 && deadline == null) {
            expireIn(left);
        }
    }

    /** Whether a fetch says how far its replica is: only one whose log is the beginning of the leader's does. */
    boolean counts(boolean beginningOfLeaders) {
        return beginningOfLeaders || setup.mutations().active("diverged-fetch-counts");
    }

    /**
     * A replica fetches in this epoch. False: it is not one of this partition's, or not its latest process; nothing it says counts then.
     *
     * @param wish it has all below; durably where acks are durable. Its log is the beginning of the leader's
     */
    boolean fetched(int replica, long brokerEpoch, ReadPartition wish) {
        if (!replicas.fetched(replica, brokerEpoch, wish, log.highWatermark(), log.logEndOffset(), now())) {
            return false;
        }
        advance();
        propose();
        return true;
    }

    boolean isInSync(int replica) {
        return replicas.state().isr().contains(replica);
    }

    /** See {@link InSyncReplicas#nearest}. */
    int nearest(String rack, long offset) {
        return replicas.nearest(rack, offset);
    }

    /** Committed metadata of this leader epoch. */
    void update(IsrState state) {
        replicas.update(state, now());
        advance();
        propose();
    }

    /** A batch of {@code bytes}, offsets from first to last, is in the log. */
    void written(long firstOffset, long lastOffset, int bytes) {
        replicas.written(firstOffset, now());
        if (over == null) {
            uncommitted.add(new Written(lastOffset, bytes));
        }
    }

    /** The log has more, or more of it is durable, or time has passed: moves the high watermark as far as it may go. */
    void advance() {
        if (over != null) {
            return;
        }
        long before = log.highWatermark();
        long acknowledged = log.config().durable() ? log.durableEndOffset() : log.logEndOffset();
        long next = replicas.highWatermark(before, acknowledged, log.logEndOffset(), now());
        if (next > before) {
            log.advanceHighWatermark(next);
            moved.accept(passed());
            waiting.committed(log.highWatermark(), afterAppend());
        }
    }

    private long passed() {
        long bytes = 0;
        while (!uncommitted.isEmpty() && uncommitted.peek().lastOffset < log.highWatermark()) {
            bytes += uncommitted.poll().bytes;
        }
        return bytes;
    }

    /** Periodic duty, at least twice in replica.lag.time.max.ms: who lags too long is to leave the ISR (rule I8). */
    void check() {
        advance();
        propose();
    }

    private void propose() {
        IsrProposal proposal = over != null ? null : replicas.propose(log.highWatermark(), log.logEndOffset(), now());
        if (proposal == null) {
            return;
        }
        setup.changes().ask(log.identity(), proposal, new IsrChanges.Outcome() {
            @Override
            public void changed(IsrState state) {
                if (over == null && state.leaderEpoch() == leaderEpoch()) {
                    update(state);
                }
            }

            @Override
            public void refused(Refusal why) {
                if (over == null) {
                    replicas.refused(proposal, why, now());
                    retry();
                }
            }
        });
    }

    /** What must wait before it is asked again is looked at then, also if nobody fetches. */
    private void retry() {
        if (!retryComes) {
            retryComes = true;
            setup.timers().after(InSyncReplicas.RETRY_MILLIS, () -> {
                retryComes = false;
                propose();
            });
        }
    }

    /** The epoch is over. */
    void close(Failure why) {
        over = why;
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
        uncommitted.clear();
        waiting.failAll(why);
    }
}
