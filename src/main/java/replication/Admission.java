package replication;

import common.Callback;
import common.Clock;
import common.Failure;
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
 * Decides whether a producer's batch may enter the log of one partition, and gives the bytes to append. Small uncompressed batches are checked at once;
 * compressed and large ones are walked, and re-compressed where the topic wants another codec, on the CPU worker. Batches leave in the order in which they came:
 * one that is quick waits for those before it. Confined to the shard.
 */
public final class Admission {
    /** Above this size even an uncompressed walk would hold up the event loop noticeably (about 0.2 ms). */
    private static final int INLINE_BYTES = 128 * 1024;

    private final DiskExecutor disk;
    private final Clock clock;
    private final Validators validators;
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();

    /** Scratch space of the checks: one for the owner's thread, one for the CPU worker, which runs one job at a time. */
    public record Validators(BatchValidator onLoop, BatchValidator onWorker) {}

    /** Why a batch may not enter. */
    public record Refusal(Failure failure, List<RecordError> recordErrors) {}

    /** Gets exactly one of the two. */
    @FunctionalInterface
    public interface Admitted {
        void done(ByteBuffer batch, Refusal refusal);
    }

    private static final class Entry {
        final Admitted done;
        ByteBuffer batch;
        Refusal refusal;
        boolean decided;

        Entry(Admitted done) {
            this.done = done;
        }

        void decide(ByteBuffer admitted, Refusal refused) {
            batch = admitted;
            refusal = refused;
            decided = true;
        }
    }

    private record Checked(ByteBuffer batch, Refusal refusal) {}

    public Admission(DiskExecutor disk, Clock clock, Validators validators) {
        this.disk = disk;
        this.clock = clock;
        this.validators = validators;
    }

    /** @param version of the Produce request */
    public void admit(ByteBuffer records, LogConfig config, short version, Admitted done) {
        Failure illegal = BatchValidator.checkHeader(records, config, version);
        boolean now = illegal != null || runsInline(records, config);
        if (now && queue.isEmpty()) {
            Checked checked = illegal == null
                    ? check(validators.onLoop, records, config, clock.wallMillis())
                    : new Checked(null, new Refusal(illegal, List.of()));
            done.done(checked.batch, checked.refusal);
            return;
        }
        Entry entry = new Entry(done);
        queue.add(entry);
        if (illegal != null) {
            entry.decide(null, new Refusal(illegal, List.of()));
            return;
        }
        long wallMillis = clock.wallMillis();
        Callback<Checked> decided = (checked, failure) -> {
            if (failure == null) {
                entry.decide(checked.batch, checked.refusal);
            } else {
                entry.decide(null, new Refusal(failure, List.of()));
            }
            drain();
        };
        disk.run(DiskExecutor.Lane.CPU, files -> check(validators.onWorker, records, config, wallMillis), decided);
    }

    private void drain() {
        while (!queue.isEmpty() && queue.peek().decided) {
            Entry head = queue.poll();
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

    private static Checked check(BatchValidator validator, ByteBuffer records, LogConfig config, long wallMillis) {
        BatchValidator.Verdict verdict = validator.check(records, config, wallMillis);
        if (verdict.failure() != null) {
            return new Checked(null, new Refusal(verdict.failure(), verdict.recordErrors()));
        }
        if (!Recompressor.needed(records, config)) {
            return new Checked(records, null);
        }
        Recompressor.Result rebuilt = Recompressor.recompress(records, config);
        return rebuilt.failure() == null
                ? new Checked(rebuilt.batch(), null)
                : new Checked(null, new Refusal(rebuilt.failure(), List.of()));
    }
}
