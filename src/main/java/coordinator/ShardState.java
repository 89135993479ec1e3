package coordinator;

/** Where one partition's shard is in its life. */
enum ShardState {
    /** Not led here. */
    RESIGNED,
    /** Its log is being read, or waits to be. */
    LOADING,
    /** Takes requests. */
    ACTIVE,
    /** Could not be loaded; tried again. */
    FAILED
}
