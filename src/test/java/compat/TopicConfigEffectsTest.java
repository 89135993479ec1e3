package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Sets each topic config to a value that is not its default and looks for what that changes, in the broker's answers or in its files; a setting without
 * an effect would be a lie. Keys that are not in force yet must be refused.
 */
@ExtendWith(BrokerExtension.class)
class TopicConfigEffectsTest {
    private static final long NOW = System.currentTimeMillis();
    private static final long HOUR = 3_600_000;

    /** Refused until what they are for exists (tiering, share groups). */
    private static final Map<String, String> REFUSED = new TreeMap<>(Map.ofEntries(
            Map.entry("local.retention.bytes", "5"),
            Map.entry("local.retention.ms", "5"),
            Map.entry("remote.copy.lag.bytes", "5"),
            Map.entry("remote.copy.lag.ms", "5"),
            Map.entry("remote.log.copy.disable", "true"),
            Map.entry("remote.log.delete.on.disable", "true"),
            Map.entry("remote.storage.enable", "true"),
            Map.entry("errors.deadletterqueue.group.enable", "true")));

    /**
     * Without an effect that a client of a single broker could see. min.insync.replicas counts up to the number of replicas only, so that a topic of one
     * replica takes records with any value, as in Kafka.
     */
    private static final List<String> UNSEEN = List.of(
            "follower.replication.throttled.replicas",
            "leader.replication.throttled.replicas",
            "unclean.leader.election.enable",
            "record.validation",
            "internal.segment.bytes",
            "min.insync.replicas");

    /** In {@link CompactionTest}. */
    private static final List<String> COMPACTION = List.of(
            "delete.retention.ms", "max.compaction.lag.ms", "min.compaction.lag.ms", "min.cleanable.dirty.ratio");

    private TestBroker broker;
    private Clients clients;

    private interface Effect {
        void check() throws Exception;
    }

