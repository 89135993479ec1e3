package storage;

import common.Check;
import common.FailureCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import records.BatchHeader;
import records.BatchSummary;
import records.schemas.ProducerSnapshot;

/**
 * What idempotent and transactional producers have written to one partition (rules P1-P6, T8): a function of the log's batches up to
 * {@link #endOffset()}, at every replica the same (P4). One owner thread; a recovery job may build one and hand it over.
 *
 * <p>Life of a batch: {@link #check} before offsets are given; {@link #apply} as soon as they are, before the batch is written, so that the next request
 * is checked against it (P5); then {@link #settled} when it is written, or {@link #undoFrom} when the write failed.
 */
public final class ProducerStates {

    /** Of {@link #expire}: not all have been looked at. */
    public static final int MORE = -1;

    private static final long NO_OFFSET = Long.MAX_VALUE;
    private static final int MAX_REFUSED = 1024;

    private final ProducerTable producers = new ProducerTable();
    /** Null while there were none yet, as in most partitions; so are the next two. */
    private UnstableTransactions transactions;
    /** How to go back, oldest first; bounded by the batches being written. */
    private ArrayDeque<Undo> undos;

    /** First batches of unknown producers that could not be taken, by producer id; oldest first, bounded. Only in memory: see {@link #refused}. */
    private LinkedHashMap<Long, RefusedFirst> refusedFirsts;

    private long endOffset;

    private record RefusedFirst(short epoch, int sequence) {}

    private record Undo(long baseOffset, long producerId, ProducerEntry before) {}

    /** States at the start of a log at {@code endOffset}, where nothing is known of any producer. */
    public ProducerStates(long endOffset) {
        this.endOffset = endOffset;
    }

    /** What a snapshot holds; immutable, so {@link #encode} may run in a disk job. */
    public static final class Image {
        private final long offset;
        private final ProducerEntry[] entries;

        private Image(long offset, ProducerEntry[] entries) {
            this.offset = offset;
            this.entries = entries;
        }

        /** The states are those before this offset; it names the file. */
        public long offset() {
            return offset;
        }

        public int producers() {
            return entries.length;
        }

        /** The content of Kafka's snapshot file. */
        public ByteBuffer encode() {
            List<ProducerSnapshot.Entry> rows = new ArrayList<>(entries.length);
            for (ProducerEntry entry : entries) {
                entry.addRows(rows);
            }
            return ProducerSnapshot.encode(rows);
        }
    }

    /** A snapshot's content in memory. Sorted by producer id. */
    public Image image() {
        return new Image(endOffset, producers.sorted());
    }

    /**
     * The states of a decoded snapshot taken at {@code offset}. Transactions that ended before the snapshot count as ended below the high watermark: load
     * one at or below the high watermark and {@link #apply} the batches after it, and the last stable offset is right (T8). Expired producers are left
     * out by {@link #expire}.
     */
    public static ProducerStates of(List<ProducerSnapshot.Entry> rows, long offset) {
        return of(rows, offset, false);
    }

    /** @param forgetful a planted bug: open transactions are lost */
    static ProducerStates of(List<ProducerSnapshot.Entry> rows, long offset, boolean forgetful) {
        ProducerStates states = new ProducerStates(offset);
        for (ProducerSnapshot.Entry row : rows) {
            ProducerEntry entry = ProducerEntry.fromSnapshot(states.producers.get(row.producerId()), row);
            states.producers.put(entry);
        }
        for (ProducerEntry entry : states.producers.sorted()) {
            if (entry.hasOpenTransaction() && !forgetful) {
                states.transactions().begun(entry.transactionStart, entry.producerId);
            }
        }
        return states;
    }

    /** First offset whose batch has not been applied. */
    public long endOffset() {
        return endOffset;
    }

    public int producerCount() {
        return producers.size();
    }

    /**
     * Decides on a producer's batch that passed {@link records.BatchValidator} and has no offsets yet. Changes nothing.
     *
     * @param logEndOffset of the partition: 0 means that it never held a record, and only sequence 0 may begin (P2; Apache Kafka lets any begin, and so can
     *     lose a first batch that comes late)
     */
    public ProducerVerdict check(BatchSummary batch, long logEndOffset) {
        if (!batch.hasProducerId() || batch.control()) {
            return ProducerVerdict.OK;
        }
        ProducerEntry entry = producers.get(batch.producerId());
        if (entry == null) {
            if (batch.baseSequence() != 0 && logEndOffset == 0) {
                return outOfOrder(batch, "the partition never held a record, only sequence 0 may begin");
            }
            RefusedFirst first = refusedFirsts == null ? null : refusedFirsts.get(batch.producerId());
            if (first != null && first.epoch == batch.producerEpoch() && first.sequence != batch.baseSequence()) {
                return outOfOrder(batch, first.sequence + " could not be appended and is still due");
            }
            return ProducerVerdict.OK;
        }
        if (batch.producerEpoch() < entry.epoch) {
            return oldEpoch(batch, entry);
        }
        if (batch.producerEpoch() > entry.epoch) {
            if (batch.baseSequence() != 0) {
                return outOfOrder(batch, "a new epoch must start at 0");
            }
        } else {
            int original = entry.findBatch(batch.baseSequence(), batch.lastSequence());
            if (original >= 0) {
                long last = entry.lastOffsetAt(original);
                return new ProducerVerdict(
                        ProducerVerdict.Kind.DUPLICATE,
                        last - entry.offsetDeltaAt(original),
                        last,
                        entry.timestampAt(original),
                        null);
            }
            int due = BatchHeader.plusSequence(entry.lastSequence(), 1);
            if (batch.baseSequence() != due) {
                return outOfOrder(batch, due + " is due");
            }
        }
        if (entry.hasOpenTransaction() && !batch.transactional()) {
            return ProducerVerdict.refused(
                    FailureCode.INVALID_TXN_STATE,
                    "producer " + batch.producerId() + " has an open transaction; this batch is not part of one");
        }
        return ProducerVerdict.OK;
    }

