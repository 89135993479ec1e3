package coordinator;

import common.Metrics;
import java.util.List;

/** What a runtime counts. Written by its owner; gauges read slightly old numbers from the scraping thread. */
public final class RuntimeStats {
    private static final long LOAD_WINDOW_NANOS = 30_000_000_000L;

    private final Metrics.Counter events;
    private final Metrics.Counter batches;
    private final Metrics.Counter records;
    private final Metrics.Counter bytes;
    private final Metrics.Counter failedAppends;
    private final Metrics.Histogram appendTimes;
    private final Metrics.Counter refused;
    private int loading;
    private int active;
    private int failed;
    private long stateBytes;
    private long windowStartNanos;
    private long maxLoadMillis;
    private long loadMillis;
    private long loads;

    /** @param prefix of the metrics' names, e.g. kafka_server_group_coordinator_metrics */
    public RuntimeStats(Metrics metrics, String prefix) {
        events = metrics.counter(prefix + "_events_total", "Requests and timers that coordinators have run");
        batches = metrics.counter(prefix + "_batch_flush_total", "Batches that coordinators have appended");
        records = metrics.counter(prefix + "_records_total", "Records that coordinators have appended");
        bytes = metrics.counter(prefix + "_batch_bytes_total", "Bytes of the batches that coordinators have appended");
        failedAppends = metrics.counter(
                prefix + "_failed_appends_total",
                "Appends that failed; each makes a coordinator load its partition again");
        refused = metrics.counter(
                prefix + "_state_refusals_total",
                "Requests that were refused because coordinators keep as much in memory as they may");
        appendTimes = metrics.histogram(prefix + "_batch_flush_time_ms", "Time from an append to its commit");
    }

    /** Gauges over all runtimes of a node, under Kafka's names. */
    public static void report(Metrics metrics, String prefix, List<RuntimeStats> all) {
        List<RuntimeStats> each = List.copyOf(all);
        String states = prefix + "_num_partitions";
        String help = "Partitions of coordinators by state";
        metrics.gauge(states, help, () -> each.stream().mapToInt(s -> s.loading).sum(), "state", "loading");
        metrics.gauge(states, help, () -> each.stream().mapToInt(s -> s.active).sum(), "state", "active");
        metrics.gauge(states, help, () -> each.stream().mapToInt(s -> s.failed).sum(), "state", "failed");
        metrics.gauge(
                prefix + "_state_bytes",
                "Memory that coordinators take for ids, groups and offsets, as they reckon it",
                () -> each.stream().mapToLong(s -> s.stateBytes).sum());
        metrics.gauge(
                prefix + "_partition_load_time_max",
                "Longest time (ms) that a partition took to load, in the last window of 30 s with a load",
                () -> each.stream().mapToLong(s -> s.maxLoadMillis).max().orElse(0));
        metrics.gauge(
                prefix + "_partition_load_time_avg",
                "Average time (ms) that a partition took to load, in the last window of 30 s with a load",
                () -> each.stream().mapToLong(s -> s.loadMillis).sum()
                        / (double) Math.max(
                                1, each.stream().mapToLong(s -> s.loads).sum()));
    }

    void event() {
        events.add(1);
    }

    void appending(int recordCount, int byteCount) {
        batches.add(1);
        records.add(recordCount);
        bytes.add(byteCount);
    }

    void appended(long nanos, boolean success) {
        appendTimes.record(nanos);
        if (!success) {
            failedAppends.add(1);
        }
    }

    void keeps(long bytes) {
        stateBytes = bytes;
    }

    void refused() {
        refused.add(1);
    }

    void loaded(long nowNanos, long millis) {
        if (loads == 0 || nowNanos - windowStartNanos > LOAD_WINDOW_NANOS) {
            windowStartNanos = nowNanos;
            maxLoadMillis = 0;
            loadMillis = 0;
            loads = 0;
        }
        maxLoadMillis = Math.max(maxLoadMillis, millis);
        loadMillis += millis;
        loads++;
    }

    void moved(ShardState from, ShardState to) {
        count(from, -1);
        count(to, 1);
    }

    private void count(ShardState state, int change) {
        switch (state) {
            case LOADING -> loading += change;
            case ACTIVE -> active += change;
            case FAILED -> failed += change;
            case RESIGNED -> {}
        }
    }
}
