package group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import config.BrokerConfig;
import config.GroupConfig;
import coordinator.InstantRuntime;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;
import records.schemas.GroupRecord;
import records.schemas.GroupRecordCodec;

/** One {@link GroupShard}. */
public final class ShardBench extends InstantRuntime<GroupShard, GroupRecord> {
    private final GroupCounts counts;

    public ShardBench(GroupConfig config, MetadataImage image, long seed) {
        this(config, image, seed, new GroupCounts());
    }

    private ShardBench(GroupConfig config, MetadataImage image, long seed, GroupCounts counts) {
        super(
                GroupRecord.class,
                ShardBench::throughBytes,
                context -> new GroupShard(context, config, counts),
                image,
                seed);
        this.counts = counts;
    }

    /** The broker's settings, as {@code key=value}. */
    public static GroupConfig config(String... settings) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("node.id", "1");
        properties.put("log.dirs", "data");
        for (String each : settings) {
            String[] parts = each.split("=", 2);
            properties.put(parts[0], parts[1]);
        }
        BrokerConfig.Parsed parsed = BrokerConfig.parse(properties);
        assertEquals(List.of(), parsed.problems());
        return parsed.config().groups();
    }

    private static GroupRecord throughBytes(GroupRecord record) {
        byte[] value = GroupRecordCodec.encodeValue(record);
        return GroupRecordCodec.decode(
                ByteBuffer.wrap(GroupRecordCodec.encodeKey(record)), value == null ? null : ByteBuffer.wrap(value));
    }

    @Override
    protected long bytes(GroupRecord record) {
        byte[] value = GroupRecordCodec.encodeValue(record);
        return (long) GroupRecordCodec.encodeKey(record).length + (value == null ? 0 : value.length);
    }

    GroupCounts counts() {
        return counts;
    }

    /** The shard becomes one of another log. */
    void take(ShardBench other) {
        replaceLog(other.log());
        reload();
    }

    /** As compaction does: of each key only the last record stays, and no tombstone. Takes effect with the next {@link #reload}. */
    void compact() {
        Map<ByteBuffer, GroupRecord> latest = new LinkedHashMap<>();
        for (GroupRecord record : log()) {
            ByteBuffer key = ByteBuffer.wrap(GroupRecordCodec.encodeKey(record));
            latest.remove(key);
            latest.put(key, record);
        }
        replaceLog(latest.values().stream().filter(each -> !each.tombstone()).toList());
    }
}
