package transaction;

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
import config.TransactionConfig;
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
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import sim.NoMetrics;
import sim.SimRandom;

/**
 * One {@link TransactionShard} on the simplest runtime that keeps the rules: what a write yields is replayed at once, and committed at once unless {@link
 * #holdCommits} was called. Time stands still until {@link #advance}.
 */
final class TransactionBench {
    static final int MAX_TIMEOUT = 900_000;
    private static final long START_MILLIS = 1_700_000_000_000L;

    private final TransactionConfig config;
    private final MarkerWriter writer;
    private final SimRandom random;
    private final List<TransactionRecord> log = new ArrayList<>();
    private final Map<Object, Timer> timers = new LinkedHashMap<>();
    private final Deque<Supplier<Result<TransactionRecord, Void>>> submitted = new ArrayDeque<>();
    private final Deque<Step> waiting = new ArrayDeque<>();
    private TransactionShard shard;
    private MetadataImage image;
    private Mutations mutations = Mutations.NONE;
    private long nowMillis;
    private long nextProducerId = 1000;
    private int committed;
    private int leaderEpoch = 1;
    private boolean held;
    private boolean refuseNext;
    private int incarnation;

    /** @param topics with three partitions each */
    TransactionBench(MarkerWriter writer, long seed, int featureLevel, String... topics) {
        this.config = BrokerConfig.parse(new TreeMap<>(Map.of("node.id", "1", "log.dirs", "data")))
                .config()
                .transactions();
        this.writer = writer;
        this.random = new SimRandom(seed);
        this.image = image(featureLevel, topics);
        open();
    }

    private static MetadataImage image(int featureLevel, String... topics) {
        MetadataDelta delta = new MetadataDelta(MetadataImage.empty("test"));
        long version = 1;
        delta.apply(MetadataRecords.feature("transaction.version", (short) featureLevel), version++);
        for (int i = 0; i < topics.length; i++) {
            delta.apply(MetadataRecords.topic(topics[i], new Uuid(7, i + 1)), version++);
        }
        MetadataDelta withTopics = new MetadataDelta(delta.image(version));
        for (int i = 0; i < topics.length; i++) {
            for (int p = 0; p < 3; p++) {
                PartitionImage partition = new PartitionImage(p, 1, 0, 0, List.of(1), List.of(1));
                withTopics.apply(MetadataRecords.partition(new Uuid(7, i + 1), partition), version++);
            }
        }
        return withTopics.image(version);
    }

    static final class Answer<T> implements Callback<T> {
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

        boolean isDone() {
            return done;
        }

        T value() {
            assertTrue(done, "not answered yet");
            assertNull(failure);
            return value;
        }

        Failure failure() {
            assertTrue(done, "not answered yet");
            return failure;
        }
    }

    private record Step(int end, Callback<Void> settle) {}

    private record Timer(long dueMillis, Supplier<Result<TransactionRecord, Void>> task) {}

    private void open() {
        shard = new TransactionShard(new Incarnation(), config, writer, new TransactionStats(new NoMetrics()));
        log.forEach(record -> shard.replay(throughBytes(record)));
        shard.loaded();
        drain();
    }

    private static TransactionRecord throughBytes(TransactionRecord record) {
        byte[] value = record.encodeValue();
        return TransactionRecord.decode(
                ByteBuffer.wrap(record.encodeKey()), value == null ? null : ByteBuffer.wrap(value));
    }

    List<TransactionRecord> log() {
        return List.copyOf(log);
    }

    /** null when it is not known. */
    Value state(String id) {
        return shard.transactions().get(id);
    }

    TransactionShard shard() {
        return shard;
    }

    void mutations(Mutations planted) {
        mutations = planted;
    }

    Answer<ProducerAnswer> init(Producer producer, int timeoutMillis) {
        return withId(id -> shard -> shard.init().run(producer, timeoutMillis, id));
    }

    Answer<ProducerAnswer> end(Producer producer, boolean commit, int clientVersion) {
        return withId(id -> shard -> shard.ending().run(producer, commit, clientVersion, id));
    }

    private interface Attempt {
        Coordinator.Write<TransactionShard, ProducerAnswer> with(long id);
    }

    /** As the service does: a new producer id only when it is asked for. */
    private Answer<ProducerAnswer> withId(Attempt attempt) {
        Answer<ProducerAnswer> answer = new Answer<>();
        Result<?, ProducerAnswer> result = attempt.with(-1).run(shard);
        if (result.response().needsProducerId()) {
            assertTrue(result.records().isEmpty());
            result = attempt.with(nextProducerId++).run(shard);
        }
        apply(result, answer);
        drain();
        return answer;
    }

    <T> Answer<T> write(Coordinator.Write<TransactionShard, T> request) {
        Answer<T> answer = new Answer<>();
        apply(request.run(shard), answer);
        drain();
        return answer;
    }

    <T> Answer<T> read(Coordinator.Read<TransactionShard, T> question) {
        Answer<T> answer = new Answer<>();
        apply(Result.answer(question.run(shard)), answer);
        return answer;
    }

    private <T> void apply(Result<?, T> result, Callback<T> answer) {
        if (refuseNext && !result.records().isEmpty()) {
            refuseNext = false;
            Failure why = new Failure(FailureCode.COORDINATOR_NOT_AVAILABLE, "refused");
            if (result.settled() != null) {
                result.settled().done(null, why);
            }
            answer.done(null, why);
            return;
        }
        for (Object each : result.records()) {
            TransactionRecord record = (TransactionRecord) each;
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

    /** Runs what the shard has submitted. */
    void drain() {
        while (!submitted.isEmpty()) {
            apply(submitted.poll().get(), new Answer<>());
        }
    }

    /** From now on nothing is committed, until {@link #commit} or {@link #failAppend}. */
    void holdCommits() {
        held = true;
    }

    boolean holdsCommits() {
        return held;
    }

    void commit() {
        held = false;
        settle();
        drain();
    }

    /** What was not committed is lost: the shard is loaded again from what was. */
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
    void refuseNext() {
        refuseNext = true;
    }

    /** The coordinator moves: a new shard from the same log, in a higher epoch. */
    void reload() {
        leaderEpoch++;
        reload(new Failure(FailureCode.NOT_COORDINATOR, "moved"));
    }

    private void reload(Failure why) {
        assertTrue(waiting.isEmpty(), "commit or fail what waits first");
        shard.unloaded(why);
        timers.clear();
        submitted.clear();
        open();
    }

    void removeTopic(int index) {
        MetadataDelta delta = new MetadataDelta(image);
        delta.apply(MetadataRecords.removeTopic(new Uuid(7, index + 1)), image.version());
        image = delta.image(image.version() + 1);
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

    /** What one incarnation of the shard sees; what a former one submits is dropped. */
    private final class Incarnation implements ShardContext<TransactionRecord> {
        private final int mine = ++incarnation;

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
        public Mutations mutations() {
            return mutations;
        }

        @Override
        public MetadataImage image() {
            return image;
        }

        @Override
        public ShardTimers<TransactionRecord> timers() {
            return new ShardTimers<>() {
                @Override
                public void set(Object key, long delayMillis, Supplier<Result<TransactionRecord, Void>> task) {
                    assertTrue(delayMillis >= 0, "a delay below 0");
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
        public void submit(Supplier<Result<TransactionRecord, Void>> write) {
            if (mine == incarnation) {
                submitted.add(write);
            }
        }
    }
}
