package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Offsets of groups inside of transactions, and transactions that an admin ends, by stock clients (rules T7, T8, T10). */
@ExtendWith(BrokerExtension.class)
class TransactionOffsetsTest {
    private Clients clients;
    private Admin admin;

    @BeforeEach
    void open(TestBroker broker) {
        clients = new Clients(broker);
        admin = clients.admin();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    private TopicPartition topic(String prefix) throws Exception {
        String name = prefix + "-" + System.nanoTime();
        admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
        return new TopicPartition(name, 0);
    }

    private static ProducerRecord<byte[], byte[]> record(TopicPartition to, String value) {
        return new ProducerRecord<>(to.topic(), to.partition(), null, value.getBytes(StandardCharsets.UTF_8));
    }

    private Long committed(String group, TopicPartition partition) throws Exception {
        OffsetAndMetadata offset = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .get(partition);
        return offset == null ? null : offset.offset();
    }

    private long stableEnd(TopicPartition partition) throws Exception {
        return admin.listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .partitionResult(partition)
                .get()
                .offset();
    }

    @Test
    void offsetsAreSeenWhenTheTransactionCommits() throws Exception {
        TopicPartition input = topic("input");
        String group = "in-transaction-" + System.nanoTime();
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", group);
                KafkaConsumer<byte[], byte[]> consumer = clients.consumer("group.id", group)) {
            ConsumerGroupMetadata nobody = consumer.groupMetadata();
            producer.initTransactions();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(Map.of(input, new OffsetAndMetadata(5)), nobody);
            assertEquals(null, committed(group, input), "before the end");
            producer.commitTransaction();
            Await.until("the commit", () -> Long.valueOf(5).equals(committed(group, input)));
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(Map.of(input, new OffsetAndMetadata(9)), nobody);
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(record(input, "x"));
            producer.commitTransaction();
            Await.until("the end of all", () -> stableEnd(input) == 2);
            assertEquals(5, committed(group, input));
        }
    }

    /** KIP-447, with real membership, in both group protocols. */
    @Test
    void readProcessWriteMovesEachRecordOnce() throws Exception {
        for (String protocol : List.of("classic", "consumer")) {
            TopicPartition input = topic("from");
            TopicPartition output = topic("to");
            try (KafkaProducer<byte[], byte[]> plain = clients.producer()) {
                for (int i = 0; i < 40; i++) {
                    plain.send(record(input, "r" + i));
                }
                plain.flush();
            }
            String group = protocol + "-mover-" + System.nanoTime();
            int moved = 0;
            int round = 0;
            while (moved < 40) {
                moved += move(protocol, group, input, output, round++ % 3 == 1);
            }
            Await.until("all are committed", () -> Long.valueOf(40).equals(committed(group, input)));
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                expected.add("r" + i);
            }
            assertEquals(expected, values(output, 40));
        }
    }

    /** One process: moves a few records, or fails to. */
    private int move(String protocol, String group, TopicPartition input, TopicPartition output, boolean abort)
            throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", group);
                KafkaConsumer<byte[], byte[]> consumer = clients.consumer(
                        "group.id", group,
                        "group.protocol", protocol,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "max.poll.records", "7",
                        "auto.offset.reset", "earliest")) {
            producer.initTransactions();
            consumer.subscribe(List.of(input.topic()));
            List<ConsumerRecord<byte[], byte[]>> polled = new ArrayList<>();
            Await.until("records to move", () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(polled::add);
                return !polled.isEmpty();
            });
            producer.beginTransaction();
            for (ConsumerRecord<byte[], byte[]> each : polled) {
                producer.send(record(output, new String(each.value(), StandardCharsets.UTF_8)));
            }
            producer.sendOffsetsToTransaction(
                    Map.of(input, new OffsetAndMetadata(consumer.position(input))), consumer.groupMetadata());
            if (abort) {
                producer.abortTransaction();
                return 0;
            }
            producer.commitTransaction();
            return polled.size();
        }
    }

    private List<String> values(TopicPartition from, int count) throws Exception {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("isolation.level", "read_committed", "auto.offset.reset", "earliest")) {
            consumer.assign(List.of(from));
            consumer.seekToBeginning(List.of(from));
            Await.until(count + " records", () -> {
                consumer.poll(Duration.ofMillis(100))
                        .forEach(each -> values.add(new String(each.value(), StandardCharsets.UTF_8)));
                return values.size() >= count;
            });
        }
        return values;
    }

    @Test
    void aMemberOfAnOldGenerationIsRefused_G3() throws Exception {
        TopicPartition input = topic("fenced");
        String group = "fenced-" + System.nanoTime();
        ConsumerGroupMetadata old;
        try (KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("group.id", group, "auto.offset.reset", "earliest")) {
            consumer.subscribe(List.of(input.topic()));
            Await.until("an assignment", () -> {
                consumer.poll(Duration.ofMillis(100));
                return !consumer.assignment().isEmpty();
            });
            old = consumer.groupMetadata();
        }
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", group)) {
            producer.initTransactions();
            producer.beginTransaction();
            assertThrows(
                    CommitFailedException.class,
                    () -> producer.sendOffsetsToTransaction(Map.of(input, new OffsetAndMetadata(3)), old));
            producer.abortTransaction();
            assertEquals(null, committed(group, input));
        }
    }

    @Test
    void anAdminFindsAndEndsATransactionThatHangs_T11() throws Exception {
        TopicPartition partition = topic("hanging");
        KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", partition.topic());
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(record(partition, "open")).get();
        assertEquals(0, stableEnd(partition));
        List<ProducerState> active = admin.describeProducers(List.of(partition))
                .partitionResult(partition)
                .get()
                .activeProducers();
        assertEquals(1, active.size());
        ProducerState state = active.get(0);
        assertEquals(0, state.currentTransactionStartOffset().getAsLong());
        assertEquals(0, state.lastSequence());
        assertTrue(state.lastTimestamp() > 0);
        admin.abortTransaction(new AbortTransactionSpec(
                        partition,
                        state.producerId(),
                        (short) state.producerEpoch(),
                        state.coordinatorEpoch().orElse(0)))
                .all()
                .get();
        assertEquals(2, stableEnd(partition));
        assertTrue(admin.describeProducers(List.of(partition))
                .partitionResult(partition)
                .get()
                .activeProducers()
                .get(0)
                .currentTransactionStartOffset()
                .isEmpty());
        producer.close(Duration.ZERO);
    }
}
