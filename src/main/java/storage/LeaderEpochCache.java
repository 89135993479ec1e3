package storage;

import common.Check;
import common.Failure;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where each leader epoch begins in a log (rule I1): epochs rise, start offsets do not fall. Its file is Kafka's {@code leader-epoch-checkpoint}: lines of
 * text, {@code 0} (version), the number of entries, then {@code epoch startOffset} each. Confined to one thread at a time; a few entries as a rule.
 */
public final class LeaderEpochCache {

    public static final String FILE_NAME = "leader-epoch-checkpoint";
    private static final int[] NO_EPOCHS = {};
    private static final long[] NO_STARTS = {};

    private int[] epochs = NO_EPOCHS;
    private long[] starts = NO_STARTS;
    private int count;
    /** The last entry once more: each append asks for it. */
    private int latestEpoch = -1;

    private long latestStart = -1;

    /** A cache, or the reason why it must be rebuilt from the batches (rule S5). Exactly one is null. */
    public record Loaded(LeaderEpochCache cache, Failure failure) {}

    /** Reads a file's content, from position to limit. */
    public static Loaded load(ByteBuffer file) {
        CheckpointLines lines = CheckpointLines.parse(file, 2);
        if (lines.failure() != null) {
            return new Loaded(null, lines.failure());
        }
        LeaderEpochCache cache = new LeaderEpochCache();
        for (String[] fields : lines.lines()) {
            long epoch = CheckpointLines.number(fields[0]);
            long start = CheckpointLines.number(fields[1]);
            boolean legal = epoch >= 0
                    && epoch <= Integer.MAX_VALUE
                    && start >= 0
                    && (cache.count == 0 || (epoch > cache.latestEpoch() && start >= cache.starts[cache.count - 1]));
            if (!legal) {
                return new Loaded(
                        null,
                        Failure.of(FailureCode.STORAGE_ERROR, "leader epochs do not rise at entry " + cache.count));
            }
            cache.add((int) epoch, start);
        }
        return new Loaded(cache, null);
    }

    /** The file's content. */
    public ByteBuffer image() {
        StringBuilder text =
                new StringBuilder(16 + count * 16).append("0\n").append(count).append('\n');
        for (int i = 0; i < count; i++) {
            text.append(epochs[i]).append(' ').append(starts[i]).append('\n');
        }
        return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Epoch {@code epoch} (>= 0) begins at {@code startOffset} (>= 0). Entries that contradict it (an epoch or a start not below) go: they are of a log
     * that was cut. A repeat of the latest epoch with a start not below its own changes nothing.
     *
     * @return whether the cache changed and must be persisted (before the first append of the epoch, rule I1)
     */
    public boolean assign(int epoch, long startOffset) {
        Check.invariant(epoch >= 0 && startOffset >= 0, "I1: negative epoch or offset", epoch, startOffset);
        if (epoch == latestEpoch && startOffset >= latestStart) {
            return false;
        }
        while (count > 0 && (epochs[count - 1] >= epoch || starts[count - 1] >= startOffset)) {
            count--;
        }
        add(epoch, startOffset);
        return true;
    }

    private void add(int epoch, long start) {
        if (count == epochs.length) {
            int capacity = Math.max(2, count * 2);
            epochs = Arrays.copyOf(epochs, capacity);
            starts = Arrays.copyOf(starts, capacity);
        }
        epochs[count] = epoch;
        starts[count++] = start;
        noteLatest();
    }

    private void noteLatest() {
        latestEpoch = count == 0 ? -1 : epochs[count - 1];
        latestStart = count == 0 ? -1 : starts[count - 1];
    }

    /** -1 when empty. */
    public int latestEpoch() {
        return latestEpoch;
    }

    /** Start of the latest epoch; -1 when empty. */
    public long latestStart() {
        return latestStart;
    }

    public int count() {
        return count;
    }

    public int epochAt(int entry) {
        return epochs[entry];
    }

    public long startAt(int entry) {
        return starts[entry];
    }

    /** The epoch of the batch at {@code offset}; -1 when it lies before the first entry. */
    public int epochFor(long offset) {
        int entry = count - 1;
        while (entry >= 0 && starts[entry] > offset) {
            entry--;
        }
        return entry < 0 ? -1 : epochs[entry];
    }

    /**
     * The largest known epoch {@code <= epoch} and the offset where it ended (rule I3); for the latest that is {@code logEndOffset}. An epoch below all
     * known ones is answered with itself and the start of the first; one above all, or -1, with {@link EpochEnd#NONE}. (As Kafka's OffsetForLeaderEpoch.)
     */
    public EpochEnd endOfEpoch(int epoch, long logEndOffset) {
        if (count == 0 || epoch < 0 || epoch > latestEpoch()) {
            return EpochEnd.NONE;
        }
        if (epoch == latestEpoch()) {
            return new EpochEnd(epoch, logEndOffset);
        }
        int entry = floor(epoch);
        return entry < 0 ? new EpochEnd(epoch, starts[0]) : new EpochEnd(epochs[entry], starts[entry + 1]);
    }

    /** The latest epoch below {@code epoch} that is known, -1 for none. */
    public int previousEpoch(int epoch) {
        int entry = floor(epoch - 1);
        return entry < 0 ? -1 : epochs[entry];
    }

    /** The start of the first known epoch above {@code epoch}; -1 for none. */
    public long startAfter(int epoch) {
        int entry = floor(epoch) + 1;
        return entry < count ? starts[entry] : -1;
    }

    private int floor(int epoch) {
        int entry = count - 1;
        while (entry >= 0 && epochs[entry] > epoch) {
            entry--;
        }
        return entry;
    }

    /** The log was cut to {@code endOffset}: drops entries that start at or past it (rule I1). Returns whether the cache changed. */
    public boolean truncateFromEnd(long endOffset) {
        int before = count;
        while (count > 0 && starts[count - 1] >= endOffset) {
            count--;
        }
        noteLatest();
        return count != before;
    }

    /** The log now starts at {@code startOffset}: drops what lies before, raises the first entry to it (rule I1). Returns whether the cache changed. */
    public boolean truncateFromStart(long startOffset) {
        int keep = 0;
        while (keep + 1 < count && starts[keep + 1] <= startOffset) {
            keep++;
        }
        if (count == 0 || (starts[keep] >= startOffset && keep == 0)) {
            return false;
        }
        System.arraycopy(epochs, keep, epochs, 0, count - keep);
        System.arraycopy(starts, keep, starts, 0, count - keep);
        count -= keep;
        starts[0] = Math.max(starts[0], startOffset);
        noteLatest();
        return true;
    }

    /** Drops all entries. */
    public void clear() {
        count = 0;
        noteLatest();
    }
}
