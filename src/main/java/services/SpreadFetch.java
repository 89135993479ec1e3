package services;

import common.Callback;
import java.util.List;
import replication.ReplicaShard.FetchId;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;

/**
 * One fetch over several shards. First all are read without waiting; if that is too little, all wait at once, the first that has news ends the others'
 * wait, and what they then answer is gathered. Confined to the caller's owner.
 */
final class SpreadFetch {
    private final Shards shards;
    private final FetchId id;
    private final FetchService.Request request;
    private final long graceMillis;
    private final Callback<List<ReadOutcome>> done;
    private boolean cancelled;
    private boolean waiting;

    SpreadFetch(
            Shards shards,
            FetchId id,
            FetchService.Request request,
            long graceMillis,
            Callback<List<ReadOutcome>> done) {
        this.shards = shards;
        this.id = id;
        this.request = request;
        this.graceMillis = graceMillis;
        this.done = done;
    }

    void start() {
        read(request.minBytes(), 0, () -> {}, (outcomes, failure) -> {
            long bytes = 0;
            boolean urgent = false;
            for (ReadOutcome each : outcomes) {
                bytes += each.result() == null ? 0 : each.result().bytes();
                boolean limited = each.result() != null
                        && each.result().range() != null
                        && each.result().more();
                urgent |= each.urgent() || limited;
            }
            if (urgent || cancelled || bytes >= request.minBytes() || request.maxWaitMillis() <= 0) {
                answer(outcomes);
                return;
            }
            outcomes.forEach(FetchService::release);
            waiting = true;
            int missing = (int) Math.max(1, request.minBytes() - bytes);
            read(missing, request.maxWaitMillis(), this::endWait, (late, unused) -> answer(late));
        });
    }

    /** Ends the wait, if there is one. */
    void cancel() {
        cancelled = true;
        endWait();
    }

    private void endWait() {
        if (waiting) {
            waiting = false;
            for (int shard = 0; shard < shards.count(); shard++) {
                shards.tell(shard, owner -> owner.cancelFetch(id));
            }
        }
    }

    private void read(int minBytes, long waitMillis, Runnable onFirst, Callback<List<ReadOutcome>> gathered) {
        shards.scatter(
                request.partitions(),
                ReadPartition::partition,
                (shard, mine, reply) -> shard.fetch(
                        id,
                        new Read(mine, request.maxBytes(), request.bound(), request.reader()),
                        minBytes,
                        waitMillis,
                        reply),
                FetchService::failedRead,
                waitMillis + graceMillis,
                gathered,
                onFirst);
    }

    /** Each shard kept to the byte limit by itself; together they may be over it. The first batch stays whole. */
    private void answer(List<ReadOutcome> outcomes) {
        long left = request.maxBytes();
        boolean first = true;
        for (int i = 0; i < outcomes.size(); i++) {
            int bytes = outcomes.get(i).result() == null
                    ? 0
                    : outcomes.get(i).result().bytes();
            if (bytes > 0) {
                if (!first) {
                    outcomes.set(i, FetchService.trimmed(outcomes.get(i), (int) Math.max(0, Math.min(left, bytes))));
                }
                first = false;
                left -= bytes;
            }
        }
        done.succeed(outcomes);
    }
}
