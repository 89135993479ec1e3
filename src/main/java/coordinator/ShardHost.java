package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import coordinator.Coordinator.ProducerTransaction;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries one partition's shard: loads it, runs its requests one after another, replays what they yield and answers when it is committed. After a failed append
 * the shard is thrown away and loaded again, so it never holds what its log does not (rule G2). Confined to the owner.
 */
final class ShardHost<S extends CoordinatorShard<R>, R> {
    private static final Logger LOG = LoggerFactory.getLogger(ShardHost.class);
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RuntimeSetup<S, R> setup;
    private final int partition;
    private final String name;
    private final LoadAttempts<R> loads;
    private final RuntimeStats stats;
    private final StateBudget budget;
    private final AppendQueue queue;
    private final ShardGuard guard;
    private final ShardRequests<R> requests;
    private final ShardTransactions transactions;

    private ShardState state = ShardState.RESIGNED;
    private Failure unavailable;
    private PartitionStore store;
    private int leaderEpoch;
    private MetadataImage image;
    private S shard;
    private HostedContext<R> context;
    /** Changes whenever the shard does: what was begun for an earlier one is dropped. */
    private long incarnation;

    private Callback<Void> drained;

    ShardHost(
            RuntimeSetup<S, R> setup,
            int partition,
            LoadSlots slots,
            RuntimeStats stats,
            PendingBytes pending,
            StateBudget budget,
            MetadataImage image) {
        this.setup = setup;
        this.partition = partition;
        this.name = setup.topic() + "-" + partition;
        this.loads = new LoadAttempts<>(setup, name, slots);
        this.stats = stats;
        this.budget = budget;
        this.image = image;
        this.guard = new ShardGuard(name);
        this.queue = new AppendQueue(setup, stats, pending, new AppendOutcome());
        this.transactions = new ShardTransactions(queue);
        this.requests = new ShardRequests<>(
                setup,
                guard,
                queue,
                stats,
                () -> revert(Failure.of(FailureCode.COORDINATOR_NOT_AVAILABLE, name + " met an unexpected error")));
        this.unavailable = Failure.of(FailureCode.NOT_COORDINATOR, name + " is not led here");
    }

    private final class AppendOutcome implements AppendQueue.Outcome {
        @Override
        public void committed() {
            loads.forgetPause();
            if (drained != null && queue.isSettled()) {
                endDrain();
            }
        }

        @Override
        public void failed(Failure why) {
            LOG.warn(
                    "{}: records could not be appended, the coordinator loads its partition again: {}",
                    name,
                    why.message());
            if (setup.ports().mutations().active("group-failed-append-kept")) {
                queue.abandon().forEach(each -> each.failed(retriable(why)));
            } else {
                revert(retriable(why));
            }
        }

        @Override
        public void abandonedEnded() {
            if (state == ShardState.LOADING && loads.isIdle()) {
                load();
            } else if (drained != null) {
                endDrain();
            }
        }
    }

    /** Leads from now on, in this epoch; nothing if it does already. */
    void lead(int epoch, PartitionStore newStore) {
        boolean before = state != ShardState.RESIGNED;
        if (drained != null || (before && epoch <= leaderEpoch)) {
            return;
        }
        become(ShardState.LOADING, loading());
        if (before) {
            unload(Failure.of(FailureCode.NOT_COORDINATOR, name + " is led in a new epoch"));
        }
        leaderEpoch = epoch;
        store = newStore;
        loads.forgetPause();
        load();
    }

    /** Does not lead any more. */
    void resign(Failure why) {
        if (state != ShardState.RESIGNED) {
            become(ShardState.RESIGNED, why);
            unload(why);
        }
    }

    /** Takes no more requests, lets what was begun be committed, then resigns. */
    void drain(Callback<Void> done) {
        unavailable = Failure.of(FailureCode.NOT_COORDINATOR, "this node is stopping");
        drained = done;
        requests.failSuspended(unavailable);
        if (state != ShardState.ACTIVE || queue.isSettled()) {
            resign(unavailable);
        } else {
            queue.flush();
        }
        if (!queue.isAppending() && drained != null) {
            endDrain();
        }
    }

