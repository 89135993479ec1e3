package compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/** Stock clients of one test, all for one broker; closed together. */
final class Clients implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int EMPTY_POLLS = 600;
    private static final String PATIENCE = "120000";

    private final String bootstrap;
    private final List<AutoCloseable> open = new ArrayList<>();
    private Admin admin;
    private KafkaProducer<byte[], byte[]> shared;

    Clients(TestBroker broker) {
        this.bootstrap = broker.bootstrap();
    }

    Admin admin() {
        if (admin == null) {
            // A change that is asked for twice because its answer was late would be refused as done already.
            admin = Admin.create(Map.of(
                    "bootstrap.servers",
                    bootstrap,
                    "request.timeout.ms",
                    PATIENCE,
                    "default.api.timeout.ms",
                    PATIENCE));
            open.add(admin);
        }
        return admin;
    }

    /** @param keysAndValues settings beyond the defaults */
    KafkaProducer<byte[], byte[]> producer(String... keysAndValues) {
        Properties settings = settings(keysAndValues);
        settings.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE);
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        open.add(producer);
        return producer;
    }

    /** One with the defaults, for records that only need to get there. */
    KafkaProducer<byte[], byte[]> sharedProducer() {
        if (shared == null) {
            shared = producer();
        }
        return shared;
    }

    KafkaConsumer<byte[], byte[]> consumer(String... keysAndValues) {
        Properties settings = settings(keysAndValues);
        settings.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.putIfAbsent(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        settings.putIfAbsent(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        open.add(consumer);
        return consumer;
    }

    /** A new topic with a name of its own. */
    String topic(int partitions, String... keysAndValues) throws InterruptedException, ExecutionException {
        String name = "compat-" + NAMES.incrementAndGet();
        Map<String, String> configs = new java.util.TreeMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            configs.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(configs);
        admin().createTopics(List.of(topic)).all().get();
        return name;
    }

    /** The next {@code count} records of a partition from {@code offset} on. */
    List<ConsumerRecord<byte[], byte[]>> read(
            KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long offset, int count) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, offset);
        return next(consumer, count);
    }

    List<ConsumerRecord<byte[], byte[]>> next(KafkaConsumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int empty = 0; records.size() < count && empty < EMPTY_POLLS; ) {
            int before = records.size();
            consumer.poll(POLL).forEach(records::add);
            empty = records.size() == before ? empty + 1 : 0;
        }
        if (records.size() < count) {
            throw new AssertionError("only " + records.size() + " of " + count + " records");
        }
        return records;
    }

    private Properties settings(String... keysAndValues) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return settings;
    }

    @Override
    public void close() {
        for (AutoCloseable client : open) {
            Utils.closeQuietly(client, "a client of this test");
        }
    }
}
