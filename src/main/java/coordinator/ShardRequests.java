package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.InvariantViolation;
import common.Timers;
import coordinator.Coordinator.ProducerTransaction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs the requests of one partition's shard, one at a time: replays what they yield, queues it, and sees that each is answered once, in order, when it is committed
 * or when its time is up. Confined to the owner.
 */
final class ShardRequests<R> {
    /** Most requests of one shard that are suspended at a time. */
    static final int MAX_SUSPENDED = 10_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RuntimeSetup<?, R> setup;
    private final ShardGuard guard;
    private final AppendQueue queue;
    private final RuntimeStats stats;
    private final Runnable broken;
    /** What the shard has answered while a request runs. */
    private final List<Waiter<?>> held = new ArrayList<>();

    /** To their deadlines, the longest waiting first. */
    private final Map<Suspension, Long> suspended = new LinkedHashMap<>();

    private Timers.Handle commitTimeout;
    private boolean running;

    /** @param broken told when a shard's state may be half changed */
    ShardRequests(RuntimeSetup<?, R> setup, ShardGuard guard, AppendQueue queue, RuntimeStats stats, Runnable broken) {
        this.setup = setup;
        this.guard = guard;
        this.queue = queue;
        this.stats = stats;
        this.broken = broken;
    }

    /** As {@link #run(CoordinatorShard, ProducerTransaction, Supplier, Callback, Callback)}, of no transaction. */
    <T> void run(CoordinatorShard<R> shard, Supplier<Result<?, T>> request, Callback<T> done, Callback<?> refused) {
        run(shard, null, request, done, refused);
    }

    /**
     * @param transaction to which its records belong, or null
     * @param done gets the response; null when somebody else answers
     * @param refused told when the request fails as a whole
     */
    <T> void run(
            CoordinatorShard<R> shard,
            ProducerTransaction transaction,
            Supplier<Result<?, T>> request,
            Callback<T> done,
            Callback<?> refused) {
        stats.event();
        Result<?, T> result;
        List<R> records;
        List<EncodedRecords> encoded;
        running = true;
        try {
            result = request.get();
            records = typed(result.records());
            encoded = records.isEmpty()
                    ? null
                    : EncodedRecords.of(records, setup.codec()).parts(result.together(), queue.room());
        } catch (InvariantViolation e) {
            throw e;
        } catch (RuntimeException e) {
            running = false;
            guard.failed("answer a request", e);
            refuse(internal(), null, refused);
            return;
        }
        running = false;
        Suspension suspension = result.suspension();
        Failure refusal = refusal(encoded, suspension);
        if (refusal != null) {
            refuse(refusal, result.settled(), refused);
            return;
        }
        if (!guard.run(
                "apply its own records; it loads its partition again", () -> replay(shard, transaction, records))) {
            refuse(internal(), result.settled(), refused);
            broken.run();
            return;
        }
        List<Waiter<?>> waiters = takeHeld();
        Callback<Void> settled = result.settled();
        Callback<T> answer = suspension == null ? done : null;
        if (answer != null || settled != null) {
            waiters.add(new Waiter<>(
                    settled == null ? null : guarded(settled), answer, result.response(), null, deadline()));
        }
        if (suspension != null) {
            suspend(suspension, () -> run(shard, transaction, request, done, refused), refused);
        }
        if (encoded != null && setup.ports().mutations().active("group-answer-before-commit")) {
            queue.add(encoded, transaction, List.of());
            waiters.forEach(Waiter::committed);
        } else if (encoded != null) {
            queue.add(encoded, transaction, waiters);
        } else {
            waiters.forEach(this::answer);
        }
        watchDeadlines();
    }

    private Failure refusal(List<EncodedRecords> encoded, Suspension suspension) {
        Failure crowd = suspension == null ? null : crowd();
        if (crowd != null) {
            return crowd;
        }
        if (encoded != null) {
            return queue.refusal(encoded);
        }
        return suspension == null ? null : queue.refusal();
    }

    /** Why no more requests are suspended now; null when they are. */
    private Failure crowd() {
        if (suspended.size() < MAX_SUSPENDED) {
            return null;
        }
        // Not now: their callers may call back, and a request is being run.
        setup.soon().accept(this::dropLate);
        return Failure.of(
                FailureCode.COORDINATOR_NOT_AVAILABLE,
                MAX_SUSPENDED + " requests wait for what is being computed already; retry later");
    }

    private void dropLate() {
        long now = setup.ports().clock().monotonicNanos();
        while (!suspended.isEmpty()) {
            Map.Entry<Suspension, Long> longest =
                    suspended.entrySet().iterator().next();
            if (longest.getValue() - now > 0) {
                return;
            }
            longest.getKey().fail(late());
        }
    }

