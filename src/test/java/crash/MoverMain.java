package crash;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A job that moves records from one topic to another, exactly once as KIP-447 has it: each transaction holds some records and the offsets behind them. It runs
 * until it is killed, in a process of its own; arguments: bootstrap, transactional id, group protocol, seed.
 */
public final class MoverMain {
    static final String GROUP = "movers";
    static final String INPUT = "input";
    static final String OUTPUT = "output";
    static final int TRANSACTION_TIMEOUT_MILLIS = 30_000;
    private static final int ABORT_ONE_OF = 8;

    private final String bootstrap;
    private final String transactionalId;
    private final String protocol;
    private final Random random;

    private MoverMain(String bootstrap, String transactionalId, String protocol, long seed) {
        this.bootstrap = bootstrap;
        this.transactionalId = transactionalId;
        this.protocol = protocol;
        this.random = new Random(seed);
    }

    public static void main(String[] arguments) {
        MoverMain mover = new MoverMain(arguments[0], arguments[1], arguments[2], Long.parseLong(arguments[3]));
        while (true) {
            try {
                mover.run();
            } catch (KafkaException e) {
                // Fenced, or the broker was gone for too long: it begins anew, as a job's supervisor would have it.
                System.out.println(transactionalIdAnd(mover, e));
            }
        }
    }

    private static String transactionalIdAnd(MoverMain mover, KafkaException failure) {
        return mover.transactionalId + " begins anew: " + failure;
    }

    private void run() {
        try (KafkaProducer<String, String> producer = producer();
                KafkaConsumer<String, String> consumer = consumer()) {
            producer.initTransactions();
            consumer.subscribe(List.of(INPUT));
            while (true) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
                if (!records.isEmpty()) {
                    move(records, producer, consumer);
                }
            }
        }
    }

    private void move(
            ConsumerRecords<String, String> records,
            KafkaProducer<String, String> producer,
            KafkaConsumer<String, String> consumer) {
        Map<TopicPartition, OffsetAndMetadata> next = new LinkedHashMap<>();
        producer.beginTransaction();
        for (ConsumerRecord<String, String> each : records) {
            producer.send(new ProducerRecord<>(OUTPUT, each.partition(), null, each.value()));
            next.put(new TopicPartition(INPUT, each.partition()), new OffsetAndMetadata(each.offset() + 1));
        }
        producer.sendOffsetsToTransaction(next, consumer.groupMetadata());
        if (random.nextInt(ABORT_ONE_OF) == 0) {
            producer.flush();
            producer.abortTransaction();
            records.partitions()
                    .forEach(each ->
                            consumer.seek(each, records.records(each).get(0).offset()));
        } else {
            producer.commitTransaction();
        }
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "transactional.id", transactionalId,
                        "transaction.timeout.ms", TRANSACTION_TIMEOUT_MILLIS,
                        "max.block.ms", 30_000,
                        "request.timeout.ms", 5_000,
                        "delivery.timeout.ms", 30_000,
                        "linger.ms", 0,
                        "reconnect.backoff.max.ms", 100),
                new StringSerializer(),
                new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer() {
        Map<String, Object> settings = new LinkedHashMap<>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "group.id",
                GROUP,
                "group.protocol",
                protocol,
                "isolation.level",
                "read_committed",
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest",
                "max.poll.records",
                10,
                "request.timeout.ms",
                5_000,
                "default.api.timeout.ms",
                30_000,
                "reconnect.backoff.max.ms",
                100));
        if (protocol.equals("classic")) {
            settings.put("session.timeout.ms", 6_000);
            settings.put("heartbeat.interval.ms", 500);
        }
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }
}
