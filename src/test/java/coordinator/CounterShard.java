package coordinator;

import common.Callback;
import common.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.MetadataImage;

/** The smallest shard with everything in it: sums by name. */
final class CounterShard implements CoordinatorShard<CounterShard.Add> {
    static final RecordCodec<Add> CODEC = new Codec();

    /** Adding this breaks {@link #replay}. */
    static final long POISON = Long.MIN_VALUE;

    /** That each addition is said to take. */
    static final int BYTES = 100;

    final ShardContext<Add> context;
    final Map<String, Long> sums = new TreeMap<>();
    final List<Callback<Long>> parked = new ArrayList<>();
    final List<String> events;
    int applied;

    record Add(String name, long amount) {}

    CounterShard(ShardContext<Add> context, List<String> events) {
        this.context = context;
        this.events = events;
    }

    @Override
    public void replay(Add record) {
        if (record.amount == POISON) {
            sums.put(record.name, -1L);
            throw new IllegalStateException("planted");
        }
        sums.merge(record.name, record.amount, Long::sum);
        context.memory().add(BYTES);
        applied++;
    }

    @Override
    public void loaded() {
        events.add("loaded " + applied);
    }

    @Override
    public void imageChanged(MetadataImage before, MetadataImage now) {
        events.add("image " + before.version() + " -> " + now.version());
    }

    @Override
    public void unloaded(Failure why) {
        events.add("unloaded " + why.code());
        List<Callback<Long>> all = List.copyOf(parked);
        parked.clear();
        all.forEach(each -> each.fail(why));
    }

    /** Answers the sum after it. */
    Result<Add, Long> add(String name, long amount) {
        return Result.of(List.of(new Add(name, amount)), sum(name) + amount);
    }

    long sum(String name) {
        return sums.getOrDefault(name, 0L);
    }

    private static final class Codec implements RecordCodec<Add> {
        @Override
        public ByteBuffer key(Add record) {
            return ByteBuffer.wrap(record.name.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public ByteBuffer value(Add record) {
            return ByteBuffer.allocate(8).putLong(record.amount).flip();
        }

        @Override
        public Add decode(ByteBuffer key, ByteBuffer value) {
            byte[] name = new byte[key.remaining()];
            key.duplicate().get(name);
            return new Add(new String(name, StandardCharsets.UTF_8), value.getLong(value.position()));
        }
    }
}
