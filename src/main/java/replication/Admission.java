package replication;

import common.Callback;
import common.Clock;
import common.Failure;
import common.FailureCode;
import config.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import records.BatchHeader;
import records.BatchValidator;
import records.Codec;
import records.Recompressor;
import records.RecordError;
import storage.DiskExecutor;

/**
 * Decides whether a producer's batch may enter the log of one partition, and gives the bytes to append. Small batches, if they inflate to little, are checked
 * at once: to hand one over would cost more. Large ones are walked, and re-compressed where the topic wants another codec, on the CPU worker. Batches leave in the order in which they came:
 * one that is quick waits for those before it. What waits is bounded: a batch that would be too much is refused at once with OVERLOADED, which clients
 * retry. Confined to the shard.
 */
public final class Admission {
    /** Above this size even an uncompressed walk would hold up the event loop noticeably (about 0.2 ms). */
    private static final int INLINE_BYTES = 128 * 1024;

    /** Of a compressed batch: a producer's default batch. */
    private static final int INLINE_COMPRESSED_BYTES = 20 * 1024;

    private static final int INLINE_INFLATED_BYTES = 64 * 1024;
    /** Even the smallest records must not take long. */
    private static final int INLINE_RECORDS = 2_048;
    /** After a batch that inflated to more than it may here, so many of the partition go to the worker at once. */
    private static final int OFFLOADED_UNTRIED = 100;

    private final DiskExecutor disk;
    private final Clock clock;
    private final Validators validators;
    private final int maxQueuedBytes;
    /** Null while nothing has had to wait yet, as in most partitions. */
    private ArrayDeque<Entry> queue;

    private long queuedBytes;
    private int untried;

    /** Scratch space of the checks: one for the owner's thread, one for the CPU worker, which runs one job at a time. */
    public record Validators(BatchValidator onLoop, BatchValidator onWorker) {}

    /**
     * Why a batch may not enter.
     *
     * @param due the reason passes, and no earlier batch of its producer is on its way: those sent behind it must not enter first (rule P2)
     */
    public record Refusal(Failure failure, List<RecordError> recordErrors, boolean due) {
        static Refusal of(Failure failure) {
            return new Refusal(failure, List.of(), false);
        }
    }

    /** Gets exactly one of the two. */
    @FunctionalInterface
    public interface Admitted {
        void done(ByteBuffer batch, Refusal refusal);
    }

    private static final class Entry {
        final int bytes;
        final long producerId;
        final Admitted done;
        ByteBuffer batch;
        Refusal refusal;
        boolean decided;

        Entry(int bytes, long producerId, Admitted done) {
            this.bytes = bytes;
            this.producerId = producerId;
            this.done = done;
        }

        void decide(ByteBuffer admitted, Refusal refused) {
            batch = admitted;
            refusal = refused;
            decided = true;
        }
    }

    private record Checked(ByteBuffer batch, Refusal refusal) {}

    /** @param maxQueuedBytes most bytes of batches that wait; a single larger one may */
    public Admission(DiskExecutor disk, Clock clock, Validators validators, int maxQueuedBytes) {
        this.maxQueuedBytes = maxQueuedBytes;
        this.disk = disk;
        this.clock = clock;
        this.validators = validators;
    }

    /** The owner's, at this moment. */
    long wallMillis() {
        return clock.wallMillis();
    }

