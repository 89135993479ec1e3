package coordinator;

import common.Callback;
import common.Failure;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;

/** The log partition behind one shard, as its leader in one epoch sees it. Implemented in node/ over the storage shard of the same loop. */
public interface PartitionStore {

    /** Largest batch that {@link #append} takes (max.message.bytes of the topic). */
    int maxBatchBytes();

    /** null while the partition takes records; else why not (disk full, directory offline). Asked before requests run, so that few appends fail. */
    Failure refusal();

    /**
     * Appends one batch, durably (rule I7). {@code done}: when it is committed (below the high watermark, in the epoch it was appended in); a failure means not
     * committed or not known.
     */
    void append(ByteBuffer batch, Callback<Void> done);

    /**
     * Appends a marker, durably, as {@link #append}.
     *
     * @param end on which {@link #verdictOn} is OK
     */
    void appendMarker(TransactionEnd end, Callback<Void> done);

    /** Whether the log would take the marker now: all that was given to {@link #append} and {@link #appendMarker} before is considered. */
    MarkerVerdict verdictOn(TransactionEnd end);

    /** @param failure null for {@code OK} and {@code REPEATED}: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, or why nothing can be told */
    record MarkerVerdict(Decision decision, Failure failure) {
        public enum Decision {
            OK,
            /** Written before, by the same coordinator; it ends nothing now. */
            REPEATED,
            REFUSED
        }
    }

    /** What the log knows of a producer, all that was given to it considered; null for nothing. */
    Producer producer(long producerId);

    /** @param open has a transaction that has not ended */
    record Producer(short epoch, boolean open) {}

    /** Asks the transaction coordinator whether the partition is part of the transaction, which is open (rule T5); fails with why not. */
    void verify(Coordinator.ProducerTransaction transaction, Callback<Void> done);

    /**
     * The next decoded piece of the log from {@code offset} on (the log's start if that is later), at most about {@code maxBytes} of it, read and decoded off
     * the loop. Only what is committed: with offset 0 whatever lies in the log is made so first. Fails with what may pass; ranges that can never be read are
     * passed over and named in the piece.
     *
     * @param codec decodes on a worker
     */
    <R> void load(long offset, int maxBytes, RecordCodec<R> codec, Callback<Piece<R>> done);

    /** Runs a pure function off the loop; fails when no worker takes it. */
    <T> void compute(Supplier<T> work, Callback<T> done);

    /**
     * @param records in order, control records and unknown ones left out
     * @param nextOffset where the next piece begins; above the asked one unless the log ends there
     * @param endOffset of the log when it was read: loading is complete when nextOffset has reached it
     * @param bytes read
     * @param unknown records of a kind that is not known here
     * @param losses what could not be read, one line for people each: which offsets, and why; empty as a rule
     * @param marks what belongs to transactions, in order; records are plain until the first one
     */
    record Piece<R>(
            List<R> records,
            long nextOffset,
            long endOffset,
            int bytes,
            int unknown,
            List<String> losses,
            List<Mark> marks) {
        public Piece(List<R> records, long nextOffset, long endOffset, int bytes, int unknown, List<String> losses) {
            this(records, nextOffset, endOffset, bytes, unknown, losses, List.of());
        }
    }

    /**
     * Something between two records of a piece.
     *
     * @param before index of the record behind it
     * @param producerId -1 for PLAIN
     */
    record Mark(int before, long producerId, short producerEpoch, Kind kind) {
        public enum Kind {
            /** Records from here on take effect at once. */
            PLAIN,
            /** Records from here on are part of the producer's transaction. */
            TRANSACTIONAL,
            COMMIT,
            ABORT
        }

        public static Mark plain(int before) {
            return new Mark(before, -1, (short) -1, Kind.PLAIN);
        }
    }
}
