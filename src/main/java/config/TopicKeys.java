package config;

import static config.KeyTable.GZIP_LEVEL;
import static config.KeyTable.atLeast;
import static config.KeyTable.between;
import static config.KeyTable.oneOf;
import static config.KeyTable.subsetOf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigException;

/** All topic-level keys: Kafka's and ours, by name; with the broker keys that give their default. */
public final class TopicKeys {

    /**
     * A broker key that gives a topic key's default.
     *
     * @param factor milliseconds in its unit; 0: the value is taken as it is
     */
    public record Synonym(String brokerKey, long factor) {}

    private static final Map<String, ConfigKey> ALL = collect();
    private static final Map<String, List<Synonym>> SYNONYMS = Collections.unmodifiableMap(synonymTable());

    private TopicKeys() {}

    /** Sorted by name. */
    public static Collection<ConfigKey> all() {
        return ALL.values();
    }

    /** null when unknown. */
    public static ConfigKey get(String name) {
        return ALL.get(name);
    }

    /** Broker keys that give the default of a topic key, the strongest first; empty when there are none. */
    public static List<Synonym> synonyms(String name) {
        return SYNONYMS.getOrDefault(name, List.of());
    }

    private static Map<String, ConfigKey> collect() {
        KeyTable keys = new KeyTable();
        keys.inForce(LogConfig.class);
        segments(keys);
        retention(keys);
        messages(keys);
        replicas(keys);
        notInForce(keys);
        TreeMap<String, ConfigKey> all = new TreeMap<>();
        for (ConfigKey key : keys.list()) {
            all.put(key.name(), key);
        }
        return Collections.unmodifiableMap(all);
    }

    private static void segments(KeyTable keys) {
        keys.int32(
                "segment.bytes",
                1073741824,
                atLeast(1024 * 1024),
                "A segment is closed when it would grow beyond this.");
        keys.int32("internal.segment.bytes", null, null, "As segment.bytes, without its lower bound; for tests.");
        keys.int64(
                "segment.ms", 604800000L, atLeast(1), "A segment is closed when its first record is older than this.");
        keys.int64(
                "segment.jitter.ms",
                0L,
                atLeast(0),
                "A random part of segment.ms, up to this, is taken off so that segments do not all close at once.");
        keys.int32(
                "segment.index.bytes",
                10485760,
                atLeast(4),
                "A segment is closed when its offset or time index has reached this size.");
        keys.int32("index.interval.bytes", 4096, atLeast(0), "Bytes of records per index entry.");
        keys.bool("preallocate", false, "Room for a new segment is reserved on the disk at once.");
        keys.int64(
                "file.delete.delay.ms",
                60000L,
                atLeast(0),
                "Time between taking a file out of the log and removing it.");
        keys.int64(
                "flush.messages",
                Long.MAX_VALUE,
                atLeast(1),
                "The log is synced to the disk after this many records; 1: acknowledged records are durable.");
        keys.int64("flush.ms", Long.MAX_VALUE, atLeast(0), "The log is synced to the disk after this time.");
    }

    private static void retention(KeyTable keys) {
        keys.list(
                "cleanup.policy",
                "delete",
                subsetOf("compact", "delete"),
                "delete: old segments go by age and size; compact: of each key the last record stays; both; empty: nothing goes.");
        keys.int64(
                "delete.retention.ms",
                86400000L,
                atLeast(0),
                "After compaction a deletion (a record without value) stays this long, so that readers see it.");
        keys.int64(
                "max.compaction.lag.ms",
                Long.MAX_VALUE,
                atLeast(1),
                "A record is compacted after this time, however little of the log is dirty.");
        keys.int64("min.compaction.lag.ms", 0L, atLeast(0), "A record stays uncompacted for at least this time.");
        keys.float64(
                "min.cleanable.dirty.ratio",
                0.5,
                between(0, 1),
                "A log is compacted when more than this part of it has not been compacted yet.");
        keys.int64(
                "retention.bytes", -1L, null, "Old segments go when the partition is larger than this; -1: no limit.");
        keys.int64(
                "retention.ms",
                604800000L,
                atLeast(-1),
                "Segments go when their newest record is older than this; -1: no limit.");
    }

    private static void messages(KeyTable keys) {
        keys.int32("max.message.bytes", 1048588, atLeast(0), "Largest record batch that is accepted.");
        keys.int32(
                "max.decompressed.message.bytes",
                2147483639,
                between(1, 2147483639),
                "Largest size of a compressed batch once it is decompressed.");
        keys.string(
                "message.timestamp.type",
                "CreateTime",
                oneOf("CreateTime", "LogAppendTime"),
                "Whose clock stamps records.");
        keys.int64(
                "message.timestamp.before.max.ms",
                Long.MAX_VALUE,
                atLeast(0),
                "A record's time may lie this far in the past.");
        keys.int64(
                "message.timestamp.after.max.ms",
                3600000L,
                atLeast(0),
                "A record's time may lie this far in the future.");
        keys.string(
                "compression.type",
                "producer",
                oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
                "How batches are stored; producer: as they came.");
        keys.int32("compression.gzip.level", -1, GZIP_LEVEL, "Level when this broker compresses with gzip.");
        keys.int32("compression.lz4.level", 9, between(1, 17), "Level when this broker compresses with lz4.");
        keys.int32("compression.zstd.level", 3, between(-131072, 22), "Level when this broker compresses with zstd.");
        keys.string(
                "record.validation",
                "full",
                oneOf("full", "header"),
                "full: every record of a batch is checked; header: only the batch is. New: a lying batch poisons readers, but trusted producers may skip the cost.");
    }

