package replication;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import records.BatchHeader;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import storage.EpochEnd;
import storage.OffsetRange;
import storage.PartitionLog;
import storage.ReadBound;

/**
 * A partition that this node follows: says from where to fetch next, appends what the leader sent, cuts what the leader does not have (rule I3). One fetch at a
 * time: {@link #wish}, then {@link #take} or nothing; an answer that comes when the epoch is another is dropped. Confined to the shard.
 *
 * <pre>
 *   idle --wish--> idle --take--> appending | cutting --done--> idle
 * </pre>
 */
public final class FollowerReplica implements ReadableReplica {
    private static final Logger LOG = LoggerFactory.getLogger(FollowerReplica.class);

    private final PartitionLog log;
    private final RecoveryPoints recoveryPoints;
    private final Losses losses;
    private final Mutations mutations;
    /** Of consumers (KIP-392). */
    private final FetchWaiters waiters = new FetchWaiters();

    private int leaderEpoch = -1;
    private boolean inSync;
    private boolean busy;
    private boolean closed;

    /** The checkpoint file of recovery points (rule S7). */
    @FunctionalInterface
    public interface RecoveryPoints {
        /** Makes the file say {@code offset} or less of the log, durably. */
        void lower(PartitionLog log, long offset, Callback<Void> done);
    }

    /** Told of committed records that an unclean election cost. */
    @FunctionalInterface
    public interface Losses {
        void lost(PartitionLog log, long records);
    }

    /**
     * From where to fetch.
     *
     * @param fetchOffset all below is in this replica's log; durably where acks are durable (rules I7, R8)
     * @param lastEpoch of the record before it; -1 when there is none
     */
    public record Wish(int leaderEpoch, long fetchOffset, int lastEpoch, long logStartOffset) {}

    /**
     * What the leader answered.
     *
     * @param records whole batches, perhaps with a cut one behind them; empty for none
     * @param diverging null, or where the leader's log parts from the wish
     */
    public record Fetched(ByteBuffer records, EpochEnd diverging, long highWatermark, long logStartOffset) {}

    public FollowerReplica(PartitionLog log, RecoveryPoints recoveryPoints, Losses losses, Mutations mutations) {
        this.log = log;
        this.recoveryPoints = recoveryPoints;
        this.losses = losses;
        this.mutations = mutations;
    }

    public PartitionLog log() {
        return log;
    }

    /**
     * Follows the leader of {@code epoch} from now on; never an older one (rule C8).
     *
     * @param member whether committed metadata has this replica in the ISR
     */
    public void follow(int epoch, boolean member) {
        if (epoch >= leaderEpoch) {
            leaderEpoch = epoch;
            inSync = member;
        }
    }

    public boolean inSync() {
        return inSync;
    }

    /**
     * Null while an append or a cut is under way, and when closed. Of a log with damage it promises only what lies before that (rule S8): so the leader has this
     * replica leave the ISR, and then it is fetched anew from there.
     */
    public Wish wish() {
        if (busy || closed) {
            return null;
        }
        OffsetRange damage = damage();
        if (damage == null) {
            return new Wish(leaderEpoch, log.logEndOffset(), log.latestEpoch(), log.logStartOffset());
        }
        long end = Math.max(damage.from(), log.logStartOffset());
        int last = end > log.logStartOffset() ? log.epochFor(end - 1) : -1;
        return new Wish(leaderEpoch, end, last, log.logStartOffset());
    }

    /** Null in a sound log. */
    private OffsetRange damage() {
        return log.damage() == null ? null : log.damagedOffsets().get(0);
    }

    /** True if the log has what must be durable before {@link #wish} may promise it: {@link #flush} first. */
    public boolean mustFlush() {
        return log.config().durable() && log.durableEndOffset() < log.logEndOffset();
    }

    /** Makes durable what was written before acks were durable. */
    public void flush(Callback<Void> done) {
        begin();
        log.flush((none, failure) -> end(failure, done));
    }

    /**
     * Takes the answer to {@code wish}; {@code records} is used until {@code done}. Failures: CORRUPT_BATCH (fetch again), those of the log. An answer that is
     * out of date does nothing.
     */
    public void take(Wish wish, Fetched answer, Callback<Void> done) {
        if (closed || busy || !wish.equals(wish())) {
            done.succeed(null);
        } else if (answer.diverging != null) {
            cut(answer.diverging, done);
        } else if (damage() != null) {
            cutDamage(wish.fetchOffset, done);
        } else {
            append(answer, done);
        }
    }

