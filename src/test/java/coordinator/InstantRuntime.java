package coordinator;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Chance;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.Mutations;
import common.RandomSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import metadata.MetadataImage;
import sim.NoMetrics;
import sim.SimRandom;

/**
 * One shard on the simplest runtime that keeps the rules: what a write yields is replayed at once, and committed at once unless {@link #holdCommits} was
 * called. Time stands still until {@link #advance}.
 */
public class InstantRuntime<S extends CoordinatorShard<R>, R> {
    private static final long START_MILLIS = 1_700_000_000_000L;

    private final Class<R> type;
    private final UnaryOperator<R> stored;
    private final ShardMaker<S, R> maker;
    private final SimRandom random;
    private final List<R> log = new ArrayList<>();
    private final Map<Object, Timer<R>> timers = new LinkedHashMap<>();
    private final Deque<Runnable> submitted = new ArrayDeque<>();
    private final Deque<Runnable> computations = new ArrayDeque<>();
    private final List<Suspension> suspended = new ArrayList<>();
    private final Deque<Step> waiting = new ArrayDeque<>();
    private final List<Answer<?>> parked = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();
    private S shard;
    private Context context;
    private MetadataImage image;
    private long nowMillis;
    private int leaderEpoch = 1;
    private boolean held;
    private int committed;
    private FailureCode refusal;
    private int maxBatchBytes = Integer.MAX_VALUE;
    private int together;
    private int submissions;
    private boolean holdsComputations;
    private long maxStateBytes = Long.MAX_VALUE / 2;
    private Chance chance = Chance.NEVER;
    private Mutations mutations = Mutations.NONE;

    /** Makes the shard of a context. */
    public interface ShardMaker<S, R> {
        S make(ShardContext<R> context);
    }

    /** What a request was answered; {@link #value} only when it was. */
    public static final class Answer<T> implements Callback<T> {
        private boolean done;
        private T value;
        private Failure failure;

        @Override
        public void done(T answer, Failure why) {
            assertTrue(!done, "answered twice");
            done = true;
            value = answer;
            failure = why;
        }

        public boolean isDone() {
            return done;
        }

        /** Fails the test while there is no answer, and when it is a failure. */
        public T value() {
            assertTrue(done, "not answered yet");
            assertNull(failure);
            return value;
        }

        /** null for an answer without one. */
        public Failure failure() {
            assertTrue(done, "not answered yet");
            return failure;
        }
    }

    /** @param end of the log with this step's records */
    private record Step(int end, Callback<Void> settle) {}

    private record Timer<R>(long dueMillis, Supplier<Result<R, Void>> task) {}

    /** @param stored a record as the log gives it back */
    protected InstantRuntime(
            Class<R> type, UnaryOperator<R> stored, ShardMaker<S, R> maker, MetadataImage image, long seed) {
        this.type = type;
        this.stored = stored;
        this.maker = maker;
        this.image = image;
        this.random = new SimRandom(seed);
        open();
    }

    private void open() {
        context = new Context();
        shard = maker.make(context);
        log.forEach(record -> shard.replay(stored.apply(record)));
        shard.loaded();
        drain();
    }

    public S shard() {
        return shard;
    }

    /** All records appended, tombstones too, oldest first. */
    public List<R> log() {
        return List.copyOf(log);
    }

    /** The part of {@link #log} that a new shard would load for sure. */
    public List<R> committedLog() {
        return List.copyOf(log.subList(0, committed));
    }

    /** Takes effect with the next {@link #reload}. */
    protected void replaceLog(List<R> records) {
        log.clear();
        log.addAll(records);
        committed = log.size();
    }

    /** How many records each append had. */
    public List<Integer> batches() {
        return batches;
    }

    // ---- requests

    public <T> Answer<T> write(Coordinator.Write<S, T> request) {
        Answer<T> answer = new Answer<>();
        apply(() -> request.run(shard), answer);
        drain();
        return answer;
    }

    public <T> Answer<T> park(Coordinator.ParkingWrite<S, T> request) {
        Answer<T> answer = new Answer<>();
        parked.removeIf(Answer::isDone);
        parked.add(answer);
        apply(() -> request.run(shard, answer), null, (none, failure) -> {
            if (!answer.isDone()) {
                answer.done(null, failure);
            }
        });
        drain();
        return answer;
    }

    public <T> Answer<T> read(Coordinator.Read<S, T> question) {
        Answer<T> answer = new Answer<>();
        apply(() -> Result.answer(question.run(shard)), answer);
        return answer;
    }

    /** Of key and value; for those who bound batches. */
    protected long bytes(R record) {
        return 0;
    }