    private static void replicas(KeyTable keys) {
        keys.int32(
                "min.insync.replicas",
                1,
                atLeast(1),
                "acks=all needs so many replicas in sync, or all of them where a partition has fewer; else NOT_ENOUGH_REPLICAS.");
        keys.list(
                "follower.replication.throttled.replicas",
                "",
                KeyTable.THROTTLED,
                "Replicas, as partition:broker or * for all, that are copied no faster than follower.replication.throttled.rate while not in sync.");
        keys.list(
                "leader.replication.throttled.replicas",
                "",
                KeyTable.THROTTLED,
                "Replicas, as partition:broker or * for all, from which others that are not in sync are copied no faster than leader.replication.throttled.rate.");
        keys.bool(
                "unclean.leader.election.enable",
                false,
                "A replica that lacks acknowledged records leads when nobody else can: they are lost then.");
    }

    private static void notInForce(KeyTable keys) {
        keys.refused("tiered (remote) storage is not built; allowed: the default");
        keys.int64("local.retention.bytes", -2L, atLeast(-2));
        keys.int64("local.retention.ms", -2L, atLeast(-2));
        keys.int64("remote.copy.lag.bytes", -1L, atLeast(-1));
        keys.int64("remote.copy.lag.ms", 0L, atLeast(-1));
        keys.bool("remote.log.copy.disable", false);
        keys.bool("remote.log.delete.on.disable", false);
        keys.bool("remote.storage.enable", false);
        keys.refused("share groups are not served yet; allowed: the default");
        keys.bool("errors.deadletterqueue.group.enable", false);
    }

    private static Map<String, List<Synonym>> synonymTable() {
        Map<String, List<Synonym>> table = new LinkedHashMap<>();
        String[][] same = {
            {"segment.bytes", "log.segment.bytes"},
            {"segment.index.bytes", "log.index.size.max.bytes"},
            {"index.interval.bytes", "log.index.interval.bytes"},
            {"preallocate", "log.preallocate"},
            {"file.delete.delay.ms", "log.segment.delete.delay.ms"},
            {"flush.messages", "log.flush.interval.messages"},
            {"flush.ms", "log.flush.interval.ms", "log.flush.scheduler.interval.ms"},
            {"cleanup.policy", "log.cleanup.policy"},
            {"retention.bytes", "log.retention.bytes"},
            {"max.message.bytes", "message.max.bytes"},
            {"max.decompressed.message.bytes", "max.decompressed.message.bytes"},
            {"message.timestamp.type", "log.message.timestamp.type"},
            {"message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"},
            {"message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"},
            {"compression.type", "compression.type"},
            {"compression.gzip.level", "compression.gzip.level"},
            {"compression.lz4.level", "compression.lz4.level"},
            {"compression.zstd.level", "compression.zstd.level"},
            {"min.insync.replicas", "min.insync.replicas"},
            {"unclean.leader.election.enable", "unclean.leader.election.enable"},
            {"record.validation", "record.validation"},
            {"delete.retention.ms", "log.cleaner.delete.retention.ms"},
            {"max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"},
            {"min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"},
            {"min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"},
            {"local.retention.bytes", "log.local.retention.bytes"},
            {"local.retention.ms", "log.local.retention.ms"},
            {"remote.copy.lag.bytes", "log.remote.copy.lag.bytes"},
            {"remote.copy.lag.ms", "log.remote.copy.lag.ms"}
        };
        for (String[] row : same) {
            List<Synonym> synonyms = new ArrayList<>();
            for (int i = 1; i < row.length; i++) {
                synonyms.add(new Synonym(row[i], 0));
            }
            table.put(row[0], List.copyOf(synonyms));
        }
        long hour = 3600_000L;
        table.put("segment.ms", List.of(new Synonym("log.roll.ms", 0), new Synonym("log.roll.hours", hour)));
        table.put(
                "segment.jitter.ms",
                List.of(new Synonym("log.roll.jitter.ms", 0), new Synonym("log.roll.jitter.hours", hour)));
        table.put(
                "retention.ms",
                List.of(
                        new Synonym("log.retention.ms", 0),
                        new Synonym("log.retention.minutes", 60_000L),
                        new Synonym("log.retention.hours", hour)));
        return table;
    }

    /** What is wrong with a topic's own settings, in Kafka's words where it has any; null when nothing is. No value may be null. */
    public static String problem(Map<String, String> settings) {
        for (String name : settings.keySet()) {
            if (!ALL.containsKey(name)) {
                return "Unknown topic config name: " + name;
            }
        }
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            String problem = ALL.get(setting.getKey()).problem(setting.getValue());
            if (problem == null) {
                problem = refusal(setting.getKey(), setting.getValue());
            }
            if (problem != null) {
                return problem;
            }
        }
        long leastLag = (Long) value(settings, "min.compaction.lag.ms");
        long mostLag = (Long) value(settings, "max.compaction.lag.ms");
        return leastLag <= mostLag
                ? null
                : "conflict topic config setting min.compaction.lag.ms (" + leastLag + ") > max.compaction.lag.ms ("
                        + mostLag + ")";
    }

    private static Object value(Map<String, String> settings, String name) {
        String given = settings.get(name);
        return given == null ? ALL.get(name).defaultValue() : ALL.get(name).parse(given);
    }

    /** Why a well-formed value cannot be given yet; null when it can. */
    static String refusal(String name, String value) {
        ConfigKey key = ALL.get(name);
        if (key.standing() == ConfigKey.Standing.REFUSED && !key.isDefault(value)) {
            return new ConfigException(name, value, key.text()).getMessage();
        }
        return null;
    }
}