    private static ProducerVerdict oldEpoch(BatchSummary batch, ProducerEntry entry) {
        return ProducerVerdict.refused(
                FailureCode.INVALID_PRODUCER_EPOCH,
                "producer " + batch.producerId() + " sent epoch " + batch.producerEpoch() + ", the last seen here is "
                        + entry.epoch);
    }

    /** Decides on a coordinator's records in the name of a producer. */
    ProducerVerdict checkOwn(BatchSummary batch) {
        ProducerEntry entry = batch.hasProducerId() ? producers.get(batch.producerId()) : null;
        return entry == null || batch.producerEpoch() >= entry.epoch ? ProducerVerdict.OK : oldEpoch(batch, entry);
    }

    /**
     * Decides on a transaction's end (rules T2, T7). DUPLICATE: nothing is open here, and the same coordinator has said so before; what it said lies below
     * {@link #endOffset}.
     *
     * @param above its epoch must be above that of the transaction (KIP-890): else a late one would end a later transaction (rule T12)
     */
    ProducerVerdict checkMarker(BatchSummary marker, boolean above) {
        ProducerEntry entry = producers.get(marker.producerId());
        if (entry == null) {
            return ProducerVerdict.OK;
        }
        boolean again = marker.producerEpoch() == entry.epoch && !entry.hasOpenTransaction();
        if (marker.producerEpoch() < entry.epoch || (above && marker.producerEpoch() == entry.epoch && !again)) {
            return oldEpoch(marker, entry);
        }
        int coordinatorEpoch = marker.marker().coordinatorEpoch();
        if (coordinatorEpoch < entry.coordinatorEpoch) {
            return ProducerVerdict.refused(
                    FailureCode.TRANSACTION_COORDINATOR_FENCED,
                    "the marker is of coordinator epoch " + coordinatorEpoch + ", the last seen here of producer "
                            + marker.producerId() + " is " + entry.coordinatorEpoch);
        }
        return again && coordinatorEpoch == entry.coordinatorEpoch
                ? new ProducerVerdict(
                        ProducerVerdict.Kind.DUPLICATE, endOffset - 1, endOffset - 1, entry.lastTimestamp, null)
                : ProducerVerdict.OK;
    }

    private static ProducerVerdict outOfOrder(BatchSummary batch, String due) {
        return ProducerVerdict.refused(
                FailureCode.OUT_OF_ORDER_SEQUENCE,
                "producer " + batch.producerId() + " epoch " + batch.producerEpoch() + " sent sequence "
                        + batch.baseSequence() + ": " + due);
    }

    /**
     * Takes in the next batch of the log, offsets given. Every batch, also those without a producer id; offsets must rise. What {@link #check} refuses is
     * not refused here: what stands in the log is true.
     *
     * @return the transaction that this batch ends, for the transaction index when aborted; null when it ends none
     */
    public CompletedTransaction apply(BatchSummary batch) {
        Check.invariant(batch.baseOffset() >= endOffset, "P4: batches out of order", batch.baseOffset(), endOffset);
        CompletedTransaction completed = null;
        if (batch.hasProducerId() && (!batch.control() || batch.marker() != null)) {
            ProducerEntry before = producers.get(batch.producerId());
            if (refusedFirsts != null) {
                refusedFirsts.remove(batch.producerId());
            }
            undos = undos == null ? new ArrayDeque<>(2) : undos;
            undos.addLast(new Undo(batch.baseOffset(), batch.producerId(), before));
            if (batch.control()) {
                completed = end(before, batch);
                producers.put(ProducerEntry.afterMarker(before, batch));
            } else {
                ProducerEntry after = ProducerEntry.afterBatch(before, batch);
                producers.put(after);
                if (after.hasOpenTransaction()) {
                    transactions().begun(after.transactionStart, batch.producerId());
                }
            }
        }
        endOffset = batch.nextOffset();
        return completed;
    }

    private UnstableTransactions transactions() {
        transactions = transactions == null ? new UnstableTransactions() : transactions;
        return transactions;
    }

