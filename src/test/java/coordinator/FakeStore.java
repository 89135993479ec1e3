package coordinator;

import static org.junit.jupiter.api.Assertions.assertNull;

import common.Callback;
import common.Failure;
import common.FailureCode;
import coordinator.CounterShard.Add;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import records.BatchReader;
import records.LogRecord;

/** A log in memory. Appends and loads wait until the test ends them. */
final class FakeStore implements PartitionStore {
    final List<Add> log = new ArrayList<>();
    final List<Integer> batchCounts = new ArrayList<>();
    final ArrayDeque<Append> appends = new ArrayDeque<>();
    final ArrayDeque<Runnable> loads = new ArrayDeque<>();
    final List<String> losses = new ArrayList<>();
    final ArrayDeque<Runnable> computations = new ArrayDeque<>();
    boolean holdLoads;
    int loadCount;
    int pieceRecords = Integer.MAX_VALUE;
    int maxBatchBytes = 1_000_000;
    Failure refusal;
    Failure loadFailure;

    record Append(List<Add> records, Callback<Void> done) {}

    @Override
    public int maxBatchBytes() {
        return maxBatchBytes;
    }

    @Override
    public Failure refusal() {
        return refusal;
    }

    @Override
    public void append(ByteBuffer batch, Callback<Void> done) {
        List<Add> records = new ArrayList<>();
        assertNull(new BatchReader().read(batch, (LogRecord each) -> {
            records.add(CounterShard.CODEC.decode(each.key(), each.value()));
            return true;
        }));
        batchCounts.add(records.size());
        appends.add(new Append(records, done));
    }

    @Override
    public void appendMarker(TransactionEnd end, Callback<Void> done) {
        throw new AssertionError("no transactions here");
    }

    @Override
    public MarkerVerdict verdictOn(TransactionEnd end) {
        throw new AssertionError("no transactions here");
    }

    @Override
    public Producer producer(long producerId) {
        throw new AssertionError("no transactions here");
    }

    @Override
    public void verify(Coordinator.ProducerTransaction transaction, Callback<Void> done) {
        throw new AssertionError("no transactions here");
    }

    /** Waits for {@link #computations} to be run. */
    @Override
    public <T> void compute(Supplier<T> work, Callback<T> done) {
        computations.add(() -> done.succeed(work.get()));
    }

    /** The oldest append is committed. */
    void commit() {
        Append append = appends.remove();
        log.addAll(append.records);
        append.done.succeed(null);
    }

    /** @param kept its records are in the log all the same */
    void fail(boolean kept) {
        Append append = appends.remove();
        if (kept) {
            log.addAll(append.records);
        }
        append.done.fail(FailureCode.STORAGE_ERROR, "planted");
    }

    @Override
    public <R> void load(long offset, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done) {
        loadCount++;
        Runnable load = () -> {
            if (loadFailure != null) {
                done.fail(loadFailure);
                return;
            }
            int from = (int) offset;
            int to = (int) Math.min(log.size(), (long) from + pieceRecords);
            List<R> records = new ArrayList<>();
            for (Add each : log.subList(from, to)) {
                records.add(codec.decode(CounterShard.CODEC.key(each), CounterShard.CODEC.value(each)));
            }
            done.succeed(new Piece<>(records, to, log.size(), 100 * records.size(), 0, List.copyOf(losses)));
        };
        if (holdLoads) {
            loads.add(load);
        } else {
            load.run();
        }
    }
}
