package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Chance;
import common.Failure;
import common.FailureCode;
import common.Mutations;
import common.Ports;
import java.util.ArrayList;
import java.util.List;
import metadata.MetadataImage;
import sim.NoMetrics;
import sim.SimClock;
import sim.SimLife;
import sim.SimMetrics;
import sim.SimRandom;
import sim.SimScheduler;
import sim.SimTimers;

/** A runtime of counters on virtual time, with one partition's log in the hands of the test. */
final class RuntimeBench {
    static final int COMMIT_TIMEOUT_MILLIS = 5_000;
    static final int MAX_PENDING_BYTES = 10_000;
    static final int MAX_PENDING_BYTES_OF_ALL = 25_000;
    static final int MAX_STATE_BYTES = 10_000;

    final SimScheduler scheduler;
    final SimClock clock;
    final FakeStore store = new FakeStore();
    final List<String> events = new ArrayList<>();
    final List<String> answers = new ArrayList<>();
    final CoordinatorRuntime<CounterShard, CounterShard.Add> runtime;
    CounterShard shard;
    private final SimMetrics metrics = new SimMetrics();
    private final SimLife life = new SimLife("bench");
    private long lastSoon;

    RuntimeBench(int lingerMillis, long seed) {
        scheduler = new SimScheduler(new SimRandom(seed));
        clock = new SimClock(scheduler);
        Ports ports = new Ports(
                clock,
                new SimTimers(scheduler, clock, life, new SimRandom(seed + 1), 0),
                new SimRandom(seed + 2),
                null,
                new NoMetrics(),
                Chance.NEVER,
                Mutations.NONE);
        RuntimeSetup<CounterShard, CounterShard.Add> setup = new RuntimeSetup<>(
                "counters",
                ports,
                this::soon,
                new RuntimeSetup.Limits(
                        0,
                        1000,
                        lingerMillis,
                        MAX_PENDING_BYTES,
                        MAX_PENDING_BYTES_OF_ALL,
                        MAX_STATE_BYTES,
                        COMMIT_TIMEOUT_MILLIS),
                CounterShard.CODEC,
                CounterShard.Add.class,
                context -> {
                    shard = new CounterShard(context, events);
                    return shard;
                },
                MetadataImage.empty("c"));
        RuntimeStats stats = new RuntimeStats(metrics, "test");
        RuntimeStats.report(metrics, "test", List.of(stats));
        runtime = new CoordinatorRuntime<>(setup, stats);
    }

    RuntimeBench() {
        this(-1, 1);
    }

    /** Of partition 0. */
    RuntimeBench led() {
        runtime.lead(0, 1, store);
        turns();
        return this;
    }

    private void soon(Runnable task) {
        lastSoon = Math.max(lastSoon + 1, scheduler.now() + 1);
        scheduler.at(lastSoon, life, "soon", task);
    }

    /** Lets the loop do what it has at hand. */
    void turns() {
        scheduler.runFor(SimScheduler.MILLI / 2);
    }

    void pass(long millis) {
        scheduler.runFor(millis * SimScheduler.MILLI);
    }

    /** What one request was answered. */
    static final class Answer<T> implements Callback<T> {
        private final List<String> order;
        private final String name;
        private boolean done;
        private T value;
        private Failure failure;

        Answer(List<String> order, String name) {
            this.order = order;
            this.name = name;
        }

        @Override
        public void done(T answer, Failure why) {
            assertFalse(done, name + " answered twice");
            done = true;
            value = answer;
            failure = why;
            order.add(name + (why == null ? "=" + answer : ":" + why.code()));
        }

        boolean isDone() {
            return done;
        }

        T value() {
            assertTrue(done, name + " is not answered yet");
            assertNull(failure);
            return value;
        }

        FailureCode code() {
            assertTrue(done, name + " is not answered yet");
            assertTrue(failure != null, name + " did not fail");
            return failure.code();
        }
    }

    <T> Answer<T> answer(String name) {
        return new Answer<>(answers, name);
    }

    Answer<Long> add(String name, long amount) {
        Answer<Long> answer = answer("add " + name);
        runtime.write(0, shard -> shard.add(name, amount), answer);
        return answer;
    }

    Answer<Long> read(String name) {
        Answer<Long> answer = answer("read " + name);
        runtime.read(0, shard -> shard.sum(name), answer);
        return answer;
    }

    /** The shard keeps the answer. */
    Answer<Long> park() {
        Answer<Long> answer = answer("park");
        runtime.park(
                0,
                (shard, done) -> {
                    shard.parked.add(done);
                    return Result.nothing();
                },
                answer);
        return answer;
    }

    /** That all shards keep, as they reckon it. */
    long stateBytes() {
        return (long) metrics.gauge("test_state_bytes");
    }

    /** Requests that met a full budget. */
    long stateRefusals() {
        return metrics.count("test_state_refusals_total");
    }

    void expectAnswers(String... expected) {
        assertEquals(List.of(expected), answers);
        answers.clear();
    }

    void expectEvents(String... expected) {
        assertEquals(List.of(expected), events);
        events.clear();
    }
}