    private Failure late() {
        return Failure.of(
                FailureCode.TIMED_OUT,
                "what the request waits for was not there within "
                        + setup.limits().commitTimeoutMillis() + " ms");
    }

    private void suspend(Suspension suspension, Runnable again, Callback<?> refused) {
        long deadlineNanos = deadline();
        suspended.put(suspension, deadlineNanos);
        suspension.begin(
                () -> setup.soon().accept(() -> {
                    if (suspended.remove(suspension) == null) {
                        return;
                    }
                    suspension.end();
                    // Nobody hears the answer, and who asked may have asked again.
                    if (deadlineNanos - setup.ports().clock().monotonicNanos() <= 0) {
                        refused.fail(late());
                    } else {
                        again.run();
                    }
                }),
                why -> {
                    if (suspended.remove(suspension) != null) {
                        suspension.end();
                        refused.fail(why);
                    }
                });
    }

    /** Nobody will resume them. */
    void failSuspended(Failure why) {
        List.copyOf(suspended.keySet()).forEach(each -> each.fail(why));
    }

    private void replay(CoordinatorShard<R> shard, ProducerTransaction transaction, List<R> records) {
        if (transaction == null) {
            records.forEach(shard::replay);
        } else {
            records.forEach(
                    each -> shard.replayTransactional(transaction.producerId(), transaction.producerEpoch(), each));
        }
    }

    /** Applies a marker that the log will take, and queues it. */
    void end(CoordinatorShard<R> shard, TransactionEnd end, Callback<Void> done) {
        stats.event();
        Failure refusal = queue.refusal();
        if (refusal != null) {
            done.fail(refusal);
            return;
        }
        if (!guard.run(
                "apply the end of a transaction; it loads its partition again",
                () -> shard.replayMarker(end.producerId(), end.producerEpoch(), end.commit()))) {
            done.fail(internal());
            broken.run();
            return;
        }
        queue.add(end, new Waiter<>(null, done, null, null, deadline()));
        watchDeadlines();
    }

    /** {@code done} when all that was queued is committed. */
    void afterAll(Callback<Void> done) {
        answer(new Waiter<>(null, done, null, null, deadline()));
        watchDeadlines();
    }

    private static Failure internal() {
        return Failure.of(FailureCode.INTERNAL, "the coordinator met an unexpected error, see its log");
    }

    private List<R> typed(List<?> records) {
        List<R> all = new ArrayList<>(records.size());
        for (Object each : records) {
            all.add(setup.type().cast(each));
        }
        return all;
    }

    private List<Waiter<?>> takeHeld() {
        List<Waiter<?>> taken = new ArrayList<>(held);
        held.clear();
        return taken;
    }

    private Callback<Void> guarded(Callback<Void> settled) {
        return (none, failure) -> guard.run("settle what a request began", () -> settled.done(none, failure));
    }

    private void refuse(Failure why, Callback<Void> settled, Callback<?> refused) {
        List<Waiter<?>> answers = takeHeld();
        if (settled != null) {
            guarded(settled).fail(why);
        }
        answers.forEach(each -> each.failed(why));
        refused.fail(why);
    }

    private void answer(Waiter<?> waiter) {
        if (queue.isSettled() || setup.ports().mutations().active("group-answer-from-uncommitted")) {
            waiter.committed();
        } else {
            queue.await(waiter);
        }
    }

    private void watchDeadlines() {
        if (commitTimeout == null && !queue.isSettled()) {
            commitTimeout = setup.ports().timers().after(setup.limits().commitTimeoutMillis(), this::deadlineReached);
        }
    }

    private void deadlineReached() {
        commitTimeout = null;
        long now = setup.ports().clock().monotonicNanos();
        Waiter<?> next = queue.expire(now);
        if (next != null) {
            long millis = (next.deadlineNanos() - now + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
            commitTimeout = setup.ports().timers().after(millis, this::deadlineReached);
        }
    }

    private long deadline() {
        return setup.ports().clock().monotonicNanos() + setup.limits().commitTimeoutMillis() * NANOS_PER_MILLI;
    }

    /** Nobody waits any more. */
    void stopWatching() {
        if (commitTimeout != null) {
            commitTimeout.cancel();
            commitTimeout = null;
        }
    }

    <T> Callback<T> parked(Callback<T> done) {
        return new ParkedAnswer<>(done);
    }

    /** An answer in the hands of the shard. What it gives while a request runs waits for that request's records too. */
    private final class ParkedAnswer<T> implements Callback<T> {
        private final Callback<T> done;
        private boolean answered;

        ParkedAnswer(Callback<T> done) {
            this.done = done;
        }

        @Override
        public void done(T value, Failure failure) {
            if (answered) {
                return;
            }
            answered = true;
            if (running) {
                held.add(new Waiter<>(null, done, value, failure, deadline()));
            } else {
                done.done(value, failure);
            }
        }
    }
}