    private long bytes(List<?> records) {
        return records.stream().mapToLong(each -> bytes(type.cast(each))).sum();
    }

    private <T> void apply(Supplier<Result<?, T>> request, Callback<T> answer) {
        apply(request, answer, answer);
    }

    /**
     * @param answer null when the shard answers
     * @param refused told when the request fails as a whole
     */
    private <T> void apply(Supplier<Result<?, T>> request, Callback<T> answer, Callback<?> refused) {
        Result<?, T> result = request.get();
        Suspension suspension = result.suspension();
        Failure why = take(result, suspension == null ? answer : null);
        if (why != null) {
            refused.fail(why);
        } else if (suspension != null) {
            suspended.add(suspension);
            suspension.begin(
                    () -> submitted.add(() -> {
                        if (suspended.remove(suspension)) {
                            apply(request, answer, refused);
                        }
                    }),
                    failure -> {
                        if (suspended.remove(suspension)) {
                            refused.fail(failure);
                        }
                    });
        }
    }

    /**
     * @param answer told when all is committed, or lost; null for none
     * @return why the records were refused; null when they were not
     */
    private <T> Failure take(Result<?, T> result, Callback<T> answer) {
        if (bytes(result.records().subList(0, result.together())) > maxBatchBytes) {
            refusal = FailureCode.RECORD_LIST_TOO_LARGE;
        }
        if (refusal != null && !result.records().isEmpty()) {
            Failure why = new Failure(refusal, "refused");
            refusal = null;
            if (result.settled() != null) {
                result.settled().done(null, why);
            }
            return why;
        }
        if (!result.records().isEmpty()) {
            batches.add(result.records().size());
            together = result.together();
        }
        for (Object each : result.records()) {
            R record = type.cast(each);
            log.add(record);
            shard.replay(record);
        }
        waiting.add(new Step(log.size(), (nothing, failure) -> {
            if (result.settled() != null) {
                result.settled().done(null, failure);
            }
            if (answer != null) {
                answer.done(failure == null ? result.response() : null, failure);
            }
        }));
        if (!held) {
            settle();
        }
        return null;
    }

    private void settle() {
        while (!waiting.isEmpty()) {
            Step step = waiting.poll();
            committed = step.end();
            step.settle().done(null, null);
        }
        committed = log.size();
    }

    /** Runs what the shard has submitted. */
    public void drain() {
        while (!submitted.isEmpty()) {
            submitted.poll().run();
        }
    }

    /** From now on nothing that the shard offloads is computed, until {@link #compute}. */
    public void holdComputations() {
        holdsComputations = true;
    }

    /** The oldest computation that is held back ends; nothing when there is none. */
    public void compute() {
        if (!computations.isEmpty()) {
            computations.poll().run();
            drain();
        }
    }

    public int computations() {
        return computations.size();
    }

    private <T> void begin(Context of, Offload<R, T> job) {
        Supplier<T> work = job.begin();
        if (work == null) {
            return;
        }
        Runnable computation = () -> {
            T outcome = work.get();
            if (context == of) {
                this.<Void>apply(() -> job.end(outcome), (none, failure) -> {
                    if (failure != null) {
                        job.failed(failure);
                    }
                });
            }
        };
        if (holdsComputations) {
            computations.add(computation);
        } else {
            computation.run();
        }
    }

    // ---- what befalls the log

    /** From now on nothing is committed, until {@link #commit} or {@link #failAppend}. */
    public void holdCommits() {
        held = true;
    }

    public boolean holdsCommits() {
        return held;
    }

    /** All appended so far is committed; later writes are again committed at once. */
    public void commit() {
        held = false;
        settle();
        drain();
    }

    /** How many of the records of the last write are in one batch in any case. */
    public int lastTogether() {
        return together;
    }

    public int uncommitted() {
        return log.size() - committed;
    }

    /** Most bytes of keys and values of a batch. */
    public void maxBatchBytes(int most) {
        maxBatchBytes = most;
    }

    /** As {@link #failAppend()}, but {@code kept} records of what was not committed are in the log all the same. */
    public void failAppend(int kept) {
        committed += kept;
        failAppend();
    }

    /** What was not committed is lost, as after a failed append: the shard is unloaded and loaded again from what was committed. */
    public void failAppend() {
        Failure why = new Failure(FailureCode.NOT_COORDINATOR, "the append failed");
        held = false;
        while (!waiting.isEmpty()) {
            waiting.poll().settle().done(null, why);
        }
        log.subList(committed, log.size()).clear();
        reload(why);
    }

