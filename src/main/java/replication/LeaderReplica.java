package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchHeader;
import records.ControlBatches;
import records.RecordError;
import replication.ReplicaShard.Marker;
import replication.ReplicaShard.OffsetQuery;
import replication.ReplicaShard.Outcome;
import replication.ReplicaShard.Produced;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import storage.ActiveProducer;
import storage.AppendResult;
import storage.BatchOrigin;
import storage.EpochEnd;
import storage.PartitionLog;
import storage.ReadBound;
import storage.ReadResult;
import storage.TimestampOffset;

/**
 * A partition that this node leads: admits records, moves the high watermark, serves reads, wakes waiting fetches. Where it is the only replica the high
 * watermark is the log's end, or its durable end where acks are durable (rules I4, I7); else a {@link CommitTracker} knows. Confined to the shard.
 */
public final class LeaderReplica {
    private static final short ACKS_ALL = -1;
    private static final long UNAWAITED = -1;
    /** After it the outcome of a coordinator's or marker's append counts as unknown. */
    private static final long OWN_COMMIT_MILLIS = 30_000;
    /** From this transaction version on a marker's epoch is above that of its transaction. */
    private static final short ABOVE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(LeaderReplica.class);
    /** Rule I5: else a client would see the end of the partition go back. */
    private static final Outcome<TimestampOffset> NOT_YET = Outcome.failed(
            FailureCode.OFFSET_NOT_AVAILABLE,
            "the leader is new and does not know yet how far the partition is committed; retry");

    private final PartitionLog log;
    private final Admission admission;
    private final TransactionGate gate;
    private final FetchWaiters waiters = new FetchWaiters();
    private final int nodeId;
    private int leaderEpoch;
    /** Null for the only replica. */
    private CommitTracker tracker;
    /** The last stable offset that waiting fetches were told of; with followers only. */
    private long stableEnd;

    private boolean closed;

    public LeaderReplica(PartitionLog log, Admission admission, TransactionGate gate, int nodeId, int leaderEpoch) {
        this.log = log;
        this.admission = admission;
        this.gate = gate;
        this.nodeId = nodeId;
        this.leaderEpoch = leaderEpoch;
    }

    /** Begins the epoch in which this node leads as the only replica (rule I1); {@code done} when records may be appended. */
    public void lead(int epoch, Callback<Void> done) {
        begin(epoch, null, done);
    }

    /** Begins, or goes on with, the epoch in which this node leads among others. */
    void lead(IsrState state, CommitTracker.Setup setup, Callback<Void> done) {
        if (tracker != null && state.leaderEpoch() == leaderEpoch) {
            tracker.update(state);
            done.succeed(null);
            return;
        }
        begin(state.leaderEpoch(), new CommitTracker(setup, log, state, this::committed), done);
    }

    private void begin(int epoch, CommitTracker next, Callback<Void> done) {
        if (tracker != null) {
            tracker.close(Failure.of(FailureCode.NOT_LEADER, "leader epoch " + epoch + " has begun"));
        }
        leaderEpoch = epoch;
        tracker = next;
        if (tracker == null) {
            log.advanceHighWatermark(acknowledgedEnd());
        }
        log.beginEpoch(epoch, done);
        waiters.finishAll();
    }

    /** The high watermark has passed so many bytes. */
    private void committed(long bytes) {
        long stable = log.lastStableOffset();
        waiters.committed(bytes, stable > stableEnd);
        stableEnd = stable;
    }

    public PartitionLog log() {
        return log;
    }

    public int leaderEpoch() {
        return leaderEpoch;
    }

    public void configure(LogConfig config) {
        log.updateConfig(config);
    }

