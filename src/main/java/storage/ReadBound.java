package storage;

/** How far a read may go. */
public enum ReadBound {
    /** Below the high watermark: consumers, read_uncommitted. */
    HIGH_WATERMARK,
    /** Below the last stable offset: consumers, read_committed. */
    LAST_STABLE_OFFSET,
    /** To the end of the log: followers. */
    LOG_END
}
