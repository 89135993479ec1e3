package group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import common.Metrics;
import common.Mutations;
import common.RandomSource;
import config.BrokerConfig;
import config.GroupConfig;
import coordinator.Coordinator;
import coordinator.Result;
import coordinator.ShardContext;
import coordinator.ShardTimers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import metadata.MetadataImage;
import records.schemas.GroupRecord;
import records.schemas.GroupRecordCodec;
import sim.NoMetrics;
import sim.SimRandom;

/**
 * One {@link GroupShard} on the simplest runtime that keeps the rules: what a write yields is replayed at once, and committed at once unless {@link
 * #holdCommits} was called. Time stands still until {@link #advance}.
 */
public final class ShardBench implements ShardContext<GroupRecord> {
    private static final long START_MILLIS = 1_700_000_000_000L;

    private final GroupConfig config;
    private final SimRandom random;
    private final List<GroupRecord> log = new ArrayList<>();
    private final Map<Object, Timer> timers = new LinkedHashMap<>();
    private final Deque<Supplier<Result<GroupRecord, Void>>> submitted = new ArrayDeque<>();
    private final Deque<Step> waiting = new ArrayDeque<>();
    private final List<Answer<?>> parked = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();
    private final GroupCounts counts = new GroupCounts();
    private GroupShard shard;
    private MetadataImage image;
    private long nowMillis;
    private boolean held;
    private int committed;
    private FailureCode refusal;
    private Mutations mutations = Mutations.NONE;

    public ShardBench(GroupConfig config, MetadataImage image, long seed) {
        this.config = config;
        this.image = image;
        this.random = new SimRandom(seed);
        open();
    }

    /** The broker's settings, as {@code key=value}. */
    public static GroupConfig config(String... settings) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("node.id", "1");
        properties.put("log.dirs", "data");
        for (String each : settings) {
            String[] parts = each.split("=", 2);
            properties.put(parts[0], parts[1]);
        }
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        assertEquals(List.of(), parsed.problems());
        return parsed.config().groups();
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

    private record Timer(long dueMillis, Supplier<Result<GroupRecord, Void>> task) {}

    private void open() {
        shard = new GroupShard(this, config, counts);
        log.forEach(record -> shard.replay(throughBytes(record)));
        shard.loaded();
        drain();
    }

    /** As the log would give it back. */
    private static GroupRecord throughBytes(GroupRecord record) {
        byte[] value = GroupRecordCodec.encodeValue(record);
        return GroupRecordCodec.decode(
                ByteBuffer.wrap(GroupRecordCodec.encodeKey(record)), value == null ? null : ByteBuffer.wrap(value));
    }

    GroupShard shard() {
        return shard;
    }

    GroupCounts counts() {
        return counts;
    }

    /** All records appended, tombstones too, oldest first. */
    List<GroupRecord> log() {
        return List.copyOf(log);
    }

    /** The part of {@link #log} that a new shard would load for sure. */
    List<GroupRecord> committedLog() {
        return List.copyOf(log.subList(0, committed));
    }

    boolean holdsCommits() {
        return held;
    }

    int openTimers() {
        return timers.size();
    }

    /** How many records each append had. */
    List<Integer> batches() {
        return batches;
    }

    public <T> Answer<T> write(Coordinator.Write<GroupShard, T> request) {
        Answer<T> answer = new Answer<>();
        Result<?, T> result = request.run(shard);
        apply(result, answer);
        drain();
        return answer;
    }

    public <T> Answer<T> park(Coordinator.ParkingWrite<GroupShard, T> request) {
        Answer<T> answer = new Answer<>();
        parked.removeIf(Answer::isDone);
        parked.add(answer);
        apply(request.run(shard, answer), new Answer<>());
        drain();
        return answer;
    }

    public <T> Answer<T> read(Coordinator.Read<GroupShard, T> question) {
        Answer<T> answer = new Answer<>();
        apply(Result.answer(question.run(shard)), answer);
        return answer;
    }

