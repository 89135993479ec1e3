package coordinator;

import common.Callback;
import common.Failure;
import common.FailureCode;
import common.InvariantViolation;
import coordinator.PartitionStore.Mark.Kind;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition's log from its start into an empty shard: in bounded pieces, decoded on a worker and replayed in slices between which the loop serves
 * others. What cannot be read or applied is passed over, loudly: the ids it concerns may have lost something, all others have not. Confined to the owner.
 */
final class ShardLoader<R> {
    private static final Logger LOG = LoggerFactory.getLogger(ShardLoader.class);
    private static final int SLICE_RECORDS = 500;
    private static final long PROGRESS_NANOS = 5_000_000_000L;

    private final RuntimeSetup<?, R> setup;
    private final String name;
    private final PartitionStore store;
    private final CoordinatorShard<R> shard;
    private final Callback<Summary> done;
    private final long startNanos;
    private long reportedNanos;
    private long offset;
    private long records;
    private long bytes;
    private long unknown;
    private int losses;
    /** Next mark of the piece. */
    private int mark;
    /** Whose transaction the records are part of; null for none. */
    private PartitionStore.Mark transaction;

    private boolean cancelled;

    /** @param losses places where something could not be read or applied */
    record Summary(long records, long bytes, int losses, long nanos) {}

    /** @param done not called after {@link #cancel} */
    ShardLoader(
            RuntimeSetup<?, R> setup,
            String name,
            PartitionStore store,
            CoordinatorShard<R> shard,
            Callback<Summary> done) {
        this.setup = setup;
        this.name = name;
        this.store = store;
        this.shard = shard;
        this.done = done;
        this.startNanos = setup.ports().clock().monotonicNanos();
        this.reportedNanos = startNanos;
    }

    void run() {
        store.load(offset, setup.limits().loadBytes(), setup.codec(), this::piece);
    }

    void cancel() {
        cancelled = true;
    }

    private void piece(PartitionStore.Piece<R> piece, Failure failure) {
        if (cancelled) {
            return;
        }
        if (failure != null) {
            done.fail(failure);
            return;
        }
        bytes += piece.bytes();
        unknown += piece.unknown();
        for (String loss : piece.losses()) {
            losses++;
            LOG.error(
                    "{}: a part of the log cannot be read: {}. What was recorded there last of a group, an offset or a transactional id is lost; "
                            + "the others are served. Check this disk.",
                    name,
                    loss);
        }
        mark = 0;
        transaction = null;
        replay(piece, 0);
    }

    private void replay(PartitionStore.Piece<R> piece, int from) {
        if (cancelled) {
            return;
        }
        List<R> all = piece.records();
        int to = Math.min(all.size(), from + SLICE_RECORDS);
        for (int i = from; i < to; i++) {
            applyMarks(i, piece);
            apply(all.get(i), piece);
        }
        if (to < all.size()) {
            setup.soon().accept(() -> replay(piece, to));
            return;
        }
        applyMarks(all.size(), piece);
        boolean ahead = piece.nextOffset() > offset;
        offset = piece.nextOffset();
        if (offset >= piece.endOffset()) {
            finish();
            return;
        }
        if (!ahead) {
            // Never to be taken for the end: what was committed behind it would be forgotten.
            done.fail(
                    FailureCode.STORAGE_ERROR,
                    "nothing could be read at offset " + offset + " of " + piece.endOffset());
            return;
        }
        report(piece.endOffset());
        setup.soon().accept(this::next);
    }

    private void next() {
        if (!cancelled) {
            run();
        }
    }

    /** Those before a record. */
    private void applyMarks(int before, PartitionStore.Piece<R> piece) {
        while (mark < piece.marks().size() && piece.marks().get(mark).before() <= before) {
            PartitionStore.Mark next = piece.marks().get(mark++);
            switch (next.kind()) {
                case PLAIN -> transaction = null;
                case TRANSACTIONAL -> transaction = next;
                case COMMIT, ABORT ->
                    apply(
                            () -> shard.replayMarker(
                                    next.producerId(), next.producerEpoch(), next.kind() == Kind.COMMIT),
                            next.kind(),
                            piece);
            }
        }
    }

    private void apply(R record, PartitionStore.Piece<R> piece) {
        records++;
        PartitionStore.Mark of = transaction;
        apply(
                () -> {
                    if (of == null) {
                        shard.replay(record);
                    } else {
                        shard.replayTransactional(of.producerId(), of.producerEpoch(), record);
                    }
                },
                record,
                piece);
    }

    private void apply(Runnable action, Object what, PartitionStore.Piece<R> piece) {
        try {
            action.run();
        } catch (InvariantViolation e) {
            throw e;
        } catch (RuntimeException e) {
            losses++;
            LOG.error(
                    "{}: a {} below offset {} cannot be applied and is passed over; its group or transactional id may lack something. Please report this.",
                    name,
                    what.getClass().getSimpleName(),
                    piece.nextOffset(),
                    e);
        }
    }

    private void report(long endOffset) {
        long now = setup.ports().clock().monotonicNanos();
        if (now - reportedNanos >= PROGRESS_NANOS) {
            reportedNanos = now;
            LOG.info("{}: loading, at offset {} of {} ({} bytes read)", name, offset, endOffset, bytes);
        }
    }

    private void finish() {
        long nanos = setup.ports().clock().monotonicNanos() - startNanos;
        if (unknown > 0) {
            LOG.warn(
                    "{}: {} records are of kinds that this version does not know; they are kept and not used",
                    name,
                    unknown);
        }
        done.succeed(new Summary(records, bytes, losses, nanos));
    }
}
