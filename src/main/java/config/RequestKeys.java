package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link RequestConfig}: bounds of requests. */
final class RequestKeys {

    private RequestKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(RequestConfig.class);
        keys.int32("fetch.max.bytes", 57671680, atLeast(1024), "Largest fetch answer.");
        keys.int32("max.incremental.fetch.session.cache.slots", 1000, atLeast(0), "Incremental fetch sessions kept.");
        keys.int32(
                "max.request.partition.size.limit",
                2000,
                atLeast(1),
                "Partitions in one answer of DescribeTopicPartitions.");
        keys.string(
                "replica.selector.class",
                null,
                null,
                "org.apache.kafka.common.replica.RackAwareReplicaSelector sends consumers to a replica in their rack (client.rack); other classes are not loaded.");
        keys.int32("request.timeout.ms", 30000, null, "Deadline of a step inside the node when the client gives none.");
        return keys.list();
    }
}
