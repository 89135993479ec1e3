package storage;

import java.util.List;
import records.BatchHeader;
import records.BatchSummary;
import records.schemas.ProducerSnapshot;

/** What one producer last wrote to a partition. Immutable: a change makes another entry, so undo and snapshots just keep the old one. */
final class ProducerEntry {

    /** How many batches of a producer are remembered for rule P1; that many requests a client may have in flight. */
    static final int BATCHES = 5;

    private static final int FIELDS = 3;
    private static final long[] NO_BATCHES = {};
    static final long NO_TRANSACTION = -1;

    final long producerId;
    final short epoch;
    final int coordinatorEpoch;
    final long lastTimestamp;
    /** {@link #NO_TRANSACTION} when none is open. */
    final long transactionStart;
    /** Per batch, oldest first: last offset; timestamp; last sequence and offset delta in one. */
    private final long[] batches;

    private ProducerEntry(
            long producerId,
            short epoch,
            int coordinatorEpoch,
            long lastTimestamp,
            long transactionStart,
            long[] batches) {
        this.producerId = producerId;
        this.epoch = epoch;
        this.coordinatorEpoch = coordinatorEpoch;
        this.lastTimestamp = lastTimestamp;
        this.transactionStart = transactionStart;
        this.batches = batches;
    }

    /** {@code before} may be null: the producer's first batch here. */
    static ProducerEntry afterBatch(ProducerEntry before, BatchSummary batch) {
        boolean sameEpoch = before != null && before.epoch == batch.producerEpoch();
        int kept = sameEpoch ? Math.min(before.count(), BATCHES - 1) : 0;
        long[] batches = new long[(kept + 1) * FIELDS];
        if (kept > 0) {
            System.arraycopy(before.batches, before.batches.length - kept * FIELDS, batches, 0, kept * FIELDS);
        }
        put(batches, kept, batch.lastOffset(), batch.maxTimestamp(), batch.lastSequence(), batch.lastOffsetDelta());
        long start = before == null ? NO_TRANSACTION : before.transactionStart;
        return new ProducerEntry(
                batch.producerId(),
                batch.producerEpoch(),
                before == null ? -1 : before.coordinatorEpoch,
                batch.maxTimestamp(),
                batch.transactional() && start == NO_TRANSACTION ? batch.baseOffset() : start,
                batches);
    }

    /** {@code before} may be null. A marker with another epoch than the batches' makes the producer start at sequence 0 again. */
    static ProducerEntry afterMarker(ProducerEntry before, BatchSummary marker) {
        boolean sameEpoch = before != null && before.epoch == marker.producerEpoch();
        return new ProducerEntry(
                marker.producerId(),
                marker.producerEpoch(),
                marker.marker().coordinatorEpoch(),
                marker.maxTimestamp(),
                NO_TRANSACTION,
                sameEpoch ? before.batches : NO_BATCHES);
    }

    /** {@code before}: made from earlier rows of the same producer and epoch, or null. */
    static ProducerEntry fromSnapshot(ProducerEntry before, ProducerSnapshot.Entry row) {
        boolean sameEpoch = before != null && before.epoch == row.epoch();
        long[] batches = sameEpoch ? before.batches : NO_BATCHES;
        boolean repeated =
                sameEpoch && before.count() > 0 && before.lastOffsetAt(before.count() - 1) == row.lastOffset();
        if (row.lastOffset() >= 0 && !repeated) {
            int kept = Math.min(batches.length / FIELDS, BATCHES - 1);
            long[] longer = new long[(kept + 1) * FIELDS];
            System.arraycopy(batches, batches.length - kept * FIELDS, longer, 0, kept * FIELDS);
            put(longer, kept, row.lastOffset(), row.timestamp(), row.lastSequence(), row.offsetDelta());
            batches = longer;
        }
        return new ProducerEntry(
                row.producerId(),
                row.epoch(),
                row.coordinatorEpoch(),
                row.timestamp(),
                row.currentTxnFirstOffset() < 0 ? NO_TRANSACTION : row.currentTxnFirstOffset(),
                batches);
    }

    /**
     * Rows of a snapshot, one for each remembered batch, oldest first; the last batch again where a later marker has another time. Kafka writes the last one
     * only, and when it reads several of one producer the last counts, so it sees exactly its own state, while we keep rule P1 over a restart.
     */
    void addRows(List<ProducerSnapshot.Entry> rows) {
        int last = count() - 1;
        for (int i = 0; i < last; i++) {
            rows.add(row(i, timestampAt(i), -1));
        }
        if (last >= 0 && timestampAt(last) != lastTimestamp) {
            rows.add(row(last, timestampAt(last), -1));
        }
        rows.add(row(last, lastTimestamp, transactionStart));
    }

    void addTails(ProducerTails tails, long end) {
        for (int i = 0; i < count(); i++) {
            if (lastOffsetAt(i) < end) {
                tails.batch(lastOffsetAt(i));
            }
        }
        if (count() == 0) {
            tails.markerOnly(producerId, epoch);
        }
    }

    private ProducerSnapshot.Entry row(int i, long timestamp, long transaction) {
        boolean any = i >= 0;
        return new ProducerSnapshot.Entry(
                producerId,
                epoch,
                any ? lastSequenceAt(i) : -1,
                any ? lastOffsetAt(i) : -1,
                any ? offsetDeltaAt(i) : 0,
                timestamp,
                coordinatorEpoch,
                transaction);
    }

    private static void put(long[] batches, int i, long lastOffset, long timestamp, int lastSequence, int offsetDelta) {
        batches[i * FIELDS] = lastOffset;
        batches[i * FIELDS + 1] = timestamp;
        batches[i * FIELDS + 2] = (long) lastSequence << 32 | offsetDelta;
    }

    int count() {
        return batches.length / FIELDS;
    }

    long lastOffsetAt(int i) {
        return batches[i * FIELDS];
    }

    long timestampAt(int i) {
        return batches[i * FIELDS + 1];
    }

    int lastSequenceAt(int i) {
        return (int) (batches[i * FIELDS + 2] >>> 32);
    }

    int offsetDeltaAt(int i) {
        return (int) batches[i * FIELDS + 2];
    }

    /** Of the last batch; -1 when none is remembered. */
    int lastSequence() {
        return count() == 0 ? BatchHeader.NONE : lastSequenceAt(count() - 1);
    }

    boolean hasOpenTransaction() {
        return transactionStart != NO_TRANSACTION;
    }

    /** The remembered batch with exactly this range of sequences; -1 for none. */
    int findBatch(int firstSequence, int lastSequence) {
        for (int i = count() - 1; i >= 0; i--) {
            if (lastSequenceAt(i) == lastSequence
                    && firstSequence == ((lastSequence - offsetDeltaAt(i)) & Integer.MAX_VALUE)) {
                return i;
            }
        }
        return -1;
    }
}
