package config;

import static config.KeyTable.atLeast;

import java.util.List;

/** Keys of {@link StorageConfig}: where and how logs are kept. */
final class StorageKeys {

    private StorageKeys() {}

    static List<ConfigKey> keys() {
        KeyTable keys = new KeyTable();
        keys.inForce(StorageConfig.class);
        keys.list(
                "log.dir",
                "data",
                null,
                "Directory of the data when log.dirs is not given. Default: data (in the working directory).");
        keys.list("log.dirs", null, null, "Directories of the data, with commas between.");
        keys.string("metadata.log.dir", null, null, "Directory of the metadata log. Default: the first of log.dirs.");
        keys.int64(
                "log.retention.check.interval.ms",
                300000L,
                atLeast(1),
                "How often retention looks for segments to delete.");
        keys.int64(
                "log.flush.scheduler.interval.ms", Long.MAX_VALUE, null, "How often logs are looked at for flush.ms.");
        keys.int32(
                "log.flush.offset.checkpoint.interval.ms", 60000, atLeast(0), "How often recovery points are written.");
        keys.int32(
                "log.flush.start.offset.checkpoint.interval.ms",
                60000,
                atLeast(0),
                "How often log start offsets are written.");
        keys.int32(
                        "producer.id.expiration.ms",
                        86400000,
                        atLeast(1),
                        "A partition forgets an idempotent producer after this time without a batch from it.")
                .clusterWide();
        keys.int32(
                "producer.id.expiration.check.interval.ms",
                600000,
                atLeast(1),
                "How often partitions look for producers to forget.");
        keys.int64(
                "log.initial.task.delay.ms",
                30000L,
                atLeast(0),
                "How long after the start the periodic duties (retention, flushes, checkpoints) begin.");
        keys.int64(
                "log.dir.reserve.bytes",
                67108864L,
                atLeast(0),
                "Free space below which a log directory takes no more records, so that metadata and checkpoints can still be written. New: Kafka stops on a full disk.");
        keys.int32(
                "log.max.open.files",
                -1,
                KeyTable.OPEN_FILES,
                "Segment files kept open at once; those not used lately are closed, and opened again when needed, which costs a request more than its write. -1: half of what the process may open, 16384 at most. New: Kafka keeps all open.");
        keys.int64(
                "log.dir.scrub.bytes.per.second",
                1048576L,
                atLeast(0),
                "How much of a log directory's closed segments is read again and checked each second; 0: nothing. New: Kafka finds rot when somebody reads it.");
        return keys.list();
    }
}
