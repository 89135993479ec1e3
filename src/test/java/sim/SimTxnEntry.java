package sim;

/**
 * A record of a partition with transactions, as a reader got it.
 *
 * @param text the record's own, or for a marker what it ends
 * @param coordinatorEpoch of a marker's coordinator; -1 for other records
 * @param visible to whoever reads so: not a marker, and not of an aborted transaction for readers of committed records
 */
record SimTxnEntry(
        long offset,
        String text,
        long producerId,
        short producerEpoch,
        int sequence,
        Kind kind,
        int coordinatorEpoch,
        boolean visible) {
    enum Kind {
        DATA,
        COMMIT,
        ABORT
    }

    boolean isData() {
        return kind == Kind.DATA;
    }
}
