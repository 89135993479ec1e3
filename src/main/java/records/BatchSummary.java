package records;

import java.nio.ByteBuffer;

/**
 * What the structures beside the log (producer states, epoch cache, indexes) need to know of one batch, as a value.
 *
 * @param maxTimestamp milliseconds, -1 for none
 * @param producerId -1 for none; then epoch and sequences mean nothing
 * @param marker the end of a transaction if this is a control batch that holds one, else null
 */
public record BatchSummary(
        long baseOffset,
        int lastOffsetDelta,
        int leaderEpoch,
        int sizeInBytes,
        long maxTimestamp,
        long producerId,
        short producerEpoch,
        int baseSequence,
        boolean transactional,
        boolean control,
        TransactionMarker marker) {

    /** Commit or abort of the producer's open transaction in this partition, written by the coordinator with that epoch. */
    public record TransactionMarker(boolean commit, int coordinatorEpoch) {}

    /** Of the framed batch at {@code at}. A control batch whose record cannot be read, or is of another kind, has no marker. */
    public static BatchSummary of(ByteBuffer buffer, int at) {
        boolean control = BatchHeader.isControl(buffer, at);
        boolean transactional = BatchHeader.isTransactional(buffer, at);
        return new BatchSummary(
                BatchHeader.baseOffset(buffer, at),
                BatchHeader.lastOffsetDelta(buffer, at),
                BatchHeader.leaderEpoch(buffer, at),
                BatchHeader.sizeInBytes(buffer, at),
                BatchHeader.maxTimestamp(buffer, at),
                BatchHeader.producerId(buffer, at),
                BatchHeader.producerEpoch(buffer, at),
                BatchHeader.baseSequence(buffer, at),
                transactional,
                control,
                control && transactional ? ControlBatches.readMarker(buffer, at) : null);
    }

    public long lastOffset() {
        return baseOffset + lastOffsetDelta;
    }

    public long nextOffset() {
        return baseOffset + lastOffsetDelta + 1;
    }

    public boolean hasProducerId() {
        return producerId > BatchHeader.NONE;
    }

    /** Sequence of the last record, wrapped; -1 when the batch has none. */
    public int lastSequence() {
        return baseSequence == BatchHeader.NONE
                ? BatchHeader.NONE
                : BatchHeader.plusSequence(baseSequence, lastOffsetDelta);
    }
}
