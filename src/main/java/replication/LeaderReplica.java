package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.List;
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

/** A partition that this node leads: takes records ({@link LeaderAppends}), serves reads, lets fetches wait. Confined to the shard. */
public final class LeaderReplica implements ReadableReplica {
    /** Rule I5: else a client would see the end of the partition go back. */
    private static final Outcome<TimestampOffset> NOT_YET = Outcome.failed(
            FailureCode.OFFSET_NOT_AVAILABLE,
            "the leader is new and does not know yet how far the partition is committed; retry");

    private final PartitionLog log;
    private final LeaderAppends appends;
    private final int nodeId;

    public LeaderReplica(PartitionLog log, Admission admission, TransactionGate gate, int nodeId) {
        this.log = log;
        this.appends = new LeaderAppends(log, admission, gate);
        this.nodeId = nodeId;
    }

    /** Begins the epoch in which this node leads as the only replica (rule I1); {@code done} when records may be appended. */
    public void lead(int epoch, Callback<Void> done) {
        appends.lead(epoch, done);
    }

    /** Begins the epoch in which this node leads, or goes on with it in another state; one of an older epoch changes nothing (rule C8). */
    public void lead(IsrState state, LeaderSetup setup, Callback<Void> done) {
        appends.lead(state, setup, done);
    }

    public PartitionLog log() {
        return log;
    }

    public int leaderEpoch() {
        return appends.leaderEpoch();
    }

    /** Appends one batch of a producer. {@code done} as {@link ReplicaShard#produce} says; {@code records} is not used after it. */
    public void produce(ByteBuffer records, ReplicaShard.Produce request, Callback<Outcome<Produced>> done) {
        appends.produce(records, request, done);
    }

    /** Ends a producer's transaction here; see {@link ReplicaShard#writeMarkers}. */
    public void writeMarker(Marker marker, long wallMillis, Callback<Outcome<Void>> done) {
        appends.writeMarker(marker, wallMillis, done);
    }

    /**
     * Appends one batch of the broker's own, of a coordinator that leads in {@code epoch}. {@code done} when it is committed; FENCED_LEADER_EPOCH or NOT_LEADER
     * when the epoch is not the one in which this node leads. {@code batch} must stay untouched until then.
     */
    public void appendOwn(ByteBuffer batch, BatchOrigin origin, int epoch, Callback<AppendResult> done) {
        Failure fenced = checkEpoch(epoch);
        if (fenced != null) {
            done.fail(fenced);
        } else {
            appends.appendOwn(batch, origin, done);
        }
    }

    /** Makes all that is written durable and waits until it is committed, and with it readable; for whoever must know that what it reads stays. */
    public void commitWritten(Callback<Void> done) {
        appends.commitWritten(done);
    }

