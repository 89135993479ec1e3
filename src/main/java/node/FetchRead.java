package node;

import common.Callback;
import common.Failure;
import java.util.ArrayList;
import java.util.List;
import replication.LeaderReplica;
import replication.ReadableReplica;
import replication.ReplicaShard.Read;
import replication.ReplicaShard.ReadOutcome;
import replication.ReplicaShard.ReadPartition;
import storage.ReadResult;

/**
 * One pass over the partitions of a fetch, in their order, each with what is left of the byte limit (KIP-74). Most reads finish at once, so the pass is a
 * loop that a read from a cold file merely interrupts. Confined to the shard.
 */
final class FetchRead {
    private final Read request;
    private final List<ReadableReplica> replicas;
    private final Failure[] refused;
    private final Callback<FetchRead> done;
    private final List<ReadOutcome> outcomes;
    private long bytes;
    private boolean urgent;
    private boolean limited;
    private boolean running;
    private boolean cancelled;

    /**
     * @param replicas those of the request's partitions, null where there is none
     * @param refused per partition why it gets nothing, null for none; null: nobody is refused
     */
    FetchRead(Read request, List<ReadableReplica> replicas, Failure[] refused, Callback<FetchRead> done) {
        this.request = request;
        this.replicas = replicas;
        this.refused = refused;
        this.done = done;
        this.outcomes = new ArrayList<>(replicas.size());
    }

    void run() {
        running = true;
        while (outcomes.size() < replicas.size()) {
            int before = outcomes.size();
            readNext(before);
            if (outcomes.size() == before) {
                running = false;
                return;
            }
        }
        running = false;
        done.succeed(this);
    }

    private void readNext(int index) {
        ReadPartition wish = request.partitions().get(index);
        ReadableReplica replica = replicas.get(index);
        if (replica == null) {
            take(StorageShard.unknown());
            return;
        }
        if (refused != null && refused[index] != null) {
            take(new ReadOutcome(null, null, refused[index], -1, -1));
            return;
        }
        String rack = request.reader().rack();
        ReadOutcome elsewhere =
                rack != null && replica instanceof LeaderReplica leader ? leader.elsewhere(rack, wish) : null;
        if (elsewhere != null) {
            take(elsewhere);
            return;
        }
        long left = Math.max(0, request.maxBytes() - bytes);
        replica.read(
                wish,
                (int) Math.min(wish.maxBytes(), left),
                bytes == 0,
                request.bound(),
                (outcome, failure) -> take(outcome));
    }

    private void take(ReadOutcome outcome) {
        outcomes.add(outcome);
        urgent |= outcome.urgent();
        if (outcome.result() != null) {
            bytes += outcome.result().bytes();
            limited |= outcome.result().more();
        }
        if (!running) {
            run();
        }
    }

    /** Whether a read is still with the disk. */
    boolean pending() {
        return outcomes.size() < replicas.size();
    }

    /** What this pass finds is to be answered: nobody waits for more. */
    void cancel() {
        cancelled = true;
    }

    boolean cancelled() {
        return cancelled;
    }

    List<ReadableReplica> replicas() {
        return replicas;
    }

    List<ReadOutcome> outcomes() {
        return outcomes;
    }

    long bytes() {
        return bytes;
    }

    /** Whether to answer at once, however few the bytes: something must be told, or there is more to read than the limits let into this answer. */
    boolean urgent() {
        return urgent || (limited && bytes > 0);
    }

    /** Whether data has become readable in a partition since it was read. */
    boolean overtaken() {
        for (int i = 0; i < outcomes.size(); i++) {
            ReadableReplica replica = replicas.get(i);
            if (replica == null
                    || outcomes.get(i).result() == null
                    || replica.readableEnd(request.bound()) > endSeen(i)) {
                return true;
            }
        }
        return false;
    }

    private long endSeen(int index) {
        ReadResult result = outcomes.get(index).result();
        return switch (request.bound()) {
            case HIGH_WATERMARK -> result.highWatermark();
            case LAST_STABLE_OFFSET -> result.lastStableOffset();
            case LOG_END ->
                result.bytes() > 0
                        ? Long.MAX_VALUE
                        : request.partitions().get(index).fetchOffset();
        };
    }

    void releaseRanges() {
        for (ReadOutcome each : outcomes) {
            if (each.result() != null && each.result().range() != null) {
                each.result().range().release();
            }
        }
    }
}
