package sim;

import org.apache.kafka.common.protocol.Errors;

/** What an error code says about a produced record. */
final class SimOutcomes {
    private SimOutcomes() {}

    /** May be tried again; whether it was done is not known. */
    static boolean retriable(Errors error) {
        return switch (error) {
            case NOT_LEADER_OR_FOLLOWER,
                    LEADER_NOT_AVAILABLE,
                    OFFSET_NOT_AVAILABLE,
                    REQUEST_TIMED_OUT,
                    NOT_ENOUGH_REPLICAS,
                    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                    KAFKA_STORAGE_ERROR,
                    NETWORK_EXCEPTION,
                    BROKER_NOT_AVAILABLE,
                    THROTTLING_QUOTA_EXCEEDED,
                    COORDINATOR_NOT_AVAILABLE,
                    COORDINATOR_LOAD_IN_PROGRESS -> true;
            default -> false;
        };
    }

    /** Said: it is not done and will not be (V3). */
    static boolean surelyNotDone(Errors error) {
        return switch (error) {
            case MESSAGE_TOO_LARGE,
                    RECORD_LIST_TOO_LARGE,
                    CORRUPT_MESSAGE,
                    INVALID_RECORD,
                    INVALID_TIMESTAMP,
                    INVALID_REQUIRED_ACKS,
                    UNSUPPORTED_COMPRESSION_TYPE,
                    UNSUPPORTED_FOR_MESSAGE_FORMAT,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    NOT_ENOUGH_REPLICAS -> true;
            default -> false;
        };
    }
}