    private CompletedTransaction end(ProducerEntry before, BatchSummary marker) {
        if (before == null || !before.hasOpenTransaction()) {
            return null;
        }
        long first = before.transactionStart;
        transactions().ended(first, marker.lastOffset());
        return new CompletedTransaction(
                marker.producerId(),
                first,
                marker.lastOffset(),
                !marker.marker().commit(),
                transactions.firstOpen(marker.nextOffset()));
    }

    /**
     * A batch was turned away before it was checked, or its write failed, for a reason that passes (a full disk, a full queue). The first batch of a producer
     * must not be overtaken by those that its client has already sent behind it: as nothing is known of the producer, they would be taken, and the first
     * one never again (P2, P7).
     */
    public void refused(BatchSummary batch) {
        if (!batch.hasProducerId() || batch.control() || producers.get(batch.producerId()) != null) {
            return;
        }
        refusedFirsts = refusedFirsts == null ? new LinkedHashMap<>() : refusedFirsts;
        RefusedFirst known = refusedFirsts.get(batch.producerId());
        if (known == null || known.epoch < batch.producerEpoch()) {
            if (refusedFirsts.size() == MAX_REFUSED) {
                refusedFirsts.remove(refusedFirsts.keySet().iterator().next());
            }
            refusedFirsts.put(batch.producerId(), new RefusedFirst(batch.producerEpoch(), batch.baseSequence()));
        }
    }

    /** All batches below {@code offset} are written: they will not be undone. */
    public void settled(long offset) {
        while (undos != null && !undos.isEmpty() && undos.peekFirst().baseOffset() < offset) {
            undos.removeFirst();
        }
    }

    /** Forgets the batches from {@code offset} on, none of which is settled: their write failed (rule S2). */
    public void undoFrom(long offset) {
        while (undos != null && !undos.isEmpty() && undos.peekLast().baseOffset() >= offset) {
            undo(undos.removeLast());
        }
        endOffset = Math.min(endOffset, offset);
    }

    private void undo(Undo undo) {
        ProducerEntry now = producers.get(undo.producerId());
        ProducerEntry before = undo.before();
        if (before == null) {
            producers.remove(undo.producerId());
        } else {
            producers.put(before);
        }
        if (now != null && now.hasOpenTransaction()) {
            transactions().undoBegun(now.transactionStart);
        }
        if (before != null && before.hasOpenTransaction()) {
            transactions().undoEnded(before.transactionStart, before.producerId);
        }
    }

    /** Forgets transactions that ended below the high watermark (T8). */
    public void advanceHighWatermark(long highWatermark) {
        if (transactions != null) {
            transactions.settle(highWatermark);
        }
    }

    /** First offset of the oldest transaction not ended by a marker below the high watermark; Long.MAX_VALUE when there is none (T8). */
    public long firstUnstableOffset() {
        return transactions == null ? NO_OFFSET : transactions.first(NO_OFFSET);
    }

    /** Drops what lies wholly below a new log start: transactions that ended there. Producers stay, they know more than the log (P2). */
    public void advanceLogStart(long logStartOffset) {
        if (transactions != null) {
            transactions.settle(logStartOffset);
        }
    }

    /**
     * Removes producers whose last batch is at least {@code expirationMillis} ({@code producer.id.expiration.ms}) old by its own time and that have no
     * open transaction (rule P6). A little at a time, as {@link ProducerTable#sweep} says; {@code most}: places of the table. {@code wallMillis}: now.
     *
     * @return how many places were looked at in this call, after which the next one begins anew; {@link #MORE}: others are left
     */
    public int expire(long wallMillis, long expirationMillis, int most) {
        return producers.sweep(
                most, entry -> !entry.hasOpenTransaction() && wallMillis - entry.lastTimestamp >= expirationMillis);
    }

    /** The batches below {@code end} that these states rest on, also those that an undo would bring back. */
    ProducerTails tails(long end) {
        ProducerTails tails = new ProducerTails();
        producers.forEach(entry -> entry.addTails(tails, end));
        for (Undo undo : undos == null ? List.<Undo>of() : undos) {
            if (undo.before() != null) {
                undo.before().addTails(tails, end);
            }
        }
        return tails;
    }

    /** As DescribeProducers shows them; sorted by producer id. */
    public List<ActiveProducer> activeProducers() {
        List<ActiveProducer> active = new ArrayList<>(producers.size());
        for (ProducerEntry entry : producers.sorted()) {
            active.add(shown(entry));
        }
        return active;
    }

    /** null when nothing is known of it. */
    ActiveProducer activeProducer(long producerId) {
        ProducerEntry entry = producers.get(producerId);
        return entry == null ? null : shown(entry);
    }

    /** Whose transaction here began first; null when none is open. */
    ActiveProducer oldestOpenTransaction() {
        return transactions == null ? null : activeProducer(transactions.oldestProducer());
    }

    private static ActiveProducer shown(ProducerEntry entry) {
        return new ActiveProducer(
                entry.producerId,
                entry.epoch,
                entry.lastSequence(),
                entry.lastTimestamp,
                entry.coordinatorEpoch,
                entry.transactionStart);
    }

    /** Producer ids by first offset of their open transactions. */
    Map<Long, Long> openTransactions() {
        return transactions == null ? Map.of() : new TreeMap<>(transactions.open());
    }
}