    /** Rule I3: to where both logs surely agree; the next fetch says whether they do. */
    private void cut(EpochEnd leaders, Callback<Void> done) {
        EpochEnd own = log.endOfEpoch(leaders.epoch());
        long to;
        if (mutations.active("cut-to-high-watermark")) {
            to = log.highWatermark();
        } else if (own.epoch() < 0) {
            to = log.logStartOffset();
        } else if (own.epoch() == leaders.epoch()) {
            to = Math.min(leaders.endOffset(), own.endOffset());
        } else {
            to = own.endOffset();
        }
        to = Math.min(Math.max(to, log.logStartOffset()), log.logEndOffset());
        // An epoch that this node led without appending anything is only in its epoch cache: that goes, too (rule I1).
        if (to == log.logEndOffset() && log.latestEpoch() <= leaders.epoch()) {
            done.fail(
                    FailureCode.INTERNAL,
                    "the leader of epoch " + leaderEpoch + " says that "
                            + log.identity().directory()
                            + " parts from it in epoch " + leaders.epoch() + " at offset " + leaders.endOffset()
                            + ", where this log, which ends at " + log.logEndOffset() + ", has nothing to cut");
            return;
        }
        long lost = log.highWatermark() - to;
        if (lost > 0) {
            LOG.error(
                    "{}: {} committed record(s) from offset {} on are cut, because the leader of epoch {} does not have them: it was elected"
                            + " uncleanly. Data is lost.",
                    log.identity().directory(),
                    lost,
                    to,
                    leaderEpoch);
            losses.lost(log, lost);
        }
        cutTo(to, done);
    }

    /**
     * Rule S8: what lies behind the damage is thrown away and fetched anew, as soon as nobody counts on it any more: as long as this replica is in the ISR it might
     * be elected, and would lead without records that are committed.
     */
    private void cutDamage(long from, Callback<Void> done) {
        if (inSync) {
            done.fail(
                    FailureCode.STORAGE_ERROR,
                    log.identity().directory() + " is damaged from offset " + from
                            + " on; it is fetched anew from its leader as soon as it has left the ISR");
            return;
        }
        LOG.warn(
                "{}: damaged from offset {} on: that and what follows, up to offset {}, is fetched anew from the leader of epoch {}",
                log.identity().directory(),
                from,
                log.logEndOffset(),
                leaderEpoch);
        cutTo(from, done);
    }

    private void cutTo(long end, Callback<Void> done) {
        begin();
        recoveryPoints.lower(log, end, (lowered, failure) -> {
            if (failure != null || closed) {
                end(failure, done);
            } else {
                log.truncateTo(end, (cut, uncut) -> end(uncut, done));
            }
        });
    }

    /**
     * The leader has nothing at {@code wish}, OFFSET_OUT_OF_RANGE, and its log starts at {@code leaderLogStart}: gives up what this log has, and goes on there; the
     * high watermark with it. What producers did before is told by records that are no more (rule P4).
     */
    public void restartAt(Wish wish, long leaderLogStart, Callback<Void> done) {
        if (closed || busy || !wish.equals(wish())) {
            done.succeed(null);
            return;
        }
        // Where its log ends below the start of this one, it was elected uncleanly; a log start never falls (rule I12).
        long start = Math.max(leaderLogStart, log.logStartOffset());
        long cut = log.highWatermark() - leaderLogStart;
        if (cut > 0) {
            LOG.error(
                    "{}: {} committed record(s) from offset {} on are given up, because the log of the leader of epoch {} does not reach them: it was"
                            + " elected uncleanly. Data is lost.",
                    log.identity().directory(),
                    cut,
                    leaderLogStart,
                    leaderEpoch);
            losses.lost(log, cut);
        }
        begin();
        recoveryPoints.lower(log, log.logStartOffset(), (lowered, failure) -> {
            if (failure != null || closed) {
                end(failure, done);
            } else {
                log.restartAt(start, (none, why) -> end(why, done));
            }
        });
    }

    private void append(Fetched answer, Callback<Void> done) {
        ByteBuffer whole = whole(answer.records);
        Failure wrong = check(whole);
        if (wrong != null) {
            done.fail(wrong);
            return;
        }
        if (!whole.hasRemaining()) {
            takeProgress(answer, done);
            return;
        }
        begin();
        long first = BatchHeader.baseOffset(whole, whole.position());
        boolean early =
                first < log.logEndOffset() && BatchHeader.nextOffset(whole, whole.position()) > log.logEndOffset();
        if (early && log.logEndOffset() == log.logStartOffset()) {
            // The leader's log starts within a batch (DeleteRecords), and this one began anew there.
            log.restartAt(first, (none, failure) -> {
                if (failure != null || closed) {
                    end(failure, done);
                } else {
                    appendWhole(whole, answer, done);
                }
            });
        } else {
            appendWhole(whole, answer, done);
        }
    }

    private void appendWhole(ByteBuffer whole, Fetched answer, Callback<Void> done) {
        log.appendFetched(whole, (appended, failure) -> {
            if (failure != null || closed) {
                end(failure, done);
            } else {
                busy = false;
                takeProgress(answer, done);
            }
        });
    }

