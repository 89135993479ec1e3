package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchHeader;
import records.ControlBatches;
import records.RecordError;
import replication.ReplicaShard.Marker;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.BatchOrigin;
import storage.PartitionLog;

/**
 * What is written to a partition that this node leads, in one leader epoch after the other: admits it, appends it, answers when it is committed as far as its
 * sender asked for. Where this node is the only replica the high watermark is the log's end, or its durable end where acks are durable (rules I4, I7); else a
 * {@link CommitTracker} knows. Confined to the shard.
 */
final class LeaderAppends {
    private static final short ACKS_ALL = -1;
    private static final long UNAWAITED = -1;
    /** After it the outcome of a coordinator's or marker's append counts as unknown. */
    private static final long OWN_COMMIT_MILLIS = 30_000;
    /** From this transaction version on a marker's epoch is above that of its transaction. */
    private static final short ABOVE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(LeaderAppends.class);

    private final PartitionLog log;
    private final Admission admission;
    private final TransactionGate gate;
    private final FetchWaiters waiters = new FetchWaiters();
    /** -1 before the first. */
    private int leaderEpoch = -1;
    /** Null for the only replica. */
    private CommitTracker tracker;
    /** The last stable offset that waiting fetches were told of; with followers only. */
    private long stableEnd;
    /** Null while this node leads. */
    private Failure over;

    LeaderAppends(PartitionLog log, Admission admission, TransactionGate gate) {
        this.log = log;
        this.admission = admission;
        this.gate = gate;
    }

