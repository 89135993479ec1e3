package services;

import common.Failure;
import common.FailureCode;
import org.apache.kafka.common.protocol.Errors;

/** Says a {@link FailureCode} in Kafka's error codes. What only means "unknown outcome" gets a retriable code (rule V3). */
public final class ErrorMapping {

    private ErrorMapping() {}

    /** NONE for null. */
    public static Errors of(Failure failure) {
        return failure == null ? Errors.NONE : of(failure.code());
    }

    /** For requests that name topics: they know nothing of ids. */
    public static Errors ofNamed(Failure failure) {
        Errors error = of(failure);
        return error == Errors.UNKNOWN_TOPIC_ID ? Errors.UNKNOWN_TOPIC_OR_PARTITION : error;
    }

    /**
     * For requests to a coordinator: a client then looks for the coordinator anew or tries again. Whether a write that timed out was done is not known; all of
     * them may be repeated.
     */
    public static Errors ofCoordinator(Failure failure) {
        if (failure == null) {
            return Errors.NONE;
        }
        return switch (failure.code()) {
            case TIMED_OUT,
                    OVERLOADED,
                    NOT_ENOUGH_REPLICAS,
                    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                    UNKNOWN_PARTITION,
                    PEER_LOST,
                    PEER_REFUSED,
                    PEER_UNREACHABLE -> Errors.COORDINATOR_NOT_AVAILABLE;
            case NOT_LEADER, SHUTTING_DOWN, STORAGE_ERROR, DISK_FULL, SYNC_FAILED -> Errors.NOT_COORDINATOR;
            case BATCH_TOO_LARGE, RECORD_LIST_TOO_LARGE -> Errors.UNKNOWN_SERVER_ERROR;
            default -> of(failure);
        };
    }

    public static Errors of(FailureCode code) {
        return switch (code) {
            case UNKNOWN_PARTITION -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case UNKNOWN_TOPIC_ID -> Errors.UNKNOWN_TOPIC_ID;
            case INCONSISTENT_TOPIC_ID -> Errors.INCONSISTENT_TOPIC_ID;
            case NOT_LEADER, SHUTTING_DOWN -> Errors.NOT_LEADER_OR_FOLLOWER;
            case FENCED_LEADER_EPOCH -> Errors.FENCED_LEADER_EPOCH;
            case UNKNOWN_LEADER_EPOCH -> Errors.UNKNOWN_LEADER_EPOCH;
            case OFFSET_OUT_OF_RANGE -> Errors.OFFSET_OUT_OF_RANGE;
            case OFFSET_NOT_AVAILABLE -> Errors.OFFSET_NOT_AVAILABLE;
            case CORRUPT_BATCH -> Errors.CORRUPT_MESSAGE;
            case INVALID_RECORD -> Errors.INVALID_RECORD;
            case BATCH_TOO_LARGE -> Errors.MESSAGE_TOO_LARGE;
            case RECORD_LIST_TOO_LARGE -> Errors.RECORD_LIST_TOO_LARGE;
            case INVALID_TIMESTAMP -> Errors.INVALID_TIMESTAMP;
            case UNSUPPORTED_FORMAT -> Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT;
            case UNSUPPORTED_COMPRESSION -> Errors.UNSUPPORTED_COMPRESSION_TYPE;
            case OUT_OF_ORDER_SEQUENCE -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
            case INVALID_PRODUCER_EPOCH -> Errors.INVALID_PRODUCER_EPOCH;
            case INVALID_TXN_STATE -> Errors.INVALID_TXN_STATE;
            case TRANSACTION_ABORTABLE -> Errors.TRANSACTION_ABORTABLE;
            case INVALID_PRODUCER_ID_MAPPING -> Errors.INVALID_PRODUCER_ID_MAPPING;
            case PRODUCER_FENCED -> Errors.PRODUCER_FENCED;
            case CONCURRENT_TRANSACTIONS -> Errors.CONCURRENT_TRANSACTIONS;
            case TRANSACTION_COORDINATOR_FENCED -> Errors.TRANSACTION_COORDINATOR_FENCED;
            case NOT_ENOUGH_REPLICAS -> Errors.NOT_ENOUGH_REPLICAS;
            case NOT_ENOUGH_REPLICAS_AFTER_APPEND -> Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
            case POLICY_VIOLATION -> Errors.POLICY_VIOLATION;
            case STORAGE_ERROR, DISK_FULL, SYNC_FAILED, DIRECTORY_REFUSED -> Errors.KAFKA_STORAGE_ERROR;
            case TIMED_OUT, OVERLOADED, PEER_LOST, PEER_REFUSED, PEER_UNREACHABLE -> Errors.REQUEST_TIMED_OUT;
            case NOT_COORDINATOR -> Errors.NOT_COORDINATOR;
            case NOT_CONTROLLER -> Errors.NOT_CONTROLLER;
            case COORDINATOR_LOADING -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
            case COORDINATOR_NOT_AVAILABLE -> Errors.COORDINATOR_NOT_AVAILABLE;
            case INTERNAL -> Errors.UNKNOWN_SERVER_ERROR;
        };
    }
}
