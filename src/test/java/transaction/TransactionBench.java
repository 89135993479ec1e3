package transaction;

import static org.junit.jupiter.api.Assertions.assertTrue;

import config.BrokerConfig;
import config.TransactionConfig;
import coordinator.Coordinator;
import coordinator.InstantRuntime;
import coordinator.Result;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import metadata.DirectoryId;
import metadata.MetadataDelta;
import metadata.MetadataImage;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataRecords;
import org.apache.kafka.common.Uuid;
import records.schemas.TransactionRecord;
import records.schemas.TransactionRecord.Value;
import sim.SimMetrics;

/** One {@link TransactionShard}, and what the service does about producer ids. */
final class TransactionBench extends InstantRuntime<TransactionShard, TransactionRecord> {
    static final int MAX_TIMEOUT = 900_000;

    private final SimMetrics metrics;
    private long nextProducerId = 1000;

    /** @param topics with three partitions each */
    TransactionBench(MarkerWriter writer, long seed, int featureLevel, String... topics) {
        this(writer, seed, featureLevel, new SimMetrics(), topics);
    }

    private TransactionBench(MarkerWriter writer, long seed, int featureLevel, SimMetrics metrics, String... topics) {
        super(
                TransactionRecord.class,
                TransactionBench::throughBytes,
                context -> new TransactionShard(context, config(), writer, new TransactionStats(metrics)),
                image(featureLevel, topics),
                seed);
        this.metrics = metrics;
    }

    /** How many ends were counted. */
    long ended(boolean commit) {
        return metrics.count("kafka_coordinator_transaction_ends_total", "result", commit ? "commit" : "abort");
    }

    private static TransactionConfig config() {
        return BrokerConfig.parse(new TreeMap<>(Map.of("node.id", "1", "log.dirs", "data")))
                .config()
                .transactions();
    }

    private static MetadataImage image(int featureLevel, String... topics) {
        MetadataDelta delta = new MetadataDelta(MetadataImage.empty("test"));
        long version = 1;
        delta.apply(MetadataRecords.feature("transaction.version", (short) featureLevel), version++);
        for (int i = 0; i < topics.length; i++) {
            delta.apply(MetadataRecords.topic(topics[i], new Uuid(7, i + 1)), version++);
        }
        MetadataDelta withTopics = new MetadataDelta(delta.image(version));
        for (int i = 0; i < topics.length; i++) {
            for (int p = 0; p < 3; p++) {
                PartitionImage partition =
                        new PartitionImage(p, 1, 0, 0, List.of(1), List.of(1), List.of(DirectoryId.UNASSIGNED));
                withTopics.apply(MetadataRecords.partition(new Uuid(7, i + 1), partition), version++);
            }
        }
        return withTopics.image(version);
    }

    private static TransactionRecord throughBytes(TransactionRecord record) {
        byte[] value = record.encodeValue();
        return TransactionRecord.decode(
                ByteBuffer.wrap(record.encodeKey()), value == null ? null : ByteBuffer.wrap(value));
    }

    @Override
    protected long bytes(TransactionRecord record) {
        byte[] value = record.encodeValue();
        return (long) record.encodeKey().length + (value == null ? 0 : value.length);
    }

    /** null when it is not known. */
    Value state(String id) {
        return shard().transactions().get(id);
    }

    Answer<ProducerAnswer> init(Producer producer, int timeoutMillis) {
        return withId(id -> shard -> shard.init().run(producer, timeoutMillis, id));
    }

    Answer<ProducerAnswer> end(Producer producer, boolean commit, int clientVersion) {
        return withId(id -> shard -> shard.ending().run(producer, commit, clientVersion, id));
    }

    private interface Attempt {
        Coordinator.Write<TransactionShard, ProducerAnswer> with(long id);
    }

    /** As the service does: a new producer id only when it is asked for. */
    private Answer<ProducerAnswer> withId(Attempt attempt) {
        Result<?, ProducerAnswer> result = attempt.with(-1).run(shard());
        if (result.response().needsProducerId()) {
            assertTrue(result.records().isEmpty());
            result = attempt.with(nextProducerId++).run(shard());
        }
        Result<?, ProducerAnswer> last = result;
        return write(shard -> last);
    }

    void removeTopic(int index) {
        MetadataDelta delta = new MetadataDelta(image());
        delta.apply(MetadataRecords.removeTopic(new Uuid(7, index + 1)), image().version());
        image(delta.image(image().version() + 1));
    }
}
