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
import storage.PartitionLog;

/**
 * Turns requests to the active controller into committed records: one append at a time; what arrives meanwhile is decided together afterwards, upon what is
 * written and perhaps not committed yet, and shares the next batch and its fsync (group commit). An answer is given out only once its records, and those it was
 * decided upon, are committed in the same epoch (R10); a request that changes nothing waits for no disk. When the leadership is lost, all that is not committed is
 * forgotten and its requests fail: nobody knows yet what becomes of them. Confined to the controller's owner.
 */
final class MetadataJournal {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataJournal.class);

    /** Requests waiting for the disk or for the other voters; more are refused. Their bytes are bounded where they came in. */
    private static final int MAX_QUEUED = 4_096;

    private static final int INACTIVE = -1;

    private final ControllerMachine machine;
    private final PartitionLog log;
    private final LogWork work;
    private final CommittedMetadata committed;
    private final Appends appends;
    private final Clock clock;
    private final int maxBatchBytes;
    private final Deque<Request<?>> queue = new ArrayDeque<>();

    /** What is still to be written of a decision in parts; nothing else is decided before. */
    private final Deque<MetadataRecord> rest = new ArrayDeque<>();

    /** In the log, and not committed yet. */
    private final Deque<Written> written = new ArrayDeque<>();

    private List<Decided> writing = List.of();
    private Decided restDecided;
    private int epoch = INACTIVE;
    private int unanswered;
    private boolean scheduled;
    private Failure closed;
    private Runnable whenIdle;

    /**
     * A request in the queue.
     *
     * @param awaitShards its answer also waits until the shards have applied the change
     */
    record Request<T>(Function<ControllerMachine, Decision<T>> decide, boolean awaitShards, Callback<T> done) {}

    /** Who tells consensus of what this journal has appended. */
    interface Appends {
        /** The log has grown. */
        void appended();

        /** The log is as it was. */
        void nothingAppended();

        /** What the log holds is not known any more: only a restart reads it. */
        void broken();
    }

    MetadataJournal(
            ControllerMachine machine,
            PartitionLog log,
            LogWork work,
            CommittedMetadata committed,
            Appends appends,
            Clock clock,
            int maxBatchBytes) {
        this.machine = machine;
        this.log = log;
        this.work = work;
        this.committed = committed;
        this.appends = appends;
        this.clock = clock;
        this.maxBatchBytes = maxBatchBytes;
    }

    /** This node is the active controller in {@code leaderEpoch}: all records of the log are in the committed image. */
    void begin(int leaderEpoch) {
        epoch = leaderEpoch;
        machine.revertTo(committed.image());
    }

    /** Whether requests are decided here. */
    boolean isActive() {
        return epoch != INACTIVE;
    }

    /** In which epoch; -1 when it does not. */
    int epoch() {
        return epoch;
    }

    /** The leadership is over, for what requests are told. */
    void end(Failure why) {
        epoch = INACTIVE;
        List<Decided> lost = new ArrayList<>();
        written.forEach(each -> lost.addAll(each.decided));
        written.clear();
        lost.addAll(writing);
        writing = List.of();
        if (!rest.isEmpty()) {
            rest.clear();
            lost.add(restDecided);
        }
        List<Request<?>> queued = new ArrayList<>(queue);
        queue.clear();
        unanswered = 0;
        lost.forEach(each -> each.done.fail(why));
        queued.forEach(each -> each.done.fail(why));
        idle();
    }

    <T> void submit(Request<T> request) {
        if (closed != null) {
            request.done.fail(closed);
        } else if (!isActive()) {
            request.done.fail(FailureCode.NOT_LEADER, "this node is not the active controller");
        } else if (unanswered >= MAX_QUEUED) {
            request.done.fail(FailureCode.OVERLOADED, MAX_QUEUED + " admin requests are waiting already; retry later");
        } else {
            unanswered++;
            queue.addLast(request);
            schedule();
        }
    }

    /** Refuses new requests; {@code then} runs when those accepted before are done. */
    void close(Failure reason, Runnable then) {
        closed = closed == null ? reason : closed;
        whenIdle = then;
        idle();
    }

    private void idle() {
        boolean nothing = !scheduled && queue.isEmpty() && rest.isEmpty() && writing.isEmpty() && written.isEmpty();
        if (nothing && whenIdle != null) {
            Runnable then = whenIdle;
            whenIdle = null;
            then.run();
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

    /**
     * A batch in the log.
     *
     * @param image with it
     */
    private record Written(long end, int size, MetadataImage image, List<Decided> decided) {}

    private void schedule() {
        if (!scheduled && !(rest.isEmpty() && queue.isEmpty())) {
            scheduled = true;
            work.add(true, this::write);
        }
    }

    private void write(LogWork.Finish finish) {
        while (!(rest.isEmpty() && queue.isEmpty())) {
            Batch next = rest.isEmpty() ? queued() : part();
            if (!next.records.isEmpty()) {
                append(next, finish);
                return;
            }
            answerUnchanged(next.decided);
        }
        finish.then(() -> {
            scheduled = false;
            schedule();
            idle();
        });
    }

    /** What goes into the log at once. */
    private record Batch(long base, List<MetadataRecord> records, List<Decided> decided) {}

    private Batch queued() {
        Batch batch = new Batch(log.logEndOffset(), new ArrayList<>(), new ArrayList<>());
        long size = 0;
        while (rest.isEmpty() && !queue.isEmpty() && size < mostBytesOf(maxBatchBytes)) {
            size += decide(queue.removeFirst(), batch);
        }
        return batch;
    }

    /** The next part of a decision that is larger than a batch; answered with the last. */
    private Batch part() {
        List<MetadataRecord> part = new ArrayList<>();
        long size = MetadataBatch.size(part);
        while (!rest.isEmpty() && (part.isEmpty() || size < mostBytesOf(maxBatchBytes))) {
            MetadataRecord record = rest.removeFirst();
            size += MetadataBatch.size(record);
            part.add(record);
        }
        long base = log.logEndOffset();
        machine.replay(part, base);
        return new Batch(base, part, rest.isEmpty() ? List.of(restDecided) : List.of());
    }

    /** Most bytes of one request's records: any two requests fit into a batch. */
    static long mostBytesOf(int maxBatchBytes) {
        return maxBatchBytes / 2;
    }

    private <T> long decide(Request<T> request, Batch batch) {
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
            batch.decided.add(new Decided(
                    () -> request.done.fail(
                            FailureCode.POLICY_VIOLATION,
                            "the request would make a batch of metadata larger than allowed"),
                    request.done,
                    false));
            return 0;
        }
        machine.replay(decision.records(), batch.base + batch.records.size());
        batch.records.addAll(decision.records());
        batch.decided.add(answer);
        return size;
    }

    /** Not before what they were decided upon is committed. */
    private void answerUnchanged(List<Decided> decided) {
        if (written.isEmpty()) {
            unanswered -= decided.size();
            decided.forEach(each -> each.answer.run());
        } else {
            written.peekLast().decided.addAll(decided);
        }
    }

    private void append(Batch batch, LogWork.Finish finish) {
        writing = batch.decided;
        int writtenIn = epoch;
        MetadataImage image = machine.latest();
        ByteBuffer bytes = MetadataBatch.encode(batch.records, epoch, clock.wallMillis());
        int size = bytes.remaining();
        log.append(
                bytes,
                epoch,
                (result, failure) -> finish.then(() -> {
                    scheduled = false;
                    boolean counts = epoch == writtenIn;
                    if (failure == null) {
                        Check.invariant(
                                result.baseOffset() == batch.base,
                                "metadata appended elsewhere",
                                result.baseOffset(),
                                batch.base);
                        if (counts) {
                            written.addLast(
                                    new Written(result.lastOffset() + 1, size, image, new ArrayList<>(writing)));
                            writing = List.of();
                        }
                        appends.appended();
                    } else {
                        lost(failure, batch.base, counts);
                    }
                    schedule();
                    idle();
                }));
    }

    /** The log is committed up to {@code highWatermark}. */
    void commit(long highWatermark) {
        List<Decided> decided = new ArrayList<>();
        MetadataImage image = null;
        int size = 0;
        while (!written.isEmpty() && written.peekFirst().end <= highWatermark) {
            Written next = written.removeFirst();
            image = next.image;
            size += next.size;
            decided.addAll(next.decided);
        }
        if (image != null) {
            unanswered -= decided.size();
            committed.advance(image, size, (applied, unused) -> decided.forEach(each -> each.answer(true)));
            decided.forEach(each -> each.answer(false));
        }
        // A record of consensus itself.
        if (isActive() && highWatermark > committed.image().version()) {
            committed.skip(highWatermark);
        }
        idle();
    }

    /** Nothing of the batch may count. If the log may hold a part of it, this node can no longer lead: only a restart reads what is really there. */
    private void lost(Failure failure, long base, boolean counts) {
        boolean unchanged = log.logEndOffset() == base && failure.code() != FailureCode.SYNC_FAILED;
        LOG.error(
                "metadata could not be written: {}; {}",
                failure.message(),
                unchanged ? "the requests are refused" : "this node decides nothing more until it is restarted");
        if (!unchanged) {
            end(failure);
            appends.broken();
            return;
        }
        if (counts) {
            machine.revertTo(written.isEmpty() ? committed.image() : written.peekLast().image);
            List<Decided> refused = new ArrayList<>(writing);
            writing = List.of();
            if (!rest.isEmpty()) {
                rest.clear();
                refused.add(restDecided);
            }
            unanswered -= refused.size();
            refused.forEach(each -> each.done.fail(failure));
        }
        appends.nothingAppended();
    }
}