    @BeforeEach
    void open(TestBroker running) {
        broker = running;
        clients = new Clients(running);
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    @TestFactory
    Stream<DynamicTest> eachSettingHasItsEffect() {
        return effects().entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey(), () -> entry.getValue().check()));
    }

    @Test
    void noKeyIsForgotten() throws Exception {
        String topic = clients.topic(1);
        TreeSet<String> known = new TreeSet<>(effects().keySet());
        known.addAll(REFUSED.keySet());
        known.addAll(UNSEEN);
        known.addAll(COMPACTION);
        TreeSet<String> all = new TreeSet<>();
        var resource = new org.apache.kafka.common.config.ConfigResource(
                org.apache.kafka.common.config.ConfigResource.Type.TOPIC, topic);
        clients.admin()
                .describeConfigs(List.of(resource))
                .all()
                .get()
                .get(resource)
                .entries()
                .forEach(entry -> all.add(entry.name()));
        all.removeAll(known);
        assertEquals(new TreeSet<>(), all);
    }

    @Test
    void oneReplicaIsEnoughWhereThereIsOnlyOne() throws Exception {
        TopicPartition partition = topic("min.insync.replicas", "2");
        send(partition, NOW, 10);
        assertEquals(1, latest(partition));
    }

    @TestFactory
    Stream<DynamicTest> whatIsNotInForceIsRefused() {
        return REFUSED.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> {
                    NewTopic topic =
                            new NewTopic("refused", 1, (short) 1).configs(Map.of(entry.getKey(), entry.getValue()));
                    assertFails(
                            InvalidConfigurationException.class,
                            clients.admin().createTopics(List.of(topic)).all());
                }));
    }

    private Map<String, Effect> effects() {
        Map<String, Effect> effects = new TreeMap<>();
        effects.put("segment.bytes", () -> rolls("segment.bytes", "1048576", 12, 300_000, NOW, 0));
        effects.put("segment.ms", () -> rolls("segment.ms", "1000", 4, 10, NOW - HOUR, 1_001));
        effects.put("segment.index.bytes", this::indexFullRolls);
        effects.put("segment.jitter.ms", this::jitterSpreadsRolls);
        effects.put("index.interval.bytes", this::indexEntries);
        effects.put("flush.messages", () -> flushed("flush.messages", "1"));
        effects.put("flush.ms", () -> flushed("flush.ms", "50"));
        effects.put("retention.bytes", () -> retained("retention.bytes", "1048576", NOW));
        effects.put("retention.ms", () -> retained("retention.ms", "60000", NOW - HOUR));
        effects.put("cleanup.policy", this::nothingGoesWithoutPolicy);
        effects.put("file.delete.delay.ms", this::deletedFilesStay);
        effects.put("preallocate", this::roomIsReserved);
        effects.put(
                "max.message.bytes",
                () -> refused("max.message.bytes", "5000", NOW, 6_000, RecordTooLargeException.class));
        effects.put(
                "message.timestamp.before.max.ms",
                () -> refused(
                        "message.timestamp.before.max.ms", "1000", NOW - HOUR, 1, InvalidTimestampException.class));
        effects.put(
                "message.timestamp.after.max.ms",
                () -> refused(
                        "message.timestamp.after.max.ms", "1000", NOW + HOUR / 2, 1, InvalidTimestampException.class));
        effects.put("message.timestamp.type", this::brokersClock);
        effects.put("compression.type", this::storedAs);
        effects.put("compression.gzip.level", () -> levelMatters("gzip", "compression.gzip.level", "1", "9"));
        effects.put("compression.lz4.level", () -> levelMatters("lz4", "compression.lz4.level", "1", "17"));
        effects.put("compression.zstd.level", () -> levelMatters("zstd", "compression.zstd.level", "-10000", "19"));
        effects.put("max.decompressed.message.bytes", this::bombsAreRefused);
        return effects;
    }

    private void rolls(String key, String value, int records, int bytes, long firstTime, long step) throws Exception {
        TopicPartition with = topic(key, value);
        TopicPartition without = topic();
        for (TopicPartition partition : List.of(with, without)) {
            for (int i = 0; i < records; i++) {
                send(partition, firstTime + i * step, bytes);
            }
        }
        assertEquals(1, files(without).segments());
        assertTrue(files(with).segments() >= 3, files(with).segments() + " segments");
    }

    private void indexFullRolls() throws Exception {
        TopicPartition with = topic("segment.index.bytes", "24", "index.interval.bytes", "1");
        TopicPartition without = topic("index.interval.bytes", "1");
        for (int i = 0; i < 20; i++) {
            send(with, NOW + i, 100);
            send(without, NOW + i, 100);
        }
        assertEquals(1, files(without).segments());
        assertTrue(files(with).segments() >= 3);
    }

    /** Half of the rolls come early; one chance in 2^19 that all or none of twenty do. */
    private void jitterSpreadsRolls() throws Exception {
        String topic = clients.topic(20, "segment.ms", "1000000", "segment.jitter.ms", "1000000");
        int rolled = 0;
        for (int partition = 0; partition < 20; partition++) {
            TopicPartition each = new TopicPartition(topic, partition);
            send(each, NOW - HOUR, 10);
            send(each, NOW - HOUR + 500_000, 10);
            rolled += files(each).segments() - 1;
        }
        assertTrue(rolled > 0 && rolled < 20, rolled + " of 20 rolled");
    }

    private void indexEntries() throws Exception {
        TopicPartition without = topic("segment.ms", "60000");
        TopicPartition with = topic("index.interval.bytes", "1", "segment.ms", "60000");
        for (TopicPartition partition : List.of(without, with)) {
            for (int i = 0; i < 8; i++) {
                send(partition, NOW - HOUR + i, 200);
            }
            // The segment that is closed then has its index trimmed to its entries.
            send(partition, NOW, 200);
        }
        Await.until("the closed segment has index entries", () -> indexBytes(with) > 0);
        assertEquals(0, indexBytes(without));
    }

    private long indexBytes(TopicPartition partition) throws IOException {
        Path log = files(partition).ending(".log").get(0);
        Path index = Path.of(log.toString().replace(".log", ".index"));
        return Files.exists(index) ? Files.size(index) : 0;
    }

    private void flushed(String key, String value) throws Exception {
        TopicPartition with = topic(key, value);
        TopicPartition without = topic("flush.ms", Long.toString(Long.MAX_VALUE));
        for (int i = 0; i < 5; i++) {
            send(with, NOW, 10);
            send(without, NOW, 10);
        }
        Await.until(
                "the recovery point reaches the end",
                () -> files(with).checkpointed("recovery-point-offset-checkpoint") == 5);
        assertTrue(files(without).checkpointed("recovery-point-offset-checkpoint") < 5);
    }

    private void retained(String key, String value, long time) throws Exception {
        TopicPartition with = topic(key, value, "segment.bytes", "1048576");
        for (int i = 0; i < 10; i++) {
            send(with, time, 500_000);
        }
        Await.until("old segments are gone", () -> earliest(with) > 0);
        assertTrue(earliest(with) < latest(with) || key.equals("retention.ms"));
    }

    private void nothingGoesWithoutPolicy() throws Exception {
        TopicPartition kept = topic("cleanup.policy", "", "retention.bytes", "1048576", "segment.bytes", "1048576");
        TopicPartition cut = topic("retention.bytes", "1048576", "segment.bytes", "1048576");
        for (int i = 0; i < 10; i++) {
            send(kept, NOW, 500_000);
            send(cut, NOW, 500_000);
        }
        Await.until("retention has run on the other", () -> earliest(cut) > 0);
        assertEquals(0, earliest(kept));
    }

    private void deletedFilesStay() throws Exception {
        TopicPartition stay =
                topic("file.delete.delay.ms", "600000", "retention.bytes", "1048576", "segment.bytes", "1048576");
        TopicPartition go =
                topic("file.delete.delay.ms", "1", "retention.bytes", "1048576", "segment.bytes", "1048576");
        for (int i = 0; i < 10; i++) {
            send(stay, NOW, 500_000);
            send(go, NOW, 500_000);
        }
        Await.until("retention has run", () -> earliest(stay) > 0 && earliest(go) > 0);
        Await.until("files are gone", () -> files(go).ending(".deleted").isEmpty());
        assertTrue(!files(stay).ending(".log.deleted").isEmpty());
    }

    private void roomIsReserved() throws Exception {
        TopicPartition with = topic("preallocate", "true", "segment.bytes", "2097152");
        TopicPartition without = topic("segment.bytes", "2097152");
        send(with, NOW, 10);
        send(without, NOW, 10);
        assertEquals(2_097_152, files(with).bytesOfSegments());
        assertTrue(files(without).bytesOfSegments() < 1_000);
    }

    private void refused(String key, String value, long time, int bytes, Class<? extends Exception> expected)
            throws Exception {
        send(topic(), time, bytes);
        TopicPartition with = topic(key, value);
        KafkaProducer<byte[], byte[]> producer = clients.producer("retries", "0", "enable.idempotence", "false");
        assertFails(expected, producer.send(record(with, time, bytes)));
    }

    private void brokersClock() throws Exception {
        TopicPartition partition = topic("message.timestamp.type", "LogAppendTime");
        send(partition, NOW - HOUR, 10);
        var record = clients.read(clients.consumer(), partition, 0, 1).get(0);
        assertEquals("LogAppendTime", record.timestampType().name);
        assertTrue(record.timestamp() >= NOW);
    }

    private void storedAs() throws Exception {
        List<String> codecs = List.of("uncompressed", "gzip", "snappy", "lz4", "zstd");
        for (int codec = 0; codec < codecs.size(); codec++) {
            TopicPartition partition = topic("compression.type", codecs.get(codec));
            KafkaProducer<byte[], byte[]> producer = clients.producer("compression.type", codec == 1 ? "lz4" : "gzip");
            producer.send(record(partition, NOW, 2_000)).get();
            assertEquals(codec, files(partition).codecOfFirstBatch(), codecs.get(codec));
            assertEquals(
                    2_000,
                    clients.read(clients.consumer(), partition, 0, 1).get(0).value().length);
        }
    }

    private void levelMatters(String codec, String key, String low, String high) throws Exception {
        long[] sizes = new long[2];
        for (int i = 0; i < 2; i++) {
            TopicPartition partition = topic("compression.type", codec, key, i == 0 ? low : high);
            // The flush ends the wait: all in one batch, however slowly they come.
            KafkaProducer<byte[], byte[]> producer = clients.producer("linger.ms", "60000", "batch.size", "500000");
            List<Future<?>> acks = new ArrayList<>();
            for (int word = 0; word < 3_000; word++) {
                byte[] value = ("words that are alike " + word * 31 % 1000 + " and words " + word)
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
                acks.add(producer.send(new ProducerRecord<>(partition.topic(), 0, NOW, null, value)));
            }
            producer.flush();
            for (Future<?> ack : acks) {
                ack.get();
            }
            sizes[i] = files(partition).bytesOfSegments();
        }
        assertTrue(sizes[1] < sizes[0], "level " + low + ": " + sizes[0] + " bytes, level " + high + ": " + sizes[1]);
    }

    private void bombsAreRefused() throws Exception {
        KafkaProducer<byte[], byte[]> producer =
                clients.producer("compression.type", "gzip", "retries", "0", "enable.idempotence", "false");
        producer.send(record(topic(), NOW, 500_000)).get();
        TopicPartition with = topic("max.decompressed.message.bytes", "100000");
        assertThrows(ExecutionException.class, producer.send(record(with, NOW, 500_000))::get);
    }

    private TopicPartition topic(String... keysAndValues) throws Exception {
        return new TopicPartition(clients.topic(1, keysAndValues), 0);
    }

    private void send(TopicPartition partition, long time, int bytes) throws Exception {
        clients.sharedProducer().send(record(partition, time, bytes)).get();
    }

    private static ProducerRecord<byte[], byte[]> record(TopicPartition partition, long time, int bytes) {
        return new ProducerRecord<>(partition.topic(), partition.partition(), time, null, new byte[bytes]);
    }

    private PartitionFiles files(TopicPartition partition) {
        return new PartitionFiles(broker, partition);
    }

    private long earliest(TopicPartition partition) throws Exception {
        return offset(partition, OffsetSpec.earliest());
    }

    private long latest(TopicPartition partition) throws Exception {
        return offset(partition, OffsetSpec.latest());
    }

    private long offset(TopicPartition partition, OffsetSpec spec) throws Exception {
        return clients.admin()
                .listOffsets(Map.of(partition, spec))
                .partitionResult(partition)
                .get()
                .offset();
    }

    private static void assertFails(Class<? extends Exception> expected, Future<?> result) {
        ExecutionException failure = assertThrows(ExecutionException.class, result::get);
        assertEquals(expected, failure.getCause().getClass(), failure.getMessage());
    }
}
