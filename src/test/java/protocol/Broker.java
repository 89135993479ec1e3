package protocol;

import common.PartitionId;
import config.RequestConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import services.FetchService;
import services.FetchSessions;
import services.OffsetService;
import services.ProduceService;
import services.ProducerIdService;
import services.TransactionCoordinators;
import services.TransactionService;
import sim.NoMetrics;

/** The data plane's handlers over a {@link FakeShard}, behind one connection. */
final class Broker {
    static final Uuid ORDERS = new Uuid(11, 12);
    static final Uuid INTERNAL = new Uuid(13, 14);
    static final Uuid COPIED = new Uuid(15, 16);

    final FakeShard shard = new FakeShard();
    final FetchSessions sessions;
    final Wire wire;
    private final Random random;
    private long nextProducerId = 1000;
    private int correlation;

    Broker(long seed) {
        random = new Random(seed);
        ManualClock clock = new ManualClock();
        sessions = new FetchSessions(
                clock,
                new common.RandomSource() {
                    @Override
                    public int below(int bound) {
                        return random.nextInt(bound);
                    }

                    @Override
                    public long nextLong() {
                        return random.nextLong();
                    }
                },
                new NoMetrics(),
                10);
        Images images = new Images()
                .broker(1, null, 9092)
                .broker(2, "two.example", 9094)
                .topic("orders", ORDERS, 3, 1)
                .topic("__consumer_offsets", INTERNAL, 1, 1)
                .topic("copied", COPIED, 1, 1, List.of(1, 2))
                .feature("metadata.version", 33);
        wire = new Wire(
                DataPlane.handlers(
                        1,
                        new ProduceService(shard, 1),
                        new FetchService(shard, 1, 0),
                        sessions,
                        new RequestConfig(50 << 20, 10, 2_000, 30_000, true),
                        new OffsetService(shard, 1),
                        new InitProducerIdHandler(
                                (image, done) -> done.succeed(nextProducerId++),
                                new TransactionService(
                                        new TransactionCoordinators(shard, 1),
                                        new ProducerIdService(shard, 1),
                                        1_000))),
                images.image());
    }

    FakeShard.Log log(int partition) {
        return shard.log(new PartitionId(ORDERS, partition));
    }

    static MemoryRecords batch(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(values[i].getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return MemoryRecords.withRecords(Compression.NONE, records);
    }

    /** Sends a request, cut at random, and returns its response; null if none came. */
    ApiMessage ask(ApiKeys key, int version, ApiMessage request) {
        send(key, version, request);
        settle();
        List<ByteBuffer> frames = wire.transport.frames();
        if (frames.isEmpty()) {
            return null;
        }
        if (frames.size() != 1) {
            throw new AssertionError(frames.size() + " responses");
        }
        return Wire.response(key, (short) version, correlation, frames.get(0));
    }

    void send(ApiKeys key, int version, ApiMessage request) {
        wire.read(Wire.request(key, (short) version, ++correlation, request), random);
    }

    /** The response to the Fetch request sent so many before the last one. */
    ApiMessage response(int version, int before, ByteBuffer frame) {
        return Wire.response(ApiKeys.FETCH, (short) version, correlation - before, frame);
    }

    void settle() {
        shard.run();
        wire.loop();
    }

    static List<Short> versions(ApiKeys key) {
        List<Short> all = new ArrayList<>();
        for (short version = key.oldestVersion(); version <= key.latestVersion(false); version++) {
            all.add(version);
        }
        return all;
    }
}
