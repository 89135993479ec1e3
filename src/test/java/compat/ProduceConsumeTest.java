package compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes in by a stock producer comes out of a stock consumer: all of it, once, in order, byte for byte. */
@ExtendWith(BrokerExtension.class)
class ProduceConsumeTest {
    private static final long SEED = 31;

    private final Random random = new Random(SEED);
    private Clients clients;

    @BeforeEach
    void open(TestBroker broker) {
        clients = new Clients(broker);
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void everyCodecKeepsEveryByte(String codec) throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1, "retention.ms", "-1"), 0);
        KafkaProducer<byte[], byte[]> producer =
                clients.producer("compression.type", codec, "linger.ms", "20", "batch.size", "40000");
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            sent.add(randomRecord(partition));
        }
        List<Future<RecordMetadata>> acks = new ArrayList<>();
        sent.forEach(record -> acks.add(producer.send(record)));
        producer.flush();
        List<ConsumerRecord<byte[], byte[]>> got = clients.read(clients.consumer(), partition, 0, sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertEquals(i, acks.get(i).get().offset());
            assertSame(sent.get(i), got.get(i), i);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void everyKindOfAck(String acks) throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1), 0);
        KafkaProducer<byte[], byte[]> producer = clients.producer("acks", acks, "enable.idempotence", "false");
        List<Future<RecordMetadata>> results = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            results.add(producer.send(new ProducerRecord<>(partition.topic(), 0, null, bytes(i))));
        }
        producer.flush();
        for (int i = 0; i < results.size(); i++) {
            assertEquals(acks.equals("0") ? -1 : i, results.get(i).get().offset());
        }
        List<ConsumerRecord<byte[], byte[]>> got = clients.read(clients.consumer(), partition, 0, 500);
        for (int i = 0; i < 500; i++) {
            assertArrayEquals(bytes(i), got.get(i).value());
            assertEquals(i, got.get(i).offset());
        }
    }

    @Test
    void idempotentProducersWriteOnceOverManyPartitions() throws Exception {
        String topic = clients.topic(7);
        KafkaProducer<byte[], byte[]> first = clients.producer("enable.idempotence", "true", "acks", "all");
        KafkaProducer<byte[], byte[]> second = clients.producer("enable.idempotence", "true", "acks", "all");
        for (int i = 0; i < 3_000; i++) {
            first.send(new ProducerRecord<>(topic, bytes(i), bytes(i)));
            second.send(new ProducerRecord<>(topic, bytes(i), bytes(-i)));
        }
        first.flush();
        second.flush();
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        List<TopicPartition> partitions = new ArrayList<>();
        consumer.partitionsFor(topic).forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
        assertEquals(7, partitions.size());
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        clients.next(consumer, 6_000);
        long end = consumer.endOffsets(partitions).values().stream()
                .mapToLong(Long::longValue)
                .sum();
        assertEquals(6_000, end);
    }

    @Test
    void largeRecordsAndTheirLimit() throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1, "max.message.bytes", "3000000"), 0);
        KafkaProducer<byte[], byte[]> producer =
                clients.producer("max.request.size", "20000000", "buffer.memory", "64000000");
        byte[] large = new byte[2_900_000];
        random.nextBytes(large);
        producer.send(new ProducerRecord<>(partition.topic(), 0, null, large)).get();
        Future<RecordMetadata> tooLarge =
                producer.send(new ProducerRecord<>(partition.topic(), 0, null, new byte[3_100_000]));
        assertTrue(assertThrows(ExecutionException.class, tooLarge::get).getCause() instanceof RecordTooLargeException);
        // A consumer that asks for less than one record gets it all the same.
        KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("max.partition.fetch.bytes", "1000", "fetch.max.bytes", "1000");
        assertArrayEquals(large, clients.read(consumer, partition, 0, 1).get(0).value());
    }

    @Test
    void consumersStartWhereTheyAreTold() throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1, "retention.ms", "-1"), 0);
        KafkaProducer<byte[], byte[]> producer = clients.producer();
        long base = 1_600_000_000_000L;
        for (int i = 0; i < 100; i++) {
            producer.send(new ProducerRecord<>(partition.topic(), 0, base + i * 1000L, null, bytes(i)));
        }
        producer.flush();
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        assertEquals(0, clients.next(consumer, 1).get(0).offset());
        consumer.seekToEnd(List.of(partition));
        assertEquals(100, consumer.position(partition));
        assertEquals(42, clients.read(consumer, partition, 42, 1).get(0).offset());
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(Map.of(partition, base + 30_500));
        assertEquals(31, found.get(partition).offset());
        assertEquals(base + 31_000, found.get(partition).timestamp());
        assertNull(consumer.offsetsForTimes(Map.of(partition, base + 1_000_000)).get(partition));
        assertEquals(99, listed(partition, OffsetSpec.maxTimestamp()));
        assertEquals(0, listed(partition, OffsetSpec.earliest()));
        assertEquals(0, listed(partition, OffsetSpec.earliestLocal()));
        assertEquals(100, listed(partition, OffsetSpec.latest()));
        consumer.seek(partition, 101);
        assertThrows(OffsetOutOfRangeException.class, () -> clients.next(consumer, 1));
    }

    @Test
    void tailingConsumersSeeRecordsAsTheyCome() throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1), 0);
        KafkaProducer<byte[], byte[]> producer = clients.producer();
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer("fetch.max.wait.ms", "10000", "fetch.min.bytes", "1");
        consumer.assign(List.of(partition));
        consumer.seekToEnd(List.of(partition));
        assertEquals(0, consumer.position(partition));
        for (int i = 0; i < 50; i++) {
            producer.send(new ProducerRecord<>(partition.topic(), 0, null, bytes(i)))
                    .get();
            assertArrayEquals(bytes(i), clients.next(consumer, 1).get(0).value());
        }
    }

    @Test
    void deletedRecordsAreGone() throws Exception {
        TopicPartition partition = new TopicPartition(clients.topic(1), 0);
        KafkaProducer<byte[], byte[]> producer = clients.producer();
        for (int i = 0; i < 10; i++) {
            producer.send(new ProducerRecord<>(partition.topic(), 0, null, bytes(i)));
        }
        producer.flush();
        long start = clients.admin()
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4)))
                .lowWatermarks()
                .get(partition)
                .get()
                .lowWatermark();
        assertEquals(4, start);
        assertEquals(4, listed(partition, OffsetSpec.earliest()));
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        assertArrayEquals(
                bytes(4), clients.read(consumer, partition, 4, 1).get(0).value());
        consumer.seek(partition, 3);
        assertThrows(OffsetOutOfRangeException.class, () -> clients.next(consumer, 1));
        clients.admin()
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1)))
                .all()
                .get();
        assertEquals(10, listed(partition, OffsetSpec.earliest()));
    }

    @Test
    void aTopicMadeAgainIsAnother() throws Exception {
        String topic = clients.topic(2);
        KafkaProducer<byte[], byte[]> producer = clients.producer();
        producer.send(new ProducerRecord<>(topic, 0, null, bytes(1))).get();
        clients.admin().deleteTopics(List.of(topic)).all().get();
        Await.until(
                "the topic is gone",
                () -> !clients.admin().listTopics().names().get().contains(topic));
        clients.admin()
                .createTopics(List.of(new org.apache.kafka.clients.admin.NewTopic(topic, 1, (short) 1)))
                .all()
                .get();
        TopicPartition partition = new TopicPartition(topic, 0);
        assertEquals(0, listed(partition, OffsetSpec.latest()));
        assertEquals(
                0,
                clients.producer()
                        .send(new ProducerRecord<>(topic, 0, null, bytes(2)))
                        .get()
                        .offset());
        assertArrayEquals(
                bytes(2),
                clients.read(clients.consumer(), partition, 0, 1).get(0).value());
    }

    private long listed(TopicPartition partition, OffsetSpec spec) throws Exception {
        return clients.admin()
                .listOffsets(Map.of(partition, spec))
                .partitionResult(partition)
                .get()
                .offset();
    }

    /** Null and empty, tiny and some KB, repetitive and random: what a codec could stumble over. */
    private ProducerRecord<byte[], byte[]> randomRecord(TopicPartition partition) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = random.nextInt(3); i > 0; i--) {
            headers.add("h" + i, randomBytes());
        }
        long timestamp = 1_700_000_000_000L + random.nextInt(1_000_000);
        return new ProducerRecord<>(partition.topic(), 0, timestamp, randomBytes(), randomBytes(), headers);
    }

    private byte[] randomBytes() {
        int kind = random.nextInt(6);
        if (kind == 0) {
            return null;
        }
        byte[] bytes = new byte[kind == 1 ? 0 : random.nextInt(kind == 2 ? 3_000 : 100)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private static void assertSame(ProducerRecord<byte[], byte[]> sent, ConsumerRecord<byte[], byte[]> got, int index) {
        String which = "seed " + SEED + ", record " + index;
        assertEquals(index, got.offset(), which);
        assertArrayEquals(sent.key(), got.key(), which);
        assertArrayEquals(sent.value(), got.value(), which);
        assertEquals(sent.timestamp(), got.timestamp(), which);
        assertEquals("CreateTime", got.timestampType().name, which);
        assertEquals(sent.headers(), got.headers(), which);
    }

    private static byte[] bytes(int number) {
        return Integer.toString(number).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
}
