package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link CleanerConfig}: how compacted logs are cleaned. */
final class CleanerKeys {

    private CleanerKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(CleanerConfig.class);
        keys.bool("log.cleaner.enable", true, "false: logs with cleanup.policy=compact are not compacted.");
        keys.int64("log.cleaner.backoff.ms", 15000L, atLeast(0), "Pause of the cleaner when no log is dirty enough.")
                .clusterWide();
        keys.int64(
                        "log.cleaner.dedupe.buffer.size",
                        134217728L,
                        null,
                        "Bytes for the keys of the logs that are being cleaned, 24 a key; an eighth of the heap at most. More keys take several cleanings.")
                .clusterWide();
        keys.float64(
                        "log.cleaner.io.buffer.load.factor",
                        0.9,
                        null,
                        "How full log.cleaner.dedupe.buffer.size may get, 0 to 1; more is slower.")
                .clusterWide();
        keys.int32(
                        "log.cleaner.io.buffer.size",
                        524288,
                        atLeast(0),
                        "Bytes of the buffers by which the cleaner reads and writes.")
                .clusterWide();
        keys.float64(
                        "log.cleaner.io.max.bytes.per.second",
                        Double.MAX_VALUE,
                        null,
                        "Bytes that each storage shard's cleaner reads and writes in a second, at most.")
                .clusterWide();
        keys.withoutEffect("each storage shard has a cleaner of its own");
        keys.int32("log.cleaner.threads", 1, atLeast(0)).clusterWide();
        return keys.list();
    }
}
