package config;

/**
 * How leaders of partitions look after their followers.
 *
 * @param lagMillis a follower that has not caught up for so long leaves the ISR (replica.lag.time.max.ms)
 */
public record ReplicationConfig(long lagMillis) {

    /** How often leaders look for followers that lag: at least twice in that time. */
    public long lagCheckMillis() {
        return Math.max(50, lagMillis / 2);
    }
}
