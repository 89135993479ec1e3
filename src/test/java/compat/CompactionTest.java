package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compacted topics as clients see them. */
@ExtendWith(BrokerExtension.class)
class CompactionTest {
    private static final long NOW = System.currentTimeMillis();
    private static final long HOUR = 3_600_000;
    private static final String[] COMPACT = {
        "cleanup.policy", "compact", "segment.bytes", "1048576", "min.cleanable.dirty.ratio", "0.01"
    };

    private TestBroker broker;
    private Clients clients;

    @BeforeEach
    void open(TestBroker running) {
        broker = running;
        clients = new Clients(running);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void aTopicCompactsToItsMapWhileItIsWritten(String codec) throws Exception {
        TopicPartition partition = topic(COMPACT);
        KafkaProducer<byte[], byte[]> producer = clients.producer("compression.type", codec, "linger.ms", "5");
        Map<String, String> expected = new LinkedHashMap<>();
        List<Future<?>> acks = new ArrayList<>();
        java.util.Random random = new java.util.Random(7);
        for (int i = 0; i < 12_000; i++) {
            String key = "k" + i * 31 % 97;
            byte[] value = new byte[400];
            random.nextBytes(value);
            boolean deleted = i % 11 == 0;
            acks.add(producer.send(new ProducerRecord<>(partition.topic(), 0, bytes(key), deleted ? null : value)));
            expected.put(key, deleted ? null : new String(value, StandardCharsets.ISO_8859_1));
        }
        producer.flush();
        for (Future<?> ack : acks) {
            ack.get();
        }
        Await.until("most is compacted", () -> read(partition).size() < 4_000);
        Map<String, String> got = new LinkedHashMap<>();
        long before = -1;
        for (ConsumerRecord<byte[], byte[]> each : read(partition)) {
            assertTrue(each.offset() > before);
            before = each.offset();
            got.put(
                    new String(each.key(), StandardCharsets.UTF_8),
                    each.value() == null ? null : new String(each.value(), StandardCharsets.ISO_8859_1));
        }
        assertEquals(expected, new LinkedHashMap<>(got));
        Await.until(
                "cleaner-offset-checkpoint has the topic",
                () -> new PartitionFiles(broker, partition).checkpointed("cleaner-offset-checkpoint") > 8_000);
        assertEquals(12_000, offset(partition, OffsetSpec.latest()));
    }

    @Test
    void recordsWithoutKeyAreRefused() throws Exception {
        TopicPartition partition = topic(COMPACT);
        Future<?> ack = clients.sharedProducer().send(new ProducerRecord<>(partition.topic(), 0, null, bytes("v")));
        ExecutionException failure = assertThrows(ExecutionException.class, ack::get);
        assertEquals(InvalidRecordException.class, failure.getCause().getClass());
    }

    @Test
    void thePolicyChangesWhileTheTopicIsThere() throws Exception {
        TopicPartition partition = topic("segment.ms", "1000");
        rolls(partition, 6, NOW - HOUR);
        assertEquals(6, read(partition).size());
        alter(partition, "cleanup.policy", "compact");
        alter(partition, "min.cleanable.dirty.ratio", "0");
        Await.until("it is compacted", () -> read(partition).size() == 2);
        alter(partition, "cleanup.policy", "delete");
        rolls(partition, 4, NOW - HOUR / 2);
        alter(partition, "retention.ms", "1");
        Await.until("it is deleted by time", () -> offset(partition, OffsetSpec.earliest()) == 10);
    }

    @Test
    void compactAloneDeletesNothingByAgeOrSize() throws Exception {
        String[] limits = {
            "segment.ms", "1000", "retention.ms", "1", "retention.bytes", "1", "min.cleanable.dirty.ratio", "0"
        };
        TopicPartition kept = topic(joined(limits, "cleanup.policy", "compact"));
        TopicPartition cut = topic(joined(limits, "cleanup.policy", "compact,delete"));
        for (TopicPartition each : List.of(kept, cut)) {
            rolls(each, 6, NOW - HOUR);
        }
        Await.until("the other is deleted by age", () -> offset(cut, OffsetSpec.earliest()) == 6);
        Await.until("it is compacted", () -> read(kept).size() == 2);
        assertEquals(0, offset(kept, OffsetSpec.earliest()));
        clients.admin()
                .deleteRecords(Map.of(kept, RecordsToDelete.beforeOffset(5)))
                .all()
                .get();
        assertEquals(5, offset(kept, OffsetSpec.earliest()));
        assertEquals(1, read(kept).size());
    }

    /** Kafka's rule: a segment goes when its newest record is old, so records from the future keep it. */
    @Test
    void recordsFromTheFutureKeepTheirSegmentByAgeButNotBySize() throws Exception {
        String[] future = {
            "segment.ms", "1000", "retention.ms", "60000", "message.timestamp.after.max.ms", "9223372036854775807"
        };
        TopicPartition byAge = topic(future);
        TopicPartition past = topic(future);
        TopicPartition bySize = topic(joined(future, "retention.bytes", "1"));
        rolls(byAge, 4, NOW + 1000 * HOUR);
        rolls(bySize, 4, NOW + 1000 * HOUR);
        rolls(past, 4, NOW - HOUR);
        Await.until("old ones go", () -> offset(past, OffsetSpec.earliest()) == 4);
        Await.until("large ones go", () -> offset(bySize, OffsetSpec.earliest()) >= 3);
        assertEquals(0, offset(byAge, OffsetSpec.earliest()));
    }

    @Test
    void eachLagAndRatioHasItsEffect() throws Exception {
        String[] base = {"cleanup.policy", "compact", "segment.ms", "1000"};
        TopicPartition ratio0 = topic(joined(base, "min.cleanable.dirty.ratio", "0"));
        TopicPartition ratio1 = topic(joined(base, "min.cleanable.dirty.ratio", "1"));
        TopicPartition young =
                topic(joined(base, "min.cleanable.dirty.ratio", "0", "min.compaction.lag.ms", "86400000"));
        TopicPartition overdue =
                topic(joined(base, "min.cleanable.dirty.ratio", "1", "max.compaction.lag.ms", "60000"));
        for (TopicPartition each : List.of(ratio1, young, overdue, ratio0)) {
            rolls(each, 6, NOW - HOUR);
        }
        Await.until("no ratio", () -> read(ratio0).size() == 2);
        Await.until("overdue", () -> read(overdue).size() == 2);
        assertEquals(6, read(ratio1).size());
        assertEquals(6, read(young).size());
    }

    @Test
    void tombstonesStayForTheirTime() throws Exception {
        String[] base = {"cleanup.policy", "compact", "segment.ms", "1000", "min.cleanable.dirty.ratio", "0"};
        TopicPartition go = topic(joined(base, "delete.retention.ms", "0"));
        TopicPartition stay = topic(base);
        for (TopicPartition each : List.of(stay, go)) {
            send(each, "gone", "v", NOW - HOUR);
            send(each, "gone", null, NOW - HOUR + 1);
            rolls(each, 3, NOW - HOUR + 2_000);
        }
        Await.until("compacted once", () -> read(stay).size() == 3);
        rolls(go, 3, NOW - HOUR + 20_000);
        rolls(stay, 3, NOW - HOUR + 20_000);
        Await.until("the tombstone is gone", () -> read(go).stream().noneMatch(each -> each.value() == null));
        Await.until("compacted again", () -> read(stay).size() == 3);
        assertEquals(1, read(stay).stream().filter(each -> each.value() == null).count());
    }

    /** Records of one key, each in a segment of its own. */
    private void rolls(TopicPartition partition, int records, long firstTime) throws Exception {
        for (int i = 0; i < records; i++) {
            send(partition, "key", "v" + i, firstTime + i * 1_001L);
        }
    }

    private void send(TopicPartition partition, String key, String value, long time) throws Exception {
        byte[] content = value == null ? null : bytes(value);
        clients.sharedProducer()
                .send(new ProducerRecord<>(partition.topic(), 0, time, bytes(key), content))
                .get();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All records that are there. */
    private List<ConsumerRecord<byte[], byte[]>> read(TopicPartition partition) throws Exception {
        try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("isolation.level", "read_committed")) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
            Await.until("all is read", () -> {
                consumer.poll(java.time.Duration.ofMillis(100)).forEach(all::add);
                return consumer.position(partition) >= end;
            });
            return all;
        }
    }

    private TopicPartition topic(String... keysAndValues) throws Exception {
        return new TopicPartition(clients.topic(1, keysAndValues), 0);
    }

    private static String[] joined(String[] some, String... more) {
        List<String> all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray(new String[0]);
    }

    private void alter(TopicPartition partition, String key, String value) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, partition.topic());
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
        clients.admin()
                .incrementalAlterConfigs(Map.of(topic, List.of(set)))
                .all()
                .get();
    }

    private long offset(TopicPartition partition, OffsetSpec spec) throws Exception {
        return clients.admin()
                .listOffsets(Map.of(partition, spec))
                .partitionResult(partition)
                .get()
                .offset();
    }
}