    @Override
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
            done.succeed(new ReadOutcome(offsetsOnly(), parts, null, nodeId, leaderEpoch()));
            return;
        }
        log.read(
                wish.fetchOffset(),
                maxBytes,
                wholeFirstBatch,
                bound,
                (result, failure) -> done.succeed(
                        failure == null
                                ? new ReadOutcome(result, null, null, nodeId, leaderEpoch())
                                : failure.code() == FailureCode.OFFSET_OUT_OF_RANGE
                                        ? outOfRange(failure)
                                        : failed(failure)));
    }

    /** With where the log starts: there a replica begins anew. */
    private ReadOutcome outOfRange(Failure failure) {
        return new ReadOutcome(offsetsOnly(), null, failure, nodeId, leaderEpoch());
    }

    /** Whether committed metadata has {@code replica} in the ISR. */
    public boolean isInSync(int replica) {
        return appends.isInSync(replica);
    }

    /** As {@link #read} of a log in which there is more, and none of it for now. */
    public ReadOutcome withheld() {
        return new ReadOutcome(offsets(true), null, null, nodeId, leaderEpoch());
    }

    private ReadResult offsetsOnly() {
        return offsets(false);
    }

    private ReadResult offsets(boolean more) {
        return new ReadResult(null, log.logStartOffset(), log.highWatermark(), log.lastStableOffset(), List.of(), more);
    }

    /** Null, or where this log parts from the reader's (rule I3, KIP-320). */
    private EpochEnd divergence(ReadPartition wish) {
        if (wish.lastFetchedEpoch() < 0) {
            return null;
        }
        EpochEnd end = endOfEpoch(wish.lastFetchedEpoch());
        return end.epoch() < wish.lastFetchedEpoch() || end.endOffset() < wish.fetchOffset() ? end : null;
    }

    /** Sends a consumer of {@code rack} to a replica in its rack (KIP-392), if there is one that has what it wants; null: it reads here. */
    public ReadOutcome elsewhere(String rack, ReadPartition wish) {
        int nearer = rack.isEmpty() || checkEpoch(wish.currentLeaderEpoch()) != null
                ? -1
                : appends.nearest(rack, wish.fetchOffset());
        return nearer < 0 ? null : new ReadOutcome(offsetsOnly(), null, null, nodeId, leaderEpoch(), nearer);
    }

    private ReadOutcome failed(Failure failure) {
        return new ReadOutcome(null, null, failure, nodeId, leaderEpoch());
    }

    /** Rule I2: null, or why a request of this epoch is refused; -1 asks for no check of the epoch. */
    public Failure checkEpoch(int currentLeaderEpoch) {
        if (appends.over() != null) {
            return appends.over();
        }
        Failure unusable = log.unusable();
        if (unusable != null) {
            return unusable;
        }
        if (currentLeaderEpoch < 0 || currentLeaderEpoch == leaderEpoch()) {
            return null;
        }
        return currentLeaderEpoch < leaderEpoch()
                ? Failure.of(FailureCode.FENCED_LEADER_EPOCH, "the leader epoch here is " + leaderEpoch())
                : Failure.of(FailureCode.UNKNOWN_LEADER_EPOCH, "the leader epoch here is still " + leaderEpoch());
    }

    @Override
    public long readableEnd(ReadBound bound) {
        return switch (bound) {
            case HIGH_WATERMARK -> log.highWatermark();
            case LAST_STABLE_OFFSET -> log.lastStableOffset();
            case LOG_END -> log.logEndOffset();
        };
    }

    /** Tells {@code watch} of all that happens from now on. */
    public void watch(LeaderWatch watch) {
        appends.waiters().watch(watch);
    }

    public void unwatch(LeaderWatch watch) {
        appends.waiters().unwatch(watch);
    }

    @Override
    public void watch(WaitingFetch fetch) {
        appends.waiters().add(fetch);
    }

    @Override
    public void unwatch(WaitingFetch fetch) {
        appends.waiters().remove(fetch);
    }

    /** Answers ListOffsets; offsets that a record does not give carry timestamp -1. */
    public void offsetFor(OffsetQuery query, Callback<Outcome<TimestampOffset>> done) {
        Failure fenced = checkEpoch(query.currentLeaderEpoch());
        if (fenced != null) {
            done.succeed(new Outcome<>(null, fenced));
            return;
        }
        ReadBound bound = query.readCommitted() ? ReadBound.LAST_STABLE_OFFSET : ReadBound.HIGH_WATERMARK;
        CommitTracker tracker = appends.tracker();
        boolean mayLag = tracker != null && tracker.mayLag();
        Callback<TimestampOffset> found = (at, failure) ->
                done.succeed(mayLag && failure == null && at.offset() < 0 ? NOT_YET : new Outcome<>(at, failure));
        switch (SpecialTimestamp.of(query.timestamp())) {
            case LATEST ->
                found.succeed(
                        mayLag ? TimestampOffset.NONE : new TimestampOffset(-1, readableEnd(bound), leaderEpoch()));
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
        return known >= 0 ? known : leaderEpoch();
    }

    /** Rule I3: the largest epoch up to the asked one and where it ended. */
    public EpochEnd endOfEpoch(int epoch) {
        return epoch == leaderEpoch() ? new EpochEnd(leaderEpoch(), log.logEndOffset()) : log.endOfEpoch(epoch);
    }

    public void endOfEpoch(int currentLeaderEpoch, int epoch, Callback<Outcome<EpochEnd>> done) {
        Failure fenced = checkEpoch(currentLeaderEpoch);
        done.succeed(fenced == null ? Outcome.of(endOfEpoch(epoch)) : new Outcome<>(null, fenced));
    }

    /** DeleteRecords (rule I12). */
    public void deleteBefore(long offset, Callback<Outcome<Long>> done) {
        if (appends.over() != null) {
            done.succeed(new Outcome<>(null, appends.over()));
            return;
        }
        log.deleteBefore(offset, (start, failure) -> {
            done.succeed(new Outcome<>(start, failure));
            appends.waiters().finishAll();
        });
    }

    public Outcome<List<ActiveProducer>> activeProducers() {
        Failure refusal = checkEpoch(-1);
        return refusal == null ? Outcome.of(log.activeProducers()) : new Outcome<>(null, refusal);
    }

    public void housekeep(long wallMillis) {
        log.housekeep(wallMillis);
        // Time-based flushes move what a durable reader may see.
        appends.advanceAlone();
        check();
    }

    /** Periodic duty, at least twice in replica.lag.time.max.ms: followers that lag are to leave the ISR (rule I8). */
    public void check() {
        CommitTracker tracker = appends.tracker();
        if (tracker != null) {
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
        CommitTracker tracker = appends.tracker();
        if (tracker != null && (!tracker.counts(same) || tracker.fetched(replica, brokerEpoch, wish))) {
            return null;
        }
        return Failure.of(
                FailureCode.NOT_LEADER,
                "node " + replica + " with broker epoch " + brokerEpoch
                        + " is no replica of the partition, or there is a later process of it");
    }

    /** Ends service: waiting fetches answer, nothing more is admitted. The log is used on, closed or deleted by the caller. */
    public void resign(Failure why) {
        appends.resign(why);
    }
}
