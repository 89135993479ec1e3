package storage;

/** Whose batch is to be appended: that decides what is asked of its producer. */
public enum BatchOrigin {
    /** A producer's: sequences count (rules P1-P3). */
    CLIENT,
    /** A coordinator's records in the name of a producer: they have no sequences, its epoch counts. */
    COORDINATOR,
    /** The end of a transaction, of the first protocol: its epoch is that of the transaction's batches, or above. */
    MARKER,
    /** The end of a transaction, of the second protocol (KIP-890): its epoch is above that of the transaction's batches. */
    MARKER_V2
}
