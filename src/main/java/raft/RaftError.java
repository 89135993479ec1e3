package raft;

/** Outcomes of Raft requests; names of Kafka's error codes (rule R14). */
public enum RaftError {
    NONE,
    INCONSISTENT_CLUSTER_ID,
    FENCED_LEADER_EPOCH,
    NOT_LEADER_OR_FOLLOWER,
    INVALID_VOTER_KEY,
    INVALID_REQUEST,
    VOTER_NOT_FOUND,
    DUPLICATE_VOTER,
    REQUEST_TIMED_OUT,
    SNAPSHOT_NOT_FOUND,
    POSITION_OUT_OF_RANGE,
    UNKNOWN_SERVER_ERROR
}