    private void endDrain() {
        Callback<Void> done = drained;
        drained = null;
        resign(unavailable);
        done.succeed(null);
    }

    private void become(ShardState next, Failure why) {
        stats.moved(state, next);
        state = next;
        unavailable = why;
    }

    private Failure loading() {
        return Failure.of(FailureCode.COORDINATOR_LOADING, name + " is being loaded");
    }

    private boolean takesRequests() {
        return state == ShardState.ACTIVE && drained == null;
    }

    /** Whether its answer is needed to answer for all; a shard that cannot be loaded must not keep the others from being seen. */
    boolean countsForAll() {
        return state == ShardState.ACTIVE || state == ShardState.LOADING;
    }

    void imageChanged(MetadataImage now) {
        MetadataImage before = image;
        image = now;
        if (state == ShardState.ACTIVE) {
            guard.run("follow a metadata change", () -> shard.imageChanged(before, now));
        }
    }

    private void load() {
        if (queue.isAppending()) {
            // Its records may still get into the log: abandonedEnded() comes back here.
            return;
        }
        queue.use(store);
        S fresh = newShard();
        loads.begin(store, fresh, (summary, failure) -> {
            if (failure != null) {
                loadFailed(failure);
            } else {
                loaded(fresh, summary);
            }
        });
    }

    private S newShard() {
        if (context != null) {
            context.end();
        }
        context = new HostedContext<>(
                setup,
                partition,
                leaderEpoch,
                queue,
                () -> image,
                new StateMemory(budget),
                new Incarnation(++incarnation));
        return setup.shards().apply(context);
    }

    private void loaded(S fresh, ShardLoader.Summary summary) {
        stats.loaded(setup.ports().clock().monotonicNanos(), summary.nanos() / NANOS_PER_MILLI);
        if (summary.records() > 0) {
            LOG.info(
                    "{}: coordinator loaded in epoch {}: {} records, {} bytes, {} ms{}",
                    name,
                    leaderEpoch,
                    summary.records(),
                    summary.bytes(),
                    summary.nanos() / NANOS_PER_MILLI,
                    summary.losses() == 0 ? "" : "; " + summary.losses() + " places could not be used, see above");
        }
        shard = fresh;
        become(ShardState.ACTIVE, null);
        if (!guard.run("begin after loading", fresh::loaded)) {
            Failure why = Failure.of(FailureCode.COORDINATOR_NOT_AVAILABLE, name + " could not begin after loading");
            become(ShardState.FAILED, why);
            unload(why);
            loadFailed(why);
        }
    }

    private void loadFailed(Failure why) {
        long pause = loads.takeLongerPause();
        LOG.error("{}: cannot be loaded, tried again in {} ms: {}", name, pause, why.message());
        become(
                ShardState.FAILED,
                Failure.of(FailureCode.COORDINATOR_NOT_AVAILABLE, name + " could not be loaded: " + why.message()));
        loadLater(pause);
    }

    private void loadLater(long delayMillis) {
        loads.after(delayMillis, () -> {
            become(ShardState.LOADING, loading());
            load();
        });
    }

    /** Throws the state away and loads it again: the first time at once, later after a pause. */
    private void revert(Failure why) {
        if (drained != null) {
            resign(why);
            if (!queue.isAppending()) {
                endDrain();
            }
            return;
        }
        become(ShardState.LOADING, loading());
        unload(why);
        loadLater(loads.takePause());
    }

    private void unload(Failure why) {
        incarnation++;
        loads.cancel();
        requests.stopWatching();
        S gone = shard;
        shard = null;
        for (Waiter<?> each : queue.abandon()) {
            each.failed(why);
        }
        requests.failSuspended(why);
        if (gone != null) {
            guard.run("unload", () -> gone.unloaded(why));
        }
        if (context != null) {
            // Last: what failed just now may have put timers back.
            context.end();
        }
    }

