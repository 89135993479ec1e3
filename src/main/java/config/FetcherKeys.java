package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link FetcherConfig}: how followers fetch from leaders. */
final class FetcherKeys {

    private FetcherKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(FetcherConfig.class);
        keys.int32(
                "replica.fetch.backoff.ms",
                1000,
                atLeast(0),
                "Longest pause of a follower between attempts that fail; the first ones come sooner.");
        keys.int32(
                "replica.fetch.max.bytes",
                1048576,
                atLeast(0),
                "Bytes of one partition in an answer to a follower, save that a batch comes whole.");
        keys.int32(
                "replica.fetch.min.bytes", 1, null, "A leader waits for so many bytes before it answers a follower.");
        keys.int32(
                "replica.fetch.response.max.bytes",
                10485760,
                atLeast(0),
                "Bytes of an answer to a follower, save that a batch comes whole.");
        keys.int32(
                "replica.fetch.wait.max.ms", 500, null, "A leader waits no longer than this for a follower's bytes.");
        keys.int32(
                "replica.socket.timeout.ms",
                5000,
                null,
                "A follower gives a connection up when a leader has not answered for so long, the wait apart.");
        keys.int64(
                        "leader.replication.throttled.rate",
                        Long.MAX_VALUE,
                        atLeast(0),
                        "Bytes per second to followers of the partitions in leader.replication.throttled.replicas that are not in sync.")
                .clusterWide();
        keys.int64(
                        "follower.replication.throttled.rate",
                        Long.MAX_VALUE,
                        atLeast(0),
                        "Bytes per second of the partitions in follower.replication.throttled.replicas that are not in sync here.")
                .clusterWide();
        keys.int32("replication.quota.window.num", 11, atLeast(1), "Samples over which throttled bytes are counted.");
        keys.int32("replication.quota.window.size.seconds", 1, atLeast(1), "Length of such a sample.");
        return keys.list();
    }
}
