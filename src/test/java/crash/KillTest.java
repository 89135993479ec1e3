package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A real broker under kill -9 and SIGTERM with Kafka's own clients (I6, P7, S6, S12). */
@ExtendWith(QuietClients.class)
class KillTest {
    private static final int KILLS = 20;
    private static final String CLEAN_MARK = ".highwater-clean-shutdown";
    private static final int PARTITIONS = 3;
    private static final int PER_ROUND = 400;

    @TempDir
    Path home;

    private final AtomicReference<Exception> refused = new AtomicReference<>();
    private final Semaphore acked = new Semaphore(0);
    private int sent;

    @Test
    void killedTwentyTimesUnderLoadItLosesAndDoublesNothing() throws Exception {
        try (RealBroker broker = new RealBroker(home)) {
            broker.start();
            createTopic(broker);
            try (KafkaProducer<String, String> producer = producer(broker)) {
                for (int kill = 0; kill < KILLS; kill++) {
                    send(producer, PER_ROUND);
                    // Some are acknowledged, the rest are on their way.
                    assertTrue(
                            acked.tryAcquire(PER_ROUND / 4, 180, TimeUnit.SECONDS),
                            "no acknowledgements in round " + kill);
                    broker.kill();
                    broker.start();
                }
                producer.flush();
            }
            assertNull(refused.get());
            assertEquals(KILLS * PER_ROUND, sent);
            readBack(broker);
        }
    }

    @Test
    void aSecondProcessOnTheSameDirectoryIsRefused() throws Exception {
        try (RealBroker broker = new RealBroker(home)) {
            broker.start();
            assertNotEquals(0, broker.startSecond());
            assertTrue(broker.output().contains("in use by another process"), broker.output());
        }
    }

    @Test
    void aCleanStopLeavesNothingToRecover() throws Exception {
        try (RealBroker broker = new RealBroker(home)) {
            broker.start();
            createTopic(broker);
            try (KafkaProducer<String, String> producer = producer(broker)) {
                send(producer, PER_ROUND);
                producer.flush();
            }
            assertFalse(Files.exists(broker.data().resolve(CLEAN_MARK)), "marked clean while it runs");
            broker.terminate();
            assertTrue(Files.exists(broker.data().resolve(CLEAN_MARK)), broker.output());
            broker.start();
            assertFalse(Files.exists(broker.data().resolve(CLEAN_MARK)), "still marked clean while it runs");
            assertNull(refused.get());
            readBack(broker);
        }
    }

    private static void createTopic(RealBroker broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            // Segments roll often, so that kills meet rolls.
            NewTopic topic = new NewTopic("t", PARTITIONS, (short) 1).configs(Map.of("segment.bytes", "1048576"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    private static KafkaProducer<String, String> producer(RealBroker broker) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", broker.bootstrap(),
                        "enable.idempotence", true,
                        "acks", "all",
                        "linger.ms", 2,
                        "batch.size", 8_000,
                        "delivery.timeout.ms", 900_000,
                        "request.timeout.ms", 10_000,
                        "reconnect.backoff.max.ms", 100),
                new StringSerializer(),
                new StringSerializer());
    }

    private void send(KafkaProducer<String, String> producer, int count) {
        for (int i = 0; i < count; i++) {
            int number = sent++;
            String value = number + "|" + "x".repeat(1_000);
            producer.send(new ProducerRecord<>("t", number % PARTITIONS, null, value), (metadata, failure) -> {
                if (failure == null) {
                    acked.release();
                } else {
                    refused.compareAndSet(null, failure);
                }
            });
        }
    }

    /** Each record once, in the order sent per partition, at offsets without a gap. */
    private void readBack(RealBroker broker) {
        Set<Integer> seen = new HashSet<>();
        Map<Integer, Integer> last = new TreeMap<>();
        Map<Integer, Long> next = new TreeMap<>();
        List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(i -> new TopicPartition("t", i))
                .toList();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "auto.offset.reset",
                        "none",
                        "enable.auto.commit",
                        false),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(5))) {
                    int number = Integer.parseInt(
                            each.value().substring(0, each.value().indexOf('|')));
                    assertTrue(seen.add(number), number + " is there twice");
                    assertTrue(last.getOrDefault(each.partition(), -1) < number, number + " is out of order");
                    assertEquals(next.getOrDefault(each.partition(), 0L), each.offset());
                    last.put(each.partition(), number);
                    next.put(each.partition(), each.offset() + 1);
                }
            }
        }
        assertEquals(sent, seen.size(), "records lost");
    }
}
