package records;

import java.nio.ByteBuffer;

/** Control batches: what the broker itself writes between the records of producers. */
public final class ControlBatches {

    private ControlBatches() {}

    /** The transaction marker in the control batch at {@code at}; null if its record is of another kind or cannot be read. */
    static BatchSummary.TransactionMarker readMarker(ByteBuffer buffer, int at) {
        throw new UnsupportedOperationException();
    }
}
