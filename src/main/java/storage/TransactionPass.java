package storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import records.BatchHeader;
import records.BatchSummary;

/**
 * Which batches belong to transactions that were aborted, and which markers are of no use any more (rule K4), for one pass over a log from some offset on. A
 * transaction counts as aborted only if its marker lies in the cleaned range; one that is aborted behind it is left alone. Read ahead are only those that may
 * have begun where the pass is. Handed from job to job.
 */
final class TransactionPass {

    /** What a batch is to its transaction. */
    enum Standing {
        /** Of no transaction, or of one that was committed. */
        VALID,
        /** Of an aborted transaction: its records count for nothing. */
        ABORTED,
        /** Of a transaction that is aborted behind the cleaned range, or that ended nobody knows how: its records count for nothing, but stay. */
        UNDECIDED
    }

    /** An aborted transaction; {@code seen}: a batch of it is still there. */
    private static final class Aborted {
        final CompletedTransaction transaction;
        boolean seen;

        Aborted(CompletedTransaction transaction) {
            this.transaction = transaction;
        }
    }

    private final AbortedStream aborted;
    private final long end;
    private final long unsureFrom;
    private final long undecidedBelow;
    /** Aborted transactions that begin behind the last batch. */
    private final PriorityQueue<CompletedTransaction> ahead =
            new PriorityQueue<>(Comparator.comparingLong(CompletedTransaction::firstOffset));

    private final Long2ObjectHashMap<Aborted> open = new Long2ObjectHashMap<>();
    private final LongHashSet committed = new LongHashSet();
    /** All that begin below it have been read. */
    private long readTo = Long.MIN_VALUE;

    private FileSystem files;

    /**
     * @param aborted the aborted transactions whose markers lie at or above the pass' start
     * @param end of the cleaned range
     * @param unsureFrom batches at or above it may be there that this pass does not see: no marker behind is obsolete
     * @param undecidedBelow {@code aborted} may be wrong about what is below
     */
    TransactionPass(AbortedStream aborted, long end, long unsureFrom, long undecidedBelow) {
        this.aborted = aborted;
        this.end = end;
        this.unsureFrom = unsureFrom;
        this.undecidedBelow = undecidedBelow;
    }

    /** A job goes on with the pass. */
    void begin(FileSystem jobsFiles) {
        files = jobsFiles;
    }

    private void advance(long offset) throws IOException {
        while (readTo <= offset) {
            CompletedTransaction next = aborted.next(files);
            // Whatever ends behind a marker begins at or above the last stable offset there.
            readTo = next == null ? Long.MAX_VALUE : Math.max(readTo, next.lastStableOffset());
            if (next != null) {
                ahead.add(next);
            }
        }
        while (!ahead.isEmpty() && ahead.peek().firstOffset() <= offset) {
            CompletedTransaction transaction = ahead.poll();
            open.put(transaction.producerId(), new Aborted(transaction));
        }
    }

    /** The next batch that is no control batch. */
    Standing data(ByteBuffer buffer, int at) throws IOException {
        advance(BatchHeader.lastOffset(buffer, at));
        if (!BatchHeader.isTransactional(buffer, at)) {
            return Standing.VALID;
        }
        long producer = BatchHeader.producerId(buffer, at);
        Aborted transaction = open.get(producer);
        if (transaction != null && transaction.transaction.lastOffset() < BatchHeader.baseOffset(buffer, at)) {
            // Its marker is one of those that are not seen.
            open.remove(producer);
            transaction = null;
        }
        boolean undecided = BatchHeader.baseOffset(buffer, at) < undecidedBelow;
        if (transaction == null) {
            committed.add(producer);
            return undecided ? Standing.UNDECIDED : Standing.VALID;
        }
        transaction.seen = true;
        return !undecided && transaction.transaction.lastOffset() < end ? Standing.ABORTED : Standing.UNDECIDED;
    }

    /** The next batch is a control batch. */
    Marker marker(ByteBuffer buffer, int at) throws IOException {
        advance(BatchHeader.lastOffset(buffer, at));
        BatchSummary batch = BatchSummary.of(buffer, at);
        if (batch.marker() == null) {
            return new Marker(BatchHeader.recordCount(buffer, at) == 0, null);
        }
        boolean unsure = batch.baseOffset() >= unsureFrom;
        if (batch.marker().commit()) {
            boolean seen = committed.remove(batch.producerId());
            return new Marker(!seen && !unsure, null);
        }
        Aborted ended = open.remove(batch.producerId());
        if (ended != null && ended.transaction.lastOffset() != batch.baseOffset()) {
            // That one's marker is one of those that are not seen, and this one aborts nothing that is known.
            ended = null;
        }
        boolean counts = ended != null && (ended.seen || unsure);
        return counts ? new Marker(false, ended.transaction) : new Marker(!unsure, null);
    }

    /**
     * What a marker is good for.
     *
     * @param obsolete no data of its transaction is left
     * @param aborted the transaction that it aborts, of which something is left; else null
     */
    record Marker(boolean obsolete, CompletedTransaction aborted) {}
}
