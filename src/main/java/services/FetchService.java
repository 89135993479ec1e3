package services;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.Mailboxes;
import common.PartitionId;
import java.util.ArrayList;
import java.util.List;
import replication.ReplicaShard;
import replication.ReplicaShard.FetchId;
import replication.ReplicaShard.News;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import replication.ReplicaShard.Reader;
import replication.ReplicaShard.SessionId;
import replication.ReplicaShard.SessionRead;
import storage.FileRange;
import storage.ReadBound;
import storage.ReadResult;

/** Long-polling reads from partitions, for every door. One instance per server instance, confined to its owner. */
public final class FetchService {
    /** A shard answers in time by itself; a time-out here only covers a stalled owner, and would lose file references. */
    private static final long GRACE_MILLIS = 300_000;

    private final Shards shards;
    private final int caller;
    private long count;

    /** @param caller which server instance this is: makes ids of fetches unique in the node */
    public FetchService(Mailboxes mailboxes, int shardCount, int caller) {
        this.shards = new Shards(mailboxes, shardCount);
        this.caller = caller;
    }

    /**
     * @param minBytes answer once this many bytes are there; 0 or less: at once
     * @param maxBytes bound of the whole answer, save that the first batch always comes whole
     */
    public record Request(
            List<ReadPartition> partitions,
            int minBytes,
            int maxBytes,
            int maxWaitMillis,
            ReadBound bound,
            Reader reader) {}

    /**
     * Answers in the order of the partitions; never fails as a whole. The ranges of the answer belong to the receiver, which releases each.
     *
     * @return makes the fetch answer at once if it still waits (its connection closed, say); may be run at any time on this owner
     */
    public Runnable fetch(Request request, Callback<List<ReadOutcome>> done) {
        FetchId id = new FetchId(caller, count++);
        if (request.partitions().isEmpty()) {
            // Nothing can become readable: an empty fetch waits for nothing.
            done.succeed(List.of());
            return () -> {};
        }
        int only = shards.onlyShard(request.partitions(), ReadPartition::partition);
        if (only >= 0) {
            Read read = new Read(request.partitions(), request.maxBytes(), request.bound(), request.reader());
            long wait = Math.max(0, request.maxWaitMillis());
            shards.call(
                    only,
                    (ReplicaShard shard, Callback<List<ReadOutcome>> reply) ->
                            shard.fetch(id, read, request.minBytes(), wait, reply),
                    wait + GRACE_MILLIS,
                    (answers, failure) -> done.succeed(failure == null ? answers : failed(failure, request)));
            return () -> shards.tell(only, shard -> shard.cancelFetch(id));
        }
        SpreadFetch spread = new SpreadFetch(shards, id, request, GRACE_MILLIS, done);
        spread.start();
        return spread::cancel;
    }

    /**
     * As {@link #fetch}, of what is new for a follower: see {@link ReplicaShard#fetchNews}.
     *
     * @param done never fails
     * @return as {@link #fetch}
     */
    public Runnable fetchNews(FollowerTurn turn, Reader reader, Limits limits, Callback<List<News>> done) {
        FetchSession session = turn.session();
        int shard = session.shard();
        if (session.inShard() == null) {
            SessionId id = new SessionId(caller, count++);
            session.staysInShard(id, () -> shards.tell(shard, owner -> owner.endSession(id)));
        }
        SessionId id = session.inShard();
        SessionRead read = new SessionRead(
                id,
                reader,
                turn.changed(),
                session.takeForgotten(),
                limits.minBytes,
                limits.maxBytes,
                limits.maxWaitMillis);
        shards.call(
                shard,
                (ReplicaShard owner, Callback<List<News>> reply) -> owner.fetchNews(read, reply),
                limits.maxWaitMillis + GRACE_MILLIS,
                (news, failure) -> {
                    if (failure != null) {
                        session.leaveShard();
                    }
                    done.succeed(failure == null ? news : List.of());
                });
        return () -> shards.tell(shard, owner -> owner.hurrySession(id));
    }

    /** As {@link Request} has them. */
    public record Limits(int minBytes, int maxBytes, int maxWaitMillis) {}

    /** By which shard a partition is read. */
    public int shardOf(PartitionId partition) {
        return shards.shardOf(partition);
    }

    private static List<ReadOutcome> failed(Failure failure, Request request) {
        List<ReadOutcome> all = new ArrayList<>(request.partitions().size());
        for (int i = 0; i < request.partitions().size(); i++) {
            all.add(failedRead(failure));
        }
        return all;
    }

    static ReadOutcome failedRead(Failure failure) {
        Failure told = failure.code() == FailureCode.TIMED_OUT
                ? Failure.of(FailureCode.TIMED_OUT, "the partition's owner did not answer in time")
                : failure;
        return new ReadOutcome(null, null, told, -1, -1);
    }

    static void release(ReadOutcome outcome) {
        if (outcome.result() != null && outcome.result().range() != null) {
            outcome.result().range().release();
        }
    }

    /** The outcome without its range beyond {@code maxBytes}; releases what is cut off whole. */
    static ReadOutcome trimmed(ReadOutcome outcome, int maxBytes) {
        ReadResult result = outcome.result();
        if (result == null || result.bytes() <= maxBytes) {
            return outcome;
        }
        FileRange kept = null;
        if (maxBytes > 0) {
            kept = new FileRange(result.range().file(), result.range().position(), maxBytes);
        } else {
            result.range().release();
        }
        ReadResult cut = new ReadResult(
                kept,
                result.logStartOffset(),
                result.highWatermark(),
                result.lastStableOffset(),
                result.aborted(),
                true);
        return new ReadOutcome(
                cut,
                outcome.diverging(),
                outcome.failure(),
                outcome.leaderId(),
                outcome.leaderEpoch(),
                outcome.nearer());
    }
}