    private <T> void apply(Result<?, T> result, Callback<T> answer) {
        if (refusal != null && !result.records().isEmpty()) {
            Failure why = new Failure(refusal, "refused");
            refusal = null;
            if (result.settled() != null) {
                result.settled().done(null, why);
            }
            answer.done(null, why);
            return;
        }
        if (!result.records().isEmpty()) {
            batches.add(result.records().size());
        }
        for (Object each : result.records()) {
            GroupRecord record = (GroupRecord) each;
            log.add(record);
            shard.replay(record);
        }
        waiting.add(new Step(log.size(), (nothing, failure) -> {
            if (result.settled() != null) {
                result.settled().done(null, failure);
            }
            answer.done(failure == null ? result.response() : null, failure);
        }));
        if (!held) {
            settle();
        }
    }

    private void settle() {
        while (!waiting.isEmpty()) {
            Step step = waiting.poll();
            committed = step.end();
            step.settle().done(null, null);
        }
        committed = log.size();
    }

    private void drain() {
        while (!submitted.isEmpty()) {
            apply(submitted.poll().get(), new Answer<>());
        }
    }

    /** From now on nothing is committed, until {@link #commit} or {@link #failAppend}. */
    void holdCommits() {
        held = true;
    }

    /** All appended so far is committed; later writes are again committed at once. */
    void commit() {
        held = false;
        settle();
        drain();
    }

    /** What was not committed is lost, as after a failed append: the shard is unloaded and loaded again from what was committed. */
    void failAppend() {
        Failure why = new Failure(FailureCode.NOT_COORDINATOR, "the append failed");
        held = false;
        while (!waiting.isEmpty()) {
            waiting.poll().settle().done(null, why);
        }
        log.subList(committed, log.size()).clear();
        reload(why);
    }

    /** The next records are not taken, and not replayed; the shard stays. */
    void refuseNext(FailureCode why) {
        refusal = why;
    }

    /** Planted bugs that are on from now on. */
    void mutations(Mutations planted) {
        mutations = planted;
    }

    /** The shard becomes one of another log. */
    void take(ShardBench other) {
        log.clear();
        log.addAll(other.log);
        reload();
    }

    /** The coordinator moves: a new shard from the same log. */
    void reload() {
        reload(new Failure(FailureCode.NOT_COORDINATOR, "moved"));
    }

    private void reload(Failure why) {
        assertTrue(waiting.isEmpty(), "commit or fail what waits first");
        shard.unloaded(why);
        parked.forEach(each -> assertTrue(each.isDone(), "a parked answer was lost"));
        parked.clear();
        timers.clear();
        submitted.clear();
        open();
    }

    /** As compaction does: of each key only the last record stays, and no tombstone. Takes effect with the next {@link #reload}. */
    void compact() {
        Map<ByteBuffer, GroupRecord> latest = new LinkedHashMap<>();
        for (GroupRecord record : log) {
            ByteBuffer key = ByteBuffer.wrap(GroupRecordCodec.encodeKey(record));
            latest.remove(key);
            latest.put(key, record);
        }
        log.clear();
        latest.values().stream().filter(each -> !each.tombstone()).forEach(log::add);
        committed = log.size();
    }

    void image(MetadataImage newer) {
        MetadataImage before = image;
        image = newer;
        shard.imageChanged(before, newer);
        drain();
    }

    /** Lets time pass; timers run when they are due, in order. */
    void advance(long millis) {
        long until = nowMillis + millis;
        while (true) {
            Map.Entry<Object, Timer> next = null;
            for (Map.Entry<Object, Timer> each : timers.entrySet()) {
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
            apply(next.getValue().task().get(), new Answer<>());
            drain();
        }
        nowMillis = until;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public int leaderEpoch() {
        return 1;
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
    public Mutations mutations() {
        return mutations;
    }

    @Override
    public MetadataImage image() {
        return image;
    }

    @Override
    public ShardTimers<GroupRecord> timers() {
        return new ShardTimers<>() {
            @Override
            public void set(Object key, long delayMillis, Supplier<Result<GroupRecord, Void>> task) {
                assertTrue(delayMillis >= 0, "a delay below 0");
                // Removed first, so that of timers due at once the one set first runs first.
                timers.remove(key);
                timers.put(key, new Timer(nowMillis + delayMillis, task));
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
    public void submit(Supplier<Result<GroupRecord, Void>> write) {
        submitted.add(write);
    }
}
