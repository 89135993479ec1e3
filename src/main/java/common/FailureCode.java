package common;

/**
 * Why an operation of the broker's machines was refused or not finished. The doors translate a code to their own
 * vocabulary (services/ErrorMapping to Kafka's error codes).
 */
public enum FailureCode {
    UNKNOWN_PARTITION,
    UNKNOWN_TOPIC_ID,
    INCONSISTENT_TOPIC_ID,
    NOT_LEADER,
    FENCED_LEADER_EPOCH,
    UNKNOWN_LEADER_EPOCH,
    OFFSET_OUT_OF_RANGE,
    OFFSET_NOT_AVAILABLE,
    CORRUPT_BATCH,
    INVALID_RECORD,
    BATCH_TOO_LARGE,
    RECORD_LIST_TOO_LARGE,
    INVALID_TIMESTAMP,
    UNSUPPORTED_FORMAT,
    UNSUPPORTED_COMPRESSION,
    OUT_OF_ORDER_SEQUENCE,
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    /** The batch is not part of an open transaction: its producer must abort. */
    TRANSACTION_ABORTABLE,
    INVALID_PRODUCER_ID_MAPPING,
    PRODUCER_FENCED,
    /** An earlier step of the transaction is not done yet; retriable. */
    CONCURRENT_TRANSACTIONS,
    /** A newer transaction coordinator has written here. */
    TRANSACTION_COORDINATOR_FENCED,
    NOT_ENOUGH_REPLICAS,
    /** Appended, but there were too few in-sync replicas when it was to be answered; outcome unknown. */
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    POLICY_VIOLATION,
    /** A log directory that this node must not touch: in use, of another cluster or node, of a newer version. */
    DIRECTORY_REFUSED,
    /** A read or write failed, or the log directory is offline. */
    STORAGE_ERROR,
    /** No room on the disk, or its reserve was reached; goes away by itself when space returns. */
    DISK_FULL,
    /** An fsync failed: the log directory is offline until the process restarts. */
    SYNC_FAILED,
    /** Not known whether it took effect: the deadline passed first. */
    TIMED_OUT,
    /** A bounded queue is full; retriable. */
    OVERLOADED,
    SHUTTING_DOWN,
    /** This node is not the active controller (any more). */
    NOT_CONTROLLER,
    /** This node does not lead the coordinator's partition (any more). */
    NOT_COORDINATOR,
    /** The coordinator reads its partition; retriable. */
    COORDINATOR_LOADING,
    /** There is no coordinator for now: its topic is being made, or its partition takes no records; retriable. */
    COORDINATOR_NOT_AVAILABLE,
    /** Nobody listens at another node's address: its process is gone. */
    PEER_REFUSED,
    /** No connection to another node came about, or it does not offer what it was asked. */
    PEER_UNREACHABLE,
    /** The connection to another node ended before it answered; outcome unknown. */
    PEER_LOST,
    INTERNAL
}
