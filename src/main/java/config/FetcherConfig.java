package config;

/**
 * How followers fetch from leaders, and how fast those that are not in sync may.
 *
 * @param partitionMaxBytes of one partition in an answer, save that its first batch comes whole (replica.fetch.max.bytes)
 * @param responseMaxBytes of an answer, with the same exception (replica.fetch.response.max.bytes)
 * @param minBytes the leader waits for so many (replica.fetch.min.bytes)
 * @param maxWaitMillis but no longer than this (replica.fetch.wait.max.ms)
 * @param backoffMaxMillis longest pause between attempts that fail; they begin much sooner (replica.fetch.backoff.ms)
 * @param timeoutMillis a leader that has not answered so long after the wait has no connection any more (replica.socket.timeout.ms)
 * @param leaderBytesPerSecond, followerBytesPerSecond of throttled replicas from and to this broker, Long.MAX_VALUE: no limit (leader.replication.throttled.rate,
 *     follower.replication.throttled.rate)
 * @param rateSamples, rateSampleSeconds over which that is counted (replication.quota.window.num, replication.quota.window.size.seconds)
 */
public record FetcherConfig(
        int partitionMaxBytes,
        int responseMaxBytes,
        int minBytes,
        int maxWaitMillis,
        int backoffMaxMillis,
        int timeoutMillis,
        long leaderBytesPerSecond,
        long followerBytesPerSecond,
        int rateSamples,
        int rateSampleSeconds) {}