    PartitionLog log() {
        return log;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    /** Null for the only replica. */
    CommitTracker tracker() {
        return tracker;
    }

    boolean isInSync(int replica) {
        return tracker != null && tracker.isInSync(replica);
    }

    /** See {@link InSyncReplicas#nearest}; -1 for the only replica. */
    int nearest(String rack, long offset) {
        return tracker == null ? -1 : tracker.nearest(rack, offset);
    }

    FetchWaiters waiters() {
        return waiters;
    }

    /** Null while this node leads; else why it does not. */
    Failure over() {
        return over;
    }

    /** See {@link LeaderReplica#lead(int, Callback)}. */
    void lead(int epoch, Callback<Void> done) {
        begin(epoch, null, done);
    }

    /** See {@link LeaderReplica#lead(IsrState, LeaderSetup, Callback)}. */
    void lead(IsrState state, LeaderSetup setup, Callback<Void> done) {
        if (state.leaderEpoch() < leaderEpoch) {
            done.succeed(null);
        } else if (state.leaderEpoch() > leaderEpoch) {
            begin(state.leaderEpoch(), isAlone(state) ? null : tracker(setup, state), done);
        } else if (tracker != null) {
            tracker.update(state);
            done.succeed(null);
        } else if (isAlone(state)) {
            done.succeed(null);
        } else {
            // Others join the only replica.
            begin(leaderEpoch, tracker(setup, state), done);
        }
    }

    /** No others are to be waited for, and nothing has to be told to the controller. */
    private static boolean isAlone(IsrState state) {
        return state.replicas().size() == 1 && !state.recovering();
    }

    private CommitTracker tracker(LeaderSetup setup, IsrState state) {
        return new CommitTracker(setup, log, state, this::committed);
    }

    private void begin(int epoch, CommitTracker next, Callback<Void> done) {
        if (tracker != null) {
            tracker.close(Failure.of(FailureCode.NOT_LEADER, "leader epoch " + epoch + " has begun"));
        }
        leaderEpoch = epoch;
        tracker = next;
        advanceAlone();
        log.beginEpoch(epoch, done);
        waiters.finishAll();
        if (next != null) {
            commitFound(next);
        }
    }

    /** What the log holds at the begin of an epoch may be committed already: nobody need append for that. */
    private void commitFound(CommitTracker of) {
        if (log.config().durable() && log.durableEndOffset() < log.logEndOffset()) {
            log.flush((none, failure) -> of.check());
        }
        of.check();
    }

    /** The only replica: what is written is committed. */
    void advanceAlone() {
        if (tracker == null && over == null) {
            log.advanceHighWatermark(acknowledgedEnd());
        }
    }

    /** The high watermark has passed so many bytes. */
    private void committed(long bytes) {
        long stable = log.lastStableOffset();
        waiters.committed(bytes, stable > stableEnd);
        stableEnd = stable;
    }

    /**
     * Appends one batch of a producer. {@code done} as {@link ReplicaShard#produce} says; {@code records} is not used after it.
     *
     * @param request acks 1 and -1 differ only once there are other replicas: with one, what is written (durable logs: synced) is committed
     */
    void produce(ByteBuffer records, ReplicaShard.Produce request, Callback<Outcome<Produced>> done) {
        if (over != null) {
            done.succeed(new Outcome<>(null, over));
            return;
        }
        admission.admit(records, log.config(), request.version(), (admitted, refusal) -> {
            if (refusal != null) {
                if (refusal.due()) {
                    log.refused(records);
                }
                done.succeed(refused(refusal));
            } else if (over != null) {
                done.succeed(new Outcome<>(null, over));
            } else if (BatchHeader.isTransactional(admitted, admitted.position())) {
                verify(admitted, request, done);
            } else {
                append(admitted, BatchOrigin.CLIENT, commitMillis(request), done);
            }
        });
    }

    private void verify(ByteBuffer batch, ReplicaShard.Produce request, Callback<Outcome<Produced>> done) {
        gate.enter(new TransactionGate.Ticket(request.transactionalId(), request.version(), batch, refusal -> {
            if (refusal == null) {
                int at = batch.position();
                abortLost(
                        BatchHeader.producerId(batch, at),
                        BatchHeader.producerEpoch(batch, at),
                        admission.wallMillis());
                append(batch, BatchOrigin.CLIENT, commitMillis(request), done);
            } else {
                done.succeed(new Outcome<>(null, refusal));
            }
        }));
    }

    /**
     * A producer whose transaction of {@code epoch} is known to its coordinator has ended those before it wherever they were. If one is still open here, its end is lost:
     * a power cut took it from a log that is not durable (rule I7). Nobody can say any more what it was, so it counts as aborted; else the next end would decide
     * it, too, and might show what was aborted (rule T9).
     */
    private void abortLost(long producerId, int epoch, long wallMillis) {
        ActiveProducer known = gate.openBefore(producerId, epoch);
        if (known == null) {
            return;
        }
        LOG.warn(
                "{}-{}: the end of the transaction of producer {} (epoch {}) from offset {} on is lost, as by a power cut that took what was not synced;"
                        + " it is aborted here, as its producer has begun another. Where this must not happen set flush.messages=1 on the topic.",
                log.identity().topic(),
                log.identity().partition(),
                producerId,
                known.producerEpoch(),
                known.currentTransactionStartOffset());
        ByteBuffer marker = ControlBatches.transactionMarker(
                wallMillis, producerId, known.producerEpoch(), false, Math.max(0, known.coordinatorEpoch()));
        append(marker, BatchOrigin.MARKER, UNAWAITED, (outcome, none) -> {});
    }

    /** Ends a producer's transaction here; see {@link ReplicaShard#writeMarkers}. */
    void writeMarker(Marker marker, long wallMillis, Callback<Outcome<Void>> done) {
        if (over != null) {
            done.succeed(new Outcome<>(null, over));
            return;
        }
        boolean above = marker.transactionVersion() >= ABOVE;
        gate.marker(marker.producerId(), marker.producerEpoch(), above);
        if (marker.commit()) {
            abortLost(marker.producerId(), marker.producerEpoch() - (above ? 1 : 0), wallMillis);
        }
        ByteBuffer batch = ControlBatches.transactionMarker(
                wallMillis, marker.producerId(), marker.producerEpoch(), marker.commit(), marker.coordinatorEpoch());
        append(
                batch,
                above ? BatchOrigin.MARKER_V2 : BatchOrigin.MARKER,
                OWN_COMMIT_MILLIS,
                (outcome, none) -> done.succeed(new Outcome<>(null, outcome.failure())));
    }

    /**
     * Appends one batch of the broker's own, of a coordinator that leads in {@code epoch}. {@code done} when it is committed; FENCED_LEADER_EPOCH or NOT_LEADER
     * when the epoch is not the one in which this node leads. {@code batch} must stay untouched until then.
     */
    void appendOwn(ByteBuffer batch, BatchOrigin origin, Callback<AppendResult> done) {
        append(batch, origin, OWN_COMMIT_MILLIS, (outcome, none) -> {
            Failure failure = outcome.failure();
            done.done(failure == null ? outcome.value().append() : null, failure);
        });
    }

    /** Makes all that is written durable, and with it readable; for whoever must know that what it reads stays. */
    void commitWritten(Callback<Void> done) {
        if (log.highWatermark() >= log.logEndOffset() && log.durableEndOffset() >= log.logEndOffset()) {
            done.succeed(null);
            return;
        }
        long end = log.logEndOffset();
        log.flush((none, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (over != null) {
                done.fail(over);
            } else if (tracker == null) {
                advanceAlone();
                done.succeed(null);
            } else {
                tracker.advance();
                tracker.await(end - 1, OWN_COMMIT_MILLIS, done);
            }
        });
    }

    private static long commitMillis(ReplicaShard.Produce request) {
        return request.acks() == ACKS_ALL ? Math.max(0, request.timeoutMillis()) : UNAWAITED;
    }

    /** @param commitMillis how long {@code done} may wait for the high watermark, {@link #UNAWAITED}: not at all */
    private void append(ByteBuffer batch, BatchOrigin origin, long commitMillis, Callback<Outcome<Produced>> done) {
        Failure few = tracker == null || commitMillis == UNAWAITED ? null : tracker.refusal();
        if (few != null) {
            log.refused(batch);
            done.succeed(new Outcome<>(null, few));
            return;
        }
        Appending appending = new Appending(batch.remaining(), commitMillis, tracker, done);
        log.append(batch, origin, leaderEpoch, (appended, failure) -> {
            if (failure != null) {
                done.succeed(new Outcome<>(null, failure));
                return;
            }
            long next = appended.lastOffset() + 1;
            if (log.config().durable() && log.durableEndOffset() < next && log.logEndOffset() >= next) {
                // Written when the topic was not durable yet: it is now (rules I6, I7).
                log.flush((none, unsynced) -> answer(appending, appended, unsynced));
                return;
            }
            answer(appending, appended, null);
        });
    }

    /**
     * An append on its way.
     *
     * @param tracker of the epoch in which it began: only in that may it be answered as committed (rule I6). Null where this node was the only replica
     */
    private record Appending(int bytes, long commitMillis, CommitTracker tracker, Callback<Outcome<Produced>> done) {}

    private void answer(Appending appending, AppendResult appended, Failure failure) {
        if (failure != null) {
            appending.done.succeed(new Outcome<>(null, failure));
            return;
        }
        Outcome<Produced> well = Outcome.of(new Produced(appended, log.logStartOffset(), List.of()));
        CommitTracker of = appending.tracker == null ? tracker : appending.tracker;
        if (of != null) {
            awaitCommit(of, appending, appended, well);
            return;
        }
        long stable = log.lastStableOffset();
        advanceAlone();
        appending.done.succeed(well);
        if (!appended.duplicate()) {
            waiters.written(appending.bytes);
            waiters.committed(appending.bytes, log.lastStableOffset() > stable);
        }
    }

    private void awaitCommit(CommitTracker of, Appending appending, AppendResult appended, Outcome<Produced> well) {
        if (!appended.duplicate()) {
            of.written(appended.baseOffset(), appended.lastOffset(), appending.bytes);
            waiters.written(appending.bytes);
        }
        of.advance();
        if (appending.commitMillis == UNAWAITED) {
            appending.done.succeed(well);
        } else {
            of.await(
                    appended.lastOffset(),
                    appending.commitMillis,
                    (none, why) -> appending.done.succeed(why == null ? well : new Outcome<>(null, why)));
        }
    }

    private static Outcome<Produced> refused(Admission.Refusal refusal) {
        List<RecordError> errors = refusal.recordErrors();
        return new Outcome<>(errors.isEmpty() ? null : new Produced(null, -1, errors), refusal.failure());
    }

    private long acknowledgedEnd() {
        return log.config().durable() ? log.durableEndOffset() : log.logEndOffset();
    }

    /** Ends service: waiting fetches answer, nothing more is admitted. */
    void resign(Failure why) {
        over = why;
        if (tracker != null) {
            tracker.close(why);
        }
        gate.close(why);
        waiters.finishAll();
    }
}
