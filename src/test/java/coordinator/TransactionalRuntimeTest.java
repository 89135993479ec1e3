package coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.Callback;
import common.Chance;
import common.FailureCode;
import common.Mutations;
import common.Ports;
import coordinator.Coordinator.ProducerTransaction;
import coordinator.CounterShard.Add;
import coordinator.RuntimeBench.Answer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import metadata.MetadataImage;
import org.junit.jupiter.api.Test;
import records.BatchHeader;
import sim.NoMetrics;
import sim.SimClock;
import sim.SimLife;
import sim.SimRandom;
import sim.SimScheduler;
import sim.SimTimers;

/** Transactional writes and markers of one partition: their order in log and shard, the guard of verification, failures (rules T5, T7, G2). */
final class TransactionalRuntimeTest {
    private static final ProducerTransaction ONE = new ProducerTransaction("one", 1, (short) 4, true);

    private final SimScheduler scheduler = new SimScheduler(new SimRandom(1));
    private final List<String> replayed = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final Store store = new Store();
    private final CoordinatorRuntime<Shard, Add> runtime;

    TransactionalRuntimeTest() {
        SimLife life = new SimLife("bench");
        SimClock clock = new SimClock(scheduler);
        Ports ports = new Ports(
                clock,
                new SimTimers(scheduler, clock, life, new SimRandom(2), 0),
                new SimRandom(3),
                null,
                new NoMetrics(),
                Chance.NEVER,
                Mutations.NONE);
        runtime = new CoordinatorRuntime<>(
                new RuntimeSetup<>(
                        "counters",
                        ports,
                        task -> scheduler.after(1, life, "soon", task),
                        new RuntimeSetup.Limits(0, 1000, -1, 10_000, 10_000, 1 << 20, 5_000),
                        CounterShard.CODEC,
                        Add.class,
                        context -> new Shard(),
                        MetadataImage.empty("c")),
                new RuntimeStats(new NoMetrics(), "test"));
        runtime.lead(0, 1, store);
        turns();
    }

    private final class Shard implements CoordinatorShard<Add> {
        @Override
        public void replay(Add record) {
            replayed.add(record.name());
        }

        @Override
        public void replayTransactional(long producerId, short producerEpoch, Add record) {
            replayed.add(record.name() + " of " + producerId + "/" + producerEpoch);
        }

        @Override
        public void replayMarker(long producerId, short producerEpoch, boolean commit) {
            replayed.add((commit ? "commit " : "abort ") + producerId + "/" + producerEpoch);
        }

        @Override
        public void loaded() {}

        @Override
        public void unloaded(common.Failure why) {
            replayed.clear();
        }
    }

    /** What goes to the log, by its kind; everything waits for the test. */
    private static final class Store implements PartitionStore {
        final List<String> given = new ArrayList<>();
        final ArrayDeque<Callback<Void>> appends = new ArrayDeque<>();
        final ArrayDeque<Callback<Void>> questions = new ArrayDeque<>();
        Producer producer;
        MarkerVerdict verdict = new MarkerVerdict(MarkerVerdict.Decision.OK, null);

        @Override
        public int maxBatchBytes() {
            return 1_000_000;
        }

        @Override
        public common.Failure refusal() {
            return null;
        }

        @Override
        public void append(ByteBuffer batch, Callback<Void> done) {
            boolean transactional = BatchHeader.isTransactional(batch, 0);
            given.add(
                    transactional
                            ? "records of " + BatchHeader.producerId(batch, 0) + "/"
                                    + BatchHeader.producerEpoch(batch, 0)
                            : "records");
            appends.add(done);
        }

        @Override
        public void appendMarker(TransactionEnd end, Callback<Void> done) {
            given.add("marker of " + end.producerId() + "/" + end.producerEpoch());
            appends.add(done);
        }

        @Override
        public MarkerVerdict verdictOn(TransactionEnd end) {
            return verdict;
        }

        @Override
        public Producer producer(long producerId) {
            return producer;
        }

        @Override
        public void verify(ProducerTransaction transaction, Callback<Void> done) {
            questions.add(done);
        }

        @Override
        public <T> void compute(Supplier<T> work, Callback<T> done) {
            throw new AssertionError("nothing to compute here");
        }

        @Override
        public <R> void load(long offset, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done) {
            done.succeed(new Piece<>(List.of(), 0, 0, 0, 0, List.of()));
        }

