package node;

import common.Callback;
import common.Check;
import common.Clock;
import common.Failure;
import common.FailureCode;
import controller.ControllerMachine;
import controller.Decision;
import highwater.metadata.MetadataRecord;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import raft.OffsetAndEpoch;
import raft.RaftNode;
import raft.RaftOutput;
import storage.AppendResult;
import storage.PartitionLog;

/**
 * Turns requests into committed records: one append at a time; what arrives meanwhile is decided together afterwards and shares the next batch and its
 * fsync (group commit). An answer is given out only once its records, and those it was decided upon, are committed (R10); a request that changes nothing
 * waits for no disk. Confined to the controller's owner.
 */
final class MetadataJournal {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataJournal.class);

    /** Requests waiting for the disk; more are refused. Their bytes are bounded where they came in. */
    private static final int MAX_QUEUED = 4_096;

    private final ControllerMachine machine;
    private final RaftNode raft;
    private final PartitionLog log;
    private final Publications publications;
    private final Clock clock;
    private final int maxBatchBytes;
    private final Deque<Request<?>> queue = new ArrayDeque<>();

    /** What is still to be written of a decision in parts; nothing else is decided before. */
    private final Deque<MetadataRecord> rest = new ArrayDeque<>();

    private Decided restDecided;
    private MetadataImage committed;
    private long bytesWritten;
    private boolean writing;
    private Failure closed;
    private Runnable whenIdle;
    private Runnable afterCommit = () -> {};

    /**
     * A request in the queue.
     *
     * @param awaitShards its answer also waits until the shards have applied the change
     */
    record Request<T>(Function<ControllerMachine, Decision<T>> decide, boolean awaitShards, Callback<T> done) {}

    MetadataJournal(
            ControllerMachine machine,
            RaftNode raft,
            PartitionLog log,
            Publications publications,
            Clock clock,
            int maxBatchBytes) {
        this.machine = machine;
        this.raft = raft;
        this.log = log;
        this.publications = publications;
        this.clock = clock;
        this.maxBatchBytes = maxBatchBytes;
        this.committed = machine.latest();
    }

    /** The image that is true: all of it committed. */
    MetadataImage committed() {
        return committed;
    }

    /** Runs after each commit. */
    void afterCommit(Runnable action) {
        afterCommit = action;
    }

    /** Bytes of records appended since the process started. */
    long bytesWritten() {
        return bytesWritten;
    }

    <T> void submit(Request<T> request) {
        if (closed != null) {
            request.done.fail(closed);
        } else if (queue.size() >= MAX_QUEUED) {
            request.done.fail(FailureCode.OVERLOADED, MAX_QUEUED + " admin requests are waiting already; retry later");
        } else {
            queue.addLast(request);
            write();
        }
    }

    /** Refuses new requests; {@code then} runs when those accepted before are done. */
    void close(Failure reason, Runnable then) {
        closed = closed == null ? reason : closed;
        if (!writing) {
            then.run();
        } else {
            whenIdle = then;
        }
    }

    /** A request that has been decided. */
    private record Decided(Runnable answer, Callback<?> done, boolean awaitShards) {
        void answer(boolean shardsApplied) {
            if (awaitShards == shardsApplied) {
                answer.run();
            }
        }
    }

    private void write() {
        while (!writing && !(rest.isEmpty() && queue.isEmpty())) {
            if (rest.isEmpty()) {
                writeQueued();
            } else {
                writeRest();
            }
        }
        if (!writing && queue.isEmpty() && whenIdle != null) {
            Runnable then = whenIdle;
            whenIdle = null;
            then.run();
        }
    }

    private void writeQueued() {
        List<MetadataRecord> records = new ArrayList<>();
        List<Decided> decided = new ArrayList<>();
        long base = log.logEndOffset();
        long size = 0;
        while (rest.isEmpty() && !queue.isEmpty() && size < mostBytesOf(maxBatchBytes)) {
            size += decide(queue.removeFirst(), base, records, decided);
        }
        if (records.isEmpty()) {
            decided.forEach(each -> each.answer.run());
        } else {
            append(records, base, decided);
        }
    }

    /** The next part of a decision that is larger than a batch; answered with the last. */
    private void writeRest() {
        List<MetadataRecord> part = new ArrayList<>();
        long size = MetadataBatch.size(part);
        while (!rest.isEmpty() && (part.isEmpty() || size < mostBytesOf(maxBatchBytes))) {
            MetadataRecord record = rest.removeFirst();
            size += MetadataBatch.size(record);
            part.add(record);
        }
        long base = log.logEndOffset();
        machine.replay(part, base);
        append(part, base, rest.isEmpty() ? List.of(restDecided) : List.of());
    }

    /** Most bytes of one request's records: any two requests fit into a batch. */
    static long mostBytesOf(int maxBatchBytes) {
        return maxBatchBytes / 2;
    }

    private <T> long decide(Request<T> request, long base, List<MetadataRecord> records, List<Decided> decided) {
        Decision<T> decision = request.decide.apply(machine);
        long size = decision.records().isEmpty() ? 0 : MetadataBatch.size(decision.records());
        boolean await = request.awaitShards && !decision.records().isEmpty();
        Decided answer = new Decided(() -> request.done.succeed(decision.answer()), request.done, await);
        if (size > mostBytesOf(maxBatchBytes) && !decision.whole()) {
            rest.addAll(decision.records());
            restDecided = answer;
            return 0;
        }
        if (size > mostBytesOf(maxBatchBytes)) {
            decided.add(new Decided(
                    () -> request.done.fail(
                            FailureCode.POLICY_VIOLATION,
                            "the request would make a batch of metadata larger than allowed"),
                    request.done,
                    false));
            return 0;
        }
        machine.replay(decision.records(), base + records.size());
        records.addAll(decision.records());
        decided.add(answer);
        return size;
    }

    private void append(List<MetadataRecord> records, long base, List<Decided> decided) {
        writing = true;
        ByteBuffer batch = MetadataBatch.encode(records, raft.epoch(), clock.wallMillis());
        int size = batch.remaining();
        log.append(batch, raft.epoch(), (result, failure) -> {
            writing = false;
            if (failure == null) {
                Check.invariant(result.baseOffset() == base, "metadata appended elsewhere", result.baseOffset(), base);
                bytesWritten += size;
                commit(result, decided);
            } else {
                lost(failure, base, decided);
            }
            write();
        });
    }

    private void commit(AppendResult result, List<Decided> decided) {
        long now = MetadataRaftLog.now(clock);
        raft.appended(now, new OffsetAndEpoch(log.logEndOffset(), raft.epoch()), List.of());
        RaftOutput output = raft.durable(now, log.durableEndOffset());
        Check.invariant(
                output.highWatermark() > result.lastOffset(),
                "answered before commit (R7)",
                output.highWatermark(),
                result.lastOffset());
        log.advanceHighWatermark(output.highWatermark());
        committed = machine.latest();
        publications.publish(committed, (applied, unused) -> decided.forEach(each -> each.answer(true)));
        decided.forEach(each -> each.answer(false));
        afterCommit.run();
    }

    /** Nothing of the batch may count. If the log may hold a part of it, this node can no longer lead: only a restart reads what is really there. */
    private void lost(Failure failure, long base, List<Decided> decided) {
        machine.revertTo(committed);
        boolean unchanged = log.logEndOffset() == base && failure.code() != FailureCode.SYNC_FAILED;
        LOG.error(
                "metadata could not be written: {}; {}",
                failure.message(),
                unchanged ? "the requests are refused" : "this node decides nothing more until it is restarted");
        if (!unchanged) {
            raft.halt(MetadataRaftLog.now(clock));
            closed = failure;
        }
        decided.forEach(each -> each.done.fail(failure));
        if (!rest.isEmpty()) {
            rest.clear();
            restDecided.done.fail(failure);
        }
        while (!unchanged && !queue.isEmpty()) {
            queue.removeFirst().done.fail(failure);
        }
    }
}