    /** What those who wait are told about a failed append. */
    private static Failure retriable(Failure why) {
        FailureCode code = switch (why.code()) {
            case NOT_LEADER, FENCED_LEADER_EPOCH, UNKNOWN_TOPIC_ID, UNKNOWN_PARTITION, SHUTTING_DOWN ->
                FailureCode.NOT_COORDINATOR;
            default -> FailureCode.COORDINATOR_NOT_AVAILABLE;
        };
        return Failure.of(code, "the request's records may not be committed: " + why.message());
    }

    <T> void write(Coordinator.Write<S, T> request, Callback<T> done) {
        if (!takesRequests()) {
            done.fail(unavailable);
            return;
        }
        requests.run(shard, () -> request.run(shard), done, done);
    }

    <T> void writeTransactional(ProducerTransaction transaction, Coordinator.Write<S, T> request, Callback<T> done) {
        if (!takesRequests()) {
            done.fail(unavailable);
            return;
        }
        long mine = incarnation;
        transactions.admit(store, transaction, (none, refusal) -> {
            if (!takesRequests() || incarnation != mine) {
                done.fail(unavailable == null ? loading() : unavailable);
            } else if (refusal != null) {
                done.fail(refusal);
            } else {
                requests.run(shard, transaction, () -> request.run(shard), done, done);
            }
        });
    }

    /** Rule T7. */
    void complete(TransactionEnd end, Callback<Void> done) {
        Failure refusal = takesRequests() ? transactions.refusal(end) : unavailable;
        if (refusal != null) {
            done.fail(refusal);
            return;
        }
        PartitionStore.MarkerVerdict verdict = store.verdictOn(end);
        switch (verdict.decision()) {
            case REFUSED -> done.fail(verdict.failure());
            case REPEATED -> requests.afterAll(done);
            case OK -> {
                transactions.ended(end);
                requests.end(shard, end, done);
            }
        }
    }

    <T> void park(Coordinator.ParkingWrite<S, T> request, Callback<T> done) {
        Failure refusal = takesRequests() ? queue.refusal() : unavailable;
        if (refusal != null) {
            done.fail(refusal);
            return;
        }
        Callback<T> parked = requests.parked(done);
        requests.run(shard, () -> request.run(shard, parked), null, parked);
    }

    <T> void read(Coordinator.Read<S, T> question, Callback<T> done) {
        if (!takesRequests()) {
            done.fail(unavailable);
            return;
        }
        requests.run(shard, () -> Result.answer(question.run(shard)), done, done);
    }

    /** A timer's or the shard's own write; false when no records are taken now. */
    private boolean runOwn(Supplier<Result<R, Void>> write) {
        if (!takesRequests() || queue.refusal() != null) {
            return false;
        }
        requests.run(
                shard,
                write::get,
                null,
                (none, failure) ->
                        LOG.error("{}: a duty of the coordinator was not done: {}", name, failure.message()));
        return true;
    }

    private final class Incarnation implements HostedContext.Incarnation<R>, OffloadRun.Home<R> {
        private final long number;

        Incarnation(long number) {
            this.number = number;
        }

        @Override
        public boolean isGone() {
            return incarnation != number;
        }

        @Override
        public boolean attempt(Supplier<Result<R, Void>> write) {
            return isGone() || runOwn(write);
        }

        @Override
        public void run(Supplier<Result<R, Void>> write, Callback<?> refused) {
            if (takesRequests()) {
                requests.run(shard, write::get, null, refused);
            } else {
                refused.fail(unavailable);
            }
        }

        @Override
        public void begin(Offload<R, ?> job) {
            if (!isGone()) {
                new OffloadRun<>(job, guard, this).begin(store);
            }
        }
    }
}