    /** What the leader has committed and deleted counts here as far as this log has it. */
    private void takeProgress(Fetched answer, Callback<Void> done) {
        long have = log.config().durable() ? log.durableEndOffset() : log.logEndOffset();
        long before = log.highWatermark();
        long stable = log.lastStableOffset();
        log.advanceHighWatermark(Math.min(answer.highWatermark, have));
        if (log.highWatermark() > before) {
            // How many bytes that is nobody counted: who waits for many looks again, and is answered with what there
            // is.
            waiters.committed(Integer.MAX_VALUE, log.lastStableOffset() > stable);
        }
        long start = Math.min(answer.logStartOffset, log.highWatermark());
        if (start <= log.logStartOffset()) {
            done.succeed(null);
            return;
        }
        begin();
        log.deleteBefore(start, (raised, failure) -> end(failure, done));
    }

    private void begin() {
        busy = true;
    }

    private void end(Failure failure, Callback<Void> done) {
        busy = false;
        done.done(null, failure);
    }

    /** Without the batch that the size limit of the fetch cut. */
    private static ByteBuffer whole(ByteBuffer records) {
        int at = records.position();
        while (BatchHeader.isFramed(records, at)) {
            at += BatchHeader.sizeInBytes(records, at);
        }
        return records.slice(records.position(), at - records.position());
    }

    /** Rules S1, I1: nothing rotten, and no record of an epoch that cannot be. */
    private Failure check(ByteBuffer batches) {
        int epoch = log.latestEpoch();
        for (int at = batches.position(); at < batches.limit(); at += BatchHeader.sizeInBytes(batches, at)) {
            if (!BatchHeader.isPlausible(batches, at) || !BatchHeader.isCrcValid(batches, at)) {
                return corrupt(batches, at, "is damaged");
            }
            int next = BatchHeader.leaderEpoch(batches, at);
            if (next < epoch || next > leaderEpoch) {
                return corrupt(batches, at, "has leader epoch " + next + " behind " + epoch + " in " + leaderEpoch);
            }
            epoch = next;
        }
        return null;
    }

    private Failure corrupt(ByteBuffer batches, int at, String what) {
        return Failure.of(
                FailureCode.CORRUPT_BATCH,
                "a batch of " + log.identity().directory() + " from the leader (offset "
                        + BatchHeader.baseOffset(batches, at) + ") " + what);
    }

    /** For consumers: what this replica knows to be committed. */
    @Override
    public void read(
            ReadPartition wish, int maxBytes, boolean wholeFirstBatch, ReadBound bound, Callback<ReadOutcome> done) {
        Failure fenced = checkEpoch(wish.currentLeaderEpoch());
        if (fenced != null) {
            done.succeed(new ReadOutcome(null, null, fenced, -1, leaderEpoch));
            return;
        }
        log.read(
                wish.fetchOffset(),
                maxBytes,
                wholeFirstBatch,
                bound,
                (result, failure) ->
                        done.succeed(new ReadOutcome(result, null, ofFollower(failure, wish), -1, leaderEpoch)));
    }

    /** Rule I13: only the leader knows where the log ends. Whoever is ahead of this replica asks again, or elsewhere, and does not begin anew. */
    private Failure ofFollower(Failure failure, ReadPartition wish) {
        boolean ahead = failure != null
                && failure.code() == FailureCode.OFFSET_OUT_OF_RANGE
                && wish.fetchOffset() > log.logEndOffset();
        return ahead
                ? Failure.of(
                        FailureCode.OFFSET_NOT_AVAILABLE,
                        "this follower has records up to " + log.logEndOffset() + ", not yet " + wish.fetchOffset())
                : failure;
    }

    private Failure checkEpoch(int currentLeaderEpoch) {
        if (closed) {
            return Failure.of(FailureCode.NOT_LEADER, "this node does not follow the leader of this epoch any more");
        }
        Failure unusable = log.unusable();
        if (unusable != null || currentLeaderEpoch < 0 || currentLeaderEpoch == leaderEpoch) {
            return unusable;
        }
        return currentLeaderEpoch < leaderEpoch
                ? Failure.of(FailureCode.FENCED_LEADER_EPOCH, "the leader epoch here is " + leaderEpoch)
                : Failure.of(FailureCode.UNKNOWN_LEADER_EPOCH, "the leader epoch here is still " + leaderEpoch);
    }

    @Override
    public long readableEnd(ReadBound bound) {
        return bound == ReadBound.LAST_STABLE_OFFSET ? log.lastStableOffset() : log.highWatermark();
    }

    @Override
    public void watch(WaitingFetch fetch) {
        waiters.add(fetch);
    }

    @Override
    public void unwatch(WaitingFetch fetch) {
        waiters.remove(fetch);
    }

    /** Ends following: nothing is appended or cut any more, consumers look elsewhere. What is under way may still end. */
    public void close() {
        closed = true;
        waiters.finishAll();
    }
}
