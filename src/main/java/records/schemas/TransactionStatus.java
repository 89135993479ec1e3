package records.schemas;

import records.MalformedRecordException;

/** Where a transactional id is in its life (rule T1), with Kafka's names on the wire and its numbers in the log. */
public enum TransactionStatus {
    EMPTY(0, "Empty"),
    ONGOING(1, "Ongoing"),
    PREPARE_COMMIT(2, "PrepareCommit"),
    PREPARE_ABORT(3, "PrepareAbort"),
    COMPLETE_COMMIT(4, "CompleteCommit"),
    COMPLETE_ABORT(5, "CompleteAbort"),
    /** Being forgotten. Neither this nor the next is ever recorded. */
    DEAD(6, "Dead"),
    PREPARE_EPOCH_FENCE(7, "PrepareEpochFence");

    private final int id;
    private final String wireName;

    TransactionStatus(int id, String wireName) {
        this.id = id;
        this.wireName = wireName;
    }

    public int id() {
        return id;
    }

    /** As DescribeTransactions and ListTransactions say it. */
    public String wireName() {
        return wireName;
    }

    /** Decided, and its markers are not all written yet. */
    public boolean isPrepared() {
        return this == PREPARE_COMMIT || this == PREPARE_ABORT;
    }

    /** No transaction is under way. */
    public boolean isIdle() {
        return this == EMPTY || this == COMPLETE_COMMIT || this == COMPLETE_ABORT;
    }

    /** @return null when there is none */
    public static TransactionStatus ofWireName(String name) {
        for (TransactionStatus each : values()) {
            if (each.wireName.equals(name)) {
                return each;
            }
        }
        return null;
    }

    static TransactionStatus of(int id) {
        if (id < 0 || id >= values().length) {
            throw new MalformedRecordException("unknown transaction status " + id);
        }
        return values()[id];
    }
}
