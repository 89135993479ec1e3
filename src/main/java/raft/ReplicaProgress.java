package raft;

/**
 * How far a replica is, as its leader sees it. Times in ms of the leader's monotonic clock, {@link Long#MIN_VALUE} for never.
 *
 * @param offset of its last valid Fetch, all below it is fsynced there (rule R8); -1 for none
 * @param caughtUp when it last had all that the leader had
 */
public record ReplicaProgress(ReplicaKey key, long offset, long lastFetch, long caughtUp) {}