    /**
     * Appends one batch of a producer. {@code done} as {@link ReplicaShard#produce} says; {@code records} is not used after it.
     *
     * @param request acks 1 and -1 differ only once there are other replicas: with one, what is written (durable logs: synced) is committed
     */
    public void produce(ByteBuffer records, ReplicaShard.Produce request, Callback<Outcome<Produced>> done) {
        if (closed) {
            done.succeed(Outcome.failed(FailureCode.NOT_LEADER, "the partition is being deleted"));
            return;
        }
        admission.admit(records, log.config(), request.version(), (admitted, refusal) -> {
            if (refusal != null) {
                if (refusal.due()) {
                    log.refused(records);
                }
                done.succeed(refused(refusal));
            } else if (closed) {
                done.succeed(Outcome.failed(FailureCode.NOT_LEADER, "the partition is being deleted"));
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
    public void writeMarker(Marker marker, long wallMillis, Callback<Outcome<Void>> done) {
        if (closed) {
            done.succeed(Outcome.failed(FailureCode.NOT_LEADER, "the partition is being deleted"));
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
    public void appendOwn(ByteBuffer batch, BatchOrigin origin, int epoch, Callback<AppendResult> done) {
        Failure fenced = checkEpoch(epoch);
        if (fenced != null) {
            done.fail(fenced);
            return;
        }
        append(batch, origin, OWN_COMMIT_MILLIS, (outcome, none) -> {
            Failure failure = outcome.failure();
            done.done(failure == null ? outcome.value().append() : null, failure);
        });
    }

    /** Makes all that is written durable, and with it readable; for whoever must know that what it reads stays. */
    public void commitWritten(Callback<Void> done) {
        if (log.highWatermark() >= log.logEndOffset() && log.durableEndOffset() >= log.logEndOffset()) {
            done.succeed(null);
            return;
        }
        long end = log.logEndOffset();
        log.flush((none, failure) -> {
            if (failure != null) {
                done.fail(failure);
            } else if (tracker == null) {
                log.advanceHighWatermark(acknowledgedEnd());
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
     * @param tracker of the epoch in which it began: only in that may it be answered as committed (rule I6)
     */
    private record Appending(int bytes, long commitMillis, CommitTracker tracker, Callback<Outcome<Produced>> done) {}

    private void answer(Appending appending, AppendResult appended, Failure failure) {
        if (failure != null) {
            appending.done.succeed(new Outcome<>(null, failure));
            return;
        }
        Outcome<Produced> well = Outcome.of(new Produced(appended, log.logStartOffset(), List.of()));
        if (appending.tracker != null) {
            awaitCommit(appending, appended, well);
            return;
        }
        long stable = log.lastStableOffset();
        if (tracker == null) {
            log.advanceHighWatermark(acknowledgedEnd());
        }
        appending.done.succeed(well);
        if (!appended.duplicate()) {
            waiters.written(appending.bytes);
            waiters.committed(appending.bytes, log.lastStableOffset() > stable);
        }
    }

    private void awaitCommit(Appending appending, AppendResult appended, Outcome<Produced> well) {
        CommitTracker of = appending.tracker;
        if (!appended.duplicate()) {
            of.written(appended.lastOffset(), appending.bytes);
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

    /** Reads for a consumer or follower; the outcome carries failures, the callback never fails. */
    public void read(
            ReadPartition wish, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadOutcome> done) {
        Failure fenced = checkEpoch(wish.currentLeaderEpoch());
        if (fenced != null) {
            done.succeed(failed(fenced));
            return;
        }
        EpochEnd parts = divergence(wish);
        if (parts != null && parts.epoch() < 0) {
            done.succeed(outOfRange(Failure.of(
                    FailureCode.OFFSET_OUT_OF_RANGE, "no epoch up to " + wish.lastFetchedEpoch() + " is known here")));
            return;
        }
        if (parts != null) {
            done.succeed(new ReadOutcome(null, parts, null, nodeId, leaderEpoch));
            return;
        }
        log.read(
                wish.fetchOffset(),
                maxBytes,
                wholeFirstBatch,
                bound,
                (result, failure) -> done.succeed(
                        failure == null
                                ? new ReadOutcome(result, null, null, nodeId, leaderEpoch)
                                : failure.code() == FailureCode.OFFSET_OUT_OF_RANGE
                                        ? outOfRange(failure)
                                        : failed(failure)));
    }

    /** With where the log starts: there a replica begins anew. */
    private ReadOutcome outOfRange(Failure failure) {
        ReadResult nothing = new ReadResult(
                null, log.logStartOffset(), log.highWatermark(), log.lastStableOffset(), List.of(), false);
        return new ReadOutcome(nothing, null, failure, nodeId, leaderEpoch);
    }

    /** Null, or where this log parts from the reader's (rule I3, KIP-320). */
    private EpochEnd divergence(ReadPartition wish) {
        if (wish.lastFetchedEpoch() < 0) {
            return null;
        }
        EpochEnd end = endOfEpoch(wish.lastFetchedEpoch());
        return end.epoch() < wish.lastFetchedEpoch() || end.endOffset() < wish.fetchOffset() ? end : null;
    }

    private ReadOutcome failed(Failure failure) {
        return new ReadOutcome(null, null, failure, nodeId, leaderEpoch);
    }

    /** Rule I2: null, or why a request of this epoch is refused; -1 asks for no check of the epoch. */
    public Failure checkEpoch(int currentLeaderEpoch) {
        if (closed) {
            return Failure.of(FailureCode.NOT_LEADER, "the partition is being deleted");
        }
        Failure unusable = log.unusable();
        if (unusable != null) {
            return unusable;
        }
        if (currentLeaderEpoch < 0 || currentLeaderEpoch == leaderEpoch) {
            return null;
        }
        return currentLeaderEpoch < leaderEpoch
                ? Failure.of(FailureCode.FENCED_LEADER_EPOCH, "the leader epoch here is " + leaderEpoch)
                : Failure.of(FailureCode.UNKNOWN_LEADER_EPOCH, "the leader epoch here is still " + leaderEpoch);
    }

    /** First offset that a reader with this bound cannot see. */
    public long readableEnd(ReadBound bound) {
        return switch (bound) {
            case HIGH_WATERMARK -> log.highWatermark();
            case LAST_STABLE_OFFSET -> log.lastStableOffset();
            case LOG_END -> log.logEndOffset();
        };
    }

    void watch(WaitingFetch fetch) {
        waiters.add(fetch);
    }

    void unwatch(WaitingFetch fetch) {
        waiters.remove(fetch);
    }

    /** Answers ListOffsets; offsets that a record does not give carry timestamp -1. */
    public void offsetFor(OffsetQuery query, Callback<Outcome<TimestampOffset>> done) {
        Failure fenced = checkEpoch(query.currentLeaderEpoch());
        if (fenced != null) {
            done.succeed(new Outcome<>(null, fenced));
            return;
        }
        ReadBound bound = query.readCommitted() ? ReadBound.LAST_STABLE_OFFSET : ReadBound.HIGH_WATERMARK;
        boolean mayLag = tracker != null && tracker.mayLag();
        Callback<TimestampOffset> found = (at, failure) ->
                done.succeed(mayLag && failure == null && at.offset() < 0 ? NOT_YET : new Outcome<>(at, failure));
        switch (SpecialTimestamp.of(query.timestamp())) {
            case LATEST ->
                found.succeed(mayLag ? TimestampOffset.NONE : new TimestampOffset(-1, readableEnd(bound), leaderEpoch));
            case EARLIEST, EARLIEST_LOCAL ->
                found.succeed(new TimestampOffset(-1, log.logStartOffset(), earliestEpoch()));
            case MAX_TIMESTAMP -> {
                long end = readableEnd(bound);
                log.offsetOfMaxTimestamp((at, failure) ->
                        found.done(at != null && at.offset() >= end ? TimestampOffset.NONE : at, failure));
            }
            // Nothing is ever tiered here: as Apache Kafka answers without remote storage.
            case LATEST_TIERED, EARLIEST_PENDING_UPLOAD -> done.succeed(Outcome.of(TimestampOffset.NONE));
            case NONE -> log.offsetForTimestamp(query.timestamp(), bound, found);
        }
    }

    private int earliestEpoch() {
        int known = log.epochFor(log.logStartOffset());
        return known >= 0 ? known : leaderEpoch;
    }

    /** Rule I3: the largest epoch up to the asked one and where it ended. */
    public EpochEnd endOfEpoch(int epoch) {
        return epoch == leaderEpoch ? new EpochEnd(leaderEpoch, log.logEndOffset()) : log.endOfEpoch(epoch);
    }

    public void endOfEpoch(int currentLeaderEpoch, int epoch, Callback<Outcome<EpochEnd>> done) {
        Failure fenced = checkEpoch(currentLeaderEpoch);
        done.succeed(fenced == null ? Outcome.of(endOfEpoch(epoch)) : new Outcome<>(null, fenced));
    }

    /** DeleteRecords (rule I12). */
    public void deleteBefore(long offset, Callback<Outcome<Long>> done) {
        if (closed) {
            done.succeed(Outcome.failed(FailureCode.NOT_LEADER, "the partition is being deleted"));
            return;
        }
        log.deleteBefore(offset, (start, failure) -> {
            done.succeed(new Outcome<>(start, failure));
            waiters.finishAll();
        });
    }

    public Outcome<List<ActiveProducer>> activeProducers() {
        Failure refusal = checkEpoch(-1);
        return refusal == null ? Outcome.of(log.activeProducers()) : new Outcome<>(null, refusal);
    }

    public void housekeep(long wallMillis) {
        log.housekeep(wallMillis);
        // Time-based flushes move what a durable reader may see.
        if (tracker == null) {
            log.advanceHighWatermark(acknowledgedEnd());
        } else {
            tracker.check();
        }
    }

    /**
     * A replica fetches (see {@link CommitTracker#fetched}): before it is read for. Null, or why it gets nothing.
     *
     * @param wish all before its offset is in the replica's log
     */
    public Failure followerFetches(int replica, long brokerEpoch, ReadPartition wish) {
        Failure fenced = checkEpoch(wish.currentLeaderEpoch());
        if (fenced != null) {
            return fenced;
        }
        // Of a log that is not this one's beginning, no length says anything (rule I3).
        boolean same = wish.fetchOffset() <= log.logEndOffset() && divergence(wish) == null;
        if (tracker != null && (!tracker.counts(same) || tracker.fetched(replica, brokerEpoch, wish))) {
            return null;
        }
        return Failure.of(
                FailureCode.NOT_LEADER,
                "node " + replica + " with broker epoch " + brokerEpoch
                        + " is no replica of the partition, or there is a later process of it");
    }

    /** Ends service: waiting fetches answer, nothing more is admitted. The log is closed or deleted by the caller. */
    public void resign() {
        closed = true;
        if (tracker != null) {
            tracker.close(Failure.of(FailureCode.NOT_LEADER, "this node does not lead the partition any more"));
        }
        gate.close(Failure.of(FailureCode.NOT_LEADER, "the partition is being deleted"));
        waiters.finishAll();
    }
}
