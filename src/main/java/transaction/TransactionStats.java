package transaction;

import common.Clock;
import common.Metrics;
import java.util.Arrays;
import java.util.List;

/** What the transaction coordinators of one loop count. Written by their owner; gauges read slightly old numbers from the scraping thread. */
public final class TransactionStats {
    private static final String PREFIX = "kafka_coordinator_transaction_";

    private final Metrics.Counter commits;
    private final Metrics.Counter aborts;
    private final Metrics.Counter timeouts;
    /** By partition; Long.MAX_VALUE where no transaction is open. */
    private long[] oldestStartMillis = {};

    public TransactionStats(Metrics metrics) {
        String ends = PREFIX + "ends_total";
        String help = "Transactions that were decided";
        commits = metrics.counter(ends, help, "result", "commit");
        aborts = metrics.counter(ends, help, "result", "abort");
        timeouts = metrics.counter(
                PREFIX + "timeouts_total", "Transactions that were aborted because they were open for too long");
    }

    /** A gauge over all loops of a node. */
    public static void report(Metrics metrics, Clock clock, List<TransactionStats> all) {
        List<TransactionStats> each = List.copyOf(all);
        metrics.gauge(
                PREFIX + "oldest_open_age_ms",
                "Age of the oldest transaction that is not complete (ms); readers of committed records may wait for it",
                () -> {
                    long oldest = each.stream()
                            .mapToLong(TransactionStats::oldest)
                            .min()
                            .orElse(Long.MAX_VALUE);
                    return oldest == Long.MAX_VALUE ? 0 : Math.max(0, clock.wallMillis() - oldest);
                });
    }

    private long oldest() {
        return Arrays.stream(oldestStartMillis).min().orElse(Long.MAX_VALUE);
    }

    void open(int partition, long oldestMillis) {
        if (partition >= oldestStartMillis.length) {
            int length = oldestStartMillis.length;
            long[] longer = Arrays.copyOf(oldestStartMillis, partition + 1);
            Arrays.fill(longer, length, longer.length, Long.MAX_VALUE);
            oldestStartMillis = longer;
        }
        oldestStartMillis[partition] = oldestMillis;
    }

    void decided(boolean commit) {
        (commit ? commits : aborts).add(1);
    }

    void timedOut() {
        timeouts.add(1);
    }
}
