package raft;

/**
 * What consensus must know of the metadata log. Asked synchronously on the machine's owner; what it says of records beyond the end last told to {@link
 * RaftNode#appended} is not used.
 */
public interface RaftLog {

    /** End of what is in the log when the machine is made. */
    OffsetAndEpoch end();

    /** End of what is fsynced when the machine is made. */
    long durableEnd();

    /** Where the log begins now: its first offset and the epoch of the record before it; {@link OffsetAndEpoch#START} when nothing was taken away. */
    OffsetAndEpoch start();

    /**
     * The largest epoch <= {@code epoch} of the log's records (or that of {@link #start}) and the end of its last record. When all records are of later epochs:
     * {@link #start}.
     */
    OffsetAndEpoch endOfEpoch(int epoch);

    /** The newest durable snapshot; null for none. Never null while {@link #start} is above 0. */
    OffsetAndEpoch snapshot();

    /**
     * Whether something that the host gave the log (its own records of a leadership that ended, say) is on its way: until it has arrived nothing is fetched and
     * nobody stands. Its arrival is told by {@link RaftNode#appended}, its failure by any input.
     */
    boolean writing();
}