    /** The next records are not taken, and not replayed; the shard stays. */
    public void refuseNext(FailureCode why) {
        refusal = why;
    }

    /** The coordinator moves: a new shard from the same log, in a higher epoch. */
    public void reload() {
        leaderEpoch++;
        reload(new Failure(FailureCode.NOT_COORDINATOR, "moved"));
    }

    private void reload(Failure why) {
        assertTrue(waiting.isEmpty(), "commit or fail what waits first");
        List.copyOf(suspended).forEach(each -> each.fail(why));
        shard.unloaded(why);
        parked.forEach(each -> assertTrue(each.isDone(), "a parked answer was lost"));
        parked.clear();
        timers.clear();
        submitted.clear();
        open();
    }

    /** How often the shard has asked for another turn. */
    public int submissions() {
        return submissions;
    }

    // ---- surroundings

    /** Unlucky choices from now on. */
    public void chance(Chance unlucky) {
        chance = unlucky;
    }

    /** Planted bugs that are on from now on. */
    public void mutations(Mutations planted) {
        mutations = planted;
    }

    public MetadataImage image() {
        return image;
    }

    public void image(MetadataImage newer) {
        MetadataImage before = image;
        image = newer;
        shard.imageChanged(before, newer);
        drain();
    }

    /** The shard is loaded again, with room for so many bytes of what it keeps. */
    public void reloadWithin(long most) {
        maxStateBytes = most;
        reload();
    }

    /** As the shard reckons it. */
    public long stateBytes() {
        return context.memory.bytes();
    }

    /** What the shard is given. */
    public ShardContext<R> context() {
        return context;
    }

    public int openTimers() {
        return timers.size();
    }

    /** Lets time pass; timers run when they are due, in order. */
    public void advance(long millis) {
        long until = nowMillis + millis;
        while (true) {
            Map.Entry<Object, Timer<R>> next = null;
            for (Map.Entry<Object, Timer<R>> each : timers.entrySet()) {
                if (next == null
                        || each.getValue().dueMillis() < next.getValue().dueMillis()) {
                    next = each;
                }
            }
            if (next == null || next.getValue().dueMillis() > until) {
                break;
            }
            timers.remove(next.getKey());
            nowMillis = next.getValue().dueMillis();
            Supplier<Result<R, Void>> task = next.getValue().task();
            apply(task::get, new Answer<>());
            drain();
        }
        nowMillis = until;
    }

    /** What one incarnation of the shard sees; what a former one submits is dropped. */
    private final class Context implements ShardContext<R> {
        private final StateMemory memory = new StateMemory(
                new StateBudget("test", clock(), new RuntimeStats(new NoMetrics(), "test"), maxStateBytes));

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public int leaderEpoch() {
            return leaderEpoch;
        }

        @Override
        public Clock clock() {
            return new Clock() {
                @Override
                public long wallMillis() {
                    return START_MILLIS + nowMillis;
                }

                @Override
                public long monotonicNanos() {
                    return nowMillis * 1_000_000;
                }
            };
        }

        @Override
        public RandomSource random() {
            return random;
        }

        @Override
        public Metrics metrics() {
            return new NoMetrics();
        }

        @Override
        public Chance chance() {
            return chance;
        }

        @Override
        public Mutations mutations() {
            return mutations;
        }

        @Override
        public MetadataImage image() {
            return image;
        }

        @Override
        public StateMemory memory() {
            return memory;
        }

        @Override
        public long maxRecordBytes() {
            return maxBatchBytes;
        }

        @Override
        public boolean fits(List<R> records) {
            return bytes(records) <= maxBatchBytes;
        }

        @Override
        public ShardTimers<R> timers() {
            return new ShardTimers<>() {
                @Override
                public void set(Object key, long delayMillis, Supplier<Result<R, Void>> task) {
                    assertTrue(delayMillis >= 0, "a delay below 0");
                    // Removed first, so that of timers due at once the one set first runs first.
                    timers.remove(key);
                    timers.put(key, new Timer<>(nowMillis + delayMillis, task));
                }

                @Override
                public void cancel(Object key) {
                    timers.remove(key);
                }

                @Override
                public boolean isSet(Object key) {
                    return timers.containsKey(key);
                }
            };
        }

        @Override
        public void submit(Supplier<Result<R, Void>> write) {
            if (context == this) {
                submissions++;
                submitted.add(() -> apply(write::get, new Answer<>()));
            }
        }

        @Override
        public void offload(Offload<R, ?> job) {
            submitted.add(() -> {
                if (context == this) {
                    begin(this, job);
                }
            });
        }
    }
}
