package coordinator;

/**
 * The end of a producer's transaction in one partition.
 *
 * @param coordinatorEpoch of the transaction coordinator
 * @param transactionVersion 2: the epoch is above that of the transaction's records
 */
public record TransactionEnd(
        long producerId, short producerEpoch, int coordinatorEpoch, boolean commit, short transactionVersion) {
    private static final short ABOVE = 2;

    /** Whether the epoch is above that of the transaction that it ends; else it may be the same. */
    public boolean above() {
        return transactionVersion >= ABOVE;
    }

    /** Whether a transaction of this epoch, or one before, is what it ends. */
    public boolean ends(short epoch) {
        return above() ? epoch < producerEpoch : epoch <= producerEpoch;
    }
}
