package replication;

import common.Metrics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import storage.ActiveProducer;
import storage.LogIdentity;

/**
 * Watches for transactions that stay open in a partition of this shard for longer than a coordinator lets one: then none may know of it, so nothing ends it, and readers
 * of committed records wait there (rule T11). Each is told of once, with what to do. Counts from when it was first seen to be the oldest of its partition, as the
 * times of records are their producers'. Confined to the shard; the gauge reads a slightly old number from the scraping thread.
 */
public final class LateTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(LateTransactions.class);
    /** Beyond the longest time that a producer may ask for: markers may be on their way. As Apache Kafka. */
    private static final long GRACE_MILLIS = 300_000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long lateMillis;
    private Map<LogIdentity, Seen> seen = new LinkedHashMap<>();
    private int late;

    private record Seen(long startOffset, long sinceNanos, boolean late) {}

    /** @param maxTimeoutMillis longest time that a producer may ask for (transaction.max.timeout.ms) */
    public LateTransactions(int maxTimeoutMillis) {
        lateMillis = maxTimeoutMillis + GRACE_MILLIS;
    }

    /** A gauge over all shards of a node, under Kafka's name. */
    public static void report(Metrics metrics, List<LateTransactions> all) {
        List<LateTransactions> each = List.copyOf(all);
        metrics.gauge(
                "kafka_server_replicamanager_partitionswithlatetransactionscount",
                "Partitions with a transaction that is open for longer than any coordinator allows",
                () -> each.stream().mapToInt(LateTransactions::count).sum());
    }

    /** To be called now and then. */
    public void check(Iterable<LeaderReplica> replicas, long nowNanos) {
        Map<LogIdentity, Seen> next = new LinkedHashMap<>();
        int count = 0;
        for (LeaderReplica replica : replicas) {
            ActiveProducer oldest = replica.log().oldestOpenTransaction();
            if (oldest == null) {
                continue;
            }
            LogIdentity where = replica.log().identity();
            Seen before = seen.get(where);
            long start = oldest.currentTransactionStartOffset();
            boolean known = before != null && before.startOffset == start;
            long since = known ? before.sinceNanos : nowNanos;
            boolean isLate = nowNanos - since > lateMillis * NANOS_PER_MILLI;
            next.put(where, new Seen(start, since, isLate));
            count += isLate ? 1 : 0;
            if (isLate && !before.late) {
                tell(where, oldest);
            }
        }
        seen = next;
        late = count;
    }

    private void tell(LogIdentity where, ActiveProducer producer) {
        LOG.warn(
                "{}-{}: a transaction of producer {} (epoch {}) is open from offset {} on for more than {} ms, longer than any producer may ask for; readers of"
                        + " committed records wait there. If highwater transactions list does not show it, no coordinator will end it. To abort it here:"
                        + " highwater transactions abort --partition {}:{} --start-offset {}",
                where.topic(),
                where.partition(),
                producer.producerId(),
                producer.producerEpoch(),
                producer.currentTransactionStartOffset(),
                lateMillis,
                where.topic(),
                where.partition(),
                producer.currentTransactionStartOffset());
    }

    /** Of the last check. */
    int count() {
        return late;
    }
}
