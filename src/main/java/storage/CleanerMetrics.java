package storage;

import common.Metrics;

/** What the cleaner of one shard tells, under Kafka's names. Written on the shard, read by the scraping thread. */
final class CleanerMetrics {

    private static final String MANAGER = "kafka_log_logcleanermanager_";
    private static final String CLEANER = "kafka_log_logcleaner_";
    private static final double PERCENT = 100;

    private volatile double uncleanablePartitions;
    private volatile double uncleanableBytes;
    private volatile double maxDirtyPercent;
    private volatile double maxDelaySeconds;
    private volatile double damagedBytes;
    private volatile double recopyPercent;
    private volatile double bufferPercent;
    private volatile double cleanSeconds;
    private final Metrics.Counter cleanings;
    private final Metrics.Counter failures;

    CleanerMetrics(Metrics metrics, int shard) {
        String[] tags = {"shard", Integer.toString(shard)};
        metrics.gauge(
                MANAGER + "uncleanable_partitions_count",
                "Compacted partitions whose last cleaning failed",
                () -> uncleanablePartitions,
                tags);
        metrics.gauge(MANAGER + "uncleanable_bytes", "Dirty bytes of these partitions", () -> uncleanableBytes, tags);
        metrics.gauge(
                MANAGER + "max_dirty_percent", "Dirty part of the dirtiest partition", () -> maxDirtyPercent, tags);
        metrics.gauge(
                CLEANER + "max_compaction_delay_secs",
                "Longest that a record has waited beyond max.compaction.lag.ms",
                () -> maxDelaySeconds,
                tags);
        metrics.gauge(
                "highwater_log_cleaner_damaged_bytes",
                "Segments that compaction leaves as they are, since some of them is damaged on this disk",
                () -> damagedBytes,
                tags);
        metrics.gauge(
                CLEANER + "cleaner_recopy_percent",
                "Bytes written to bytes read by the last cleaning",
                () -> recopyPercent,
                tags);
        metrics.gauge(
                CLEANER + "max_buffer_utilization_percent",
                "How full the key map was in the last cleaning",
                () -> bufferPercent,
                tags);
        metrics.gauge(CLEANER + "max_clean_time_secs", "Duration of the last cleaning", () -> cleanSeconds, tags);
        cleanings = metrics.counter(CLEANER + "cleanings_total", "Cleanings of a partition that succeeded", tags);
        failures = metrics.counter(CLEANER + "failed_cleanings_total", "Cleanings of a partition that failed", tags);
    }

    void looked(double dirtyRatio, long delayMillis, long damaged) {
        damagedBytes = damaged;
        maxDirtyPercent = dirtyRatio * PERCENT;
        maxDelaySeconds = delayMillis / 1000.0;
    }

    void uncleanable(int partitions, long bytes) {
        uncleanablePartitions = partitions;
        uncleanableBytes = bytes;
    }

    void cleaned(CleaningReport report) {
        cleanings.add(1);
        recopyPercent = report.bytesBefore() == 0 ? 0 : PERCENT * report.bytesAfter() / report.bytesBefore();
        bufferPercent = report.mapUse() * PERCENT;
        cleanSeconds = report.millis() / 1000.0;
    }

    void failed() {
        failures.add(1);
    }
}
