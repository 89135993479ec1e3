package storage;

/** A record found by time. offset, timestamp and leaderEpoch are -1 when there is none. */
public record TimestampOffset(long timestampMillis, long offset, int leaderEpoch) {
    public static final TimestampOffset NONE = new TimestampOffset(-1, -1, -1);
}