        void commitAll() {
            while (!appends.isEmpty()) {
                appends.poll().succeed(null);
            }
        }
    }

    private void turns() {
        scheduler.runFor(SimScheduler.MILLI / 2);
    }

    private void add(String name) {
        runtime.write(0, shard -> Result.of(List.of(new Add(name, 1)), 0L), new Answer<Long>(answers, name));
    }

    private void addIn(ProducerTransaction transaction, String name) {
        runtime.writeTransactional(
                0, transaction, shard -> Result.of(List.of(new Add(name, 1)), 0L), new Answer<Long>(answers, name));
    }

    private void end(int epoch, boolean commit) {
        TransactionEnd end = new TransactionEnd(1, (short) epoch, 3, commit, (short) 2);
        runtime.completeTransaction(0, end, new Answer<Void>(answers, "end"));
    }

    @Test
    void batchesAreOfOneTransactionAndGoToTheLogTogetherInOrder() {
        add("a");
        addIn(ONE, "t");
        store.questions.poll().succeed(null);
        // Verified a moment ago, on its way to the log: not asked again.
        addIn(ONE, "u");
        add("b");
        assertEquals(List.of(), store.given);
        turns();
        assertEquals(List.of("records", "records of 1/4", "records"), store.given);
        assertEquals(List.of("a", "t of 1/4", "u of 1/4", "b"), replayed);
        assertEquals(List.of(), answers);
        store.commitAll();
        assertEquals(List.of("a=0", "t=0", "u=0", "b=0"), answers);
        store.producer = new PartitionStore.Producer((short) 4, true);
        end(5, true);
        turns();
        assertEquals("commit 1/5", replayed.get(4));
        assertEquals("marker of 1/5", store.given.get(3));
        assertEquals(4, answers.size(), "a marker is answered when it is committed");
        store.commitAll();
        assertEquals("end=null", answers.get(4));
    }

    @Test
    void aMarkerMakesAVerificationWorthless_T5() {
        addIn(ONE, "t");
        end(5, false);
        turns();
        store.commitAll();
        store.questions.poll().succeed(null);
        assertEquals(List.of("abort 1/5"), replayed, "not run on an old answer");
        store.questions.poll().fail(FailureCode.INVALID_PRODUCER_EPOCH, "ended");
        assertEquals(List.of("end=null", "t:INVALID_PRODUCER_EPOCH"), answers);
    }

    @Test
    void aProducerThatIsPastItIsRefusedWithoutAQuestion() {
        store.producer = new PartitionStore.Producer((short) 5, false);
        addIn(ONE, "t");
        assertEquals(List.of("t:INVALID_PRODUCER_EPOCH"), answers);
        assertEquals(0, store.questions.size());
    }

    @Test
    void aRepeatedMarkerIsAnsweredWhenAllBeforeItIsCommitted_T7() {
        add("a");
        store.verdict = new PartitionStore.MarkerVerdict(PartitionStore.MarkerVerdict.Decision.REPEATED, null);
        end(5, true);
        turns();
        assertEquals(List.of("records"), store.given, "not appended again");
        assertEquals(List.of(), answers);
        store.commitAll();
        assertEquals(List.of("a=0", "end=null"), answers);
        assertEquals(List.of("a"), replayed);
    }

    @Test
    void afterAFailedMarkerTheShardIsLoadedAgain_G2() {
        addIn(ONE, "t");
        store.questions.poll().succeed(null);
        end(5, true);
        assertEquals(List.of("end:COORDINATOR_NOT_AVAILABLE"), answers, "its records are not in the log yet");
        turns();
        store.commitAll();
        end(5, true);
        add("b");
        turns();
        assertEquals(List.of("t of 1/4", "commit 1/5", "b"), replayed);
        store.appends.poll().fail(FailureCode.STORAGE_ERROR, "planted");
        assertEquals(List.of(), replayed);
        assertEquals(
                List.of("end:COORDINATOR_NOT_AVAILABLE", "t=0", "end:COORDINATOR_NOT_AVAILABLE"),
                answers.subList(0, 3));
        add("c");
        assertEquals("c:COORDINATOR_LOADING", answers.get(answers.size() - 1));
        store.commitAll();
        turns();
        scheduler.runFor(200 * SimScheduler.MILLI);
        add("d");
        turns();
        assertEquals(List.of("d"), replayed);
    }
}