    /** @param version of the Produce request */
    public void admit(ByteBuffer records, LogConfig config, short version, Admitted done) {
        Failure illegal = BatchValidator.checkHeader(records, config, version);
        boolean now = illegal != null || runsInline(records, config);
        if (now && !waits()) {
            Checked checked = illegal == null
                    ? check(validators.onLoop, records, config, clock.wallMillis())
                    : new Checked(null, Refusal.of(illegal));
            done.done(checked.batch, checked.refusal);
            return;
        }
        Checked small = now || waits() ? null : checkSmall(records, config);
        if (small != null) {
            done.done(small.batch, small.refusal);
            return;
        }
        int bytes = records.remaining();
        if (queuedBytes > 0 && queuedBytes + bytes > maxQueuedBytes) {
            done.done(null, illegal != null ? Refusal.of(illegal) : overloaded(records));
            return;
        }
        Entry entry =
                new Entry(bytes, illegal != null ? -1 : BatchHeader.producerId(records, records.position()), done);
        queue = queue == null ? new ArrayDeque<>() : queue;
        queue.add(entry);
        queuedBytes += bytes;
        if (illegal != null) {
            entry.decide(null, Refusal.of(illegal));
            return;
        }
        long wallMillis = clock.wallMillis();
        Callback<Checked> decided = (checked, failure) -> {
            if (failure == null) {
                entry.decide(checked.batch, checked.refusal);
            } else {
                entry.decide(null, new Refusal(failure, List.of(), failure.code() == FailureCode.OVERLOADED));
            }
            drain();
        };
        disk.run(DiskExecutor.Lane.CPU, files -> check(validators.onWorker, records, config, wallMillis), decided);
    }

    private boolean waits() {
        return queue != null && !queue.isEmpty();
    }

    private Refusal overloaded(ByteBuffer records) {
        long producerId = BatchHeader.producerId(records, records.position());
        boolean due = true;
        for (Entry each : queue == null ? List.<Entry>of() : queue) {
            due &= each.producerId != producerId;
        }
        String why = queuedBytes + " bytes of the partition's batches wait to be checked already; retry later";
        return new Refusal(Failure.of(FailureCode.OVERLOADED, why), List.of(), due);
    }

    private void drain() {
        while (!queue.isEmpty() && queue.peek().decided) {
            Entry head = queue.poll();
            queuedBytes -= head.bytes;
            head.done.done(head.batch, head.refusal);
        }
    }

    private static boolean runsInline(ByteBuffer records, LogConfig config) {
        if (Recompressor.needed(records, config)) {
            return false;
        }
        return !config.fullRecordValidation()
                || (records.remaining() <= INLINE_BYTES
                        && BatchHeader.codecId(records, records.position()) == Codec.NONE.id());
    }

    /** Null: not decided here. */
    private Checked checkSmall(ByteBuffer records, LogConfig config) {
        int at = records.position();
        Codec codec = Codec.forId(BatchHeader.codecId(records, at));
        boolean quick = codec == Codec.LZ4 || codec == Codec.ZSTD || codec == Codec.SNAPPY;
        if (!quick
                || records.remaining() > INLINE_COMPRESSED_BYTES
                || BatchHeader.recordCount(records, at) > INLINE_RECORDS
                || Recompressor.needed(records, config)
                || untried-- > 0) {
            return null;
        }
        untried = 0;
        BatchValidator.Verdict verdict =
                validators.onLoop.checkWithin(INLINE_INFLATED_BYTES, records, config, clock.wallMillis());
        if (verdict == null) {
            untried = OFFLOADED_UNTRIED;
            return null;
        }
        return verdict.failure() == null
                ? new Checked(records, null)
                : new Checked(null, new Refusal(verdict.failure(), verdict.recordErrors(), false));
    }

    private static Checked check(BatchValidator validator, ByteBuffer records, LogConfig config, long wallMillis) {
        BatchValidator.Verdict verdict = validator.check(records, config, wallMillis);
        if (verdict.failure() != null) {
            return new Checked(null, new Refusal(verdict.failure(), verdict.recordErrors(), false));
        }
        if (!Recompressor.needed(records, config)) {
            return new Checked(records, null);
        }
        Recompressor.Result rebuilt = Recompressor.recompress(records, config);
        return rebuilt.failure() == null
                ? new Checked(rebuilt.batch(), null)
                : new Checked(null, Refusal.of(rebuilt.failure()));
    }
}
