package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.HighwaterCli;
import cli.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions as Kafka's own producer, consumer and admin client use them, over sockets. */
@ExtendWith(BrokerExtension.class)
class TransactionsTest {
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

    private List<TopicPartition> topic(String prefix, int partitions) throws Exception {
        String name = prefix + "-" + System.nanoTime();
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get();
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new TopicPartition(name, i));
        }
        return all;
    }

    private static ProducerRecord<byte[], byte[]> record(TopicPartition to, String value) {
        return new ProducerRecord<>(to.topic(), to.partition(), null, value.getBytes(StandardCharsets.UTF_8));
    }

    private long end(TopicPartition partition, IsolationLevel level) throws Exception {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(level))
                .partitionResult(partition)
                .get()
                .offset();
    }

    private boolean nothingIsOpen(TopicPartition partition) throws Exception {
        return end(partition, IsolationLevel.READ_COMMITTED) == end(partition, IsolationLevel.READ_UNCOMMITTED);
    }

    /** Reads until every partition's committed end, and gives the values by partition. */
    private Map<Integer, List<String>> committed(Collection<TopicPartition> partitions) throws Exception {
        Map<Integer, List<String>> values = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("isolation.level", "read_committed", "auto.offset.reset", "earliest")) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            partitions.forEach(each -> values.put(each.partition(), new ArrayList<>()));
            for (TopicPartition each : partitions) {
                long end = end(each, IsolationLevel.READ_COMMITTED);
                Await.until("all of " + each + " is read", () -> {
                    for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(100))) {
                        values.get(one.partition()).add(new String(one.value(), StandardCharsets.UTF_8));
                    }
                    return consumer.position(each) >= end;
                });
            }
        }
        return values;
    }

    @Test
    void committedRecordsAreReadAndAbortedOnesAreNot() throws Exception {
        List<TopicPartition> partitions = topic("atomic", 3);
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", "atomic")) {
            producer.initTransactions();
            for (int round = 0; round < 30; round++) {
                producer.beginTransaction();
                for (TopicPartition each : partitions) {
                    producer.send(record(each, (round % 3 == 1 ? "aborted " : "kept ") + round));
                }
                if (round % 3 == 1) {
                    producer.flush();
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            if (round % 3 != 1) {
                expected.add("kept " + round);
            }
        }
        // The last commit is answered before its markers are written.
        for (TopicPartition each : partitions) {
            Await.until("all markers of " + each, () -> end(each, IsolationLevel.READ_COMMITTED) == 60);
        }
        Map<Integer, List<String>> read = committed(partitions);
        for (TopicPartition each : partitions) {
            assertEquals(expected, read.get(each.partition()));
        }
    }

    @Test
    void nothingOpenIsRead() throws Exception {
        TopicPartition partition = topic("open", 1).get(0);
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", "open")) {
            clients.sharedProducer().send(record(partition, "plain")).get();
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record(partition, "open")).get();
            clients.sharedProducer().send(record(partition, "behind")).get();
            assertEquals(1, end(partition, IsolationLevel.READ_COMMITTED));
            assertEquals(3, end(partition, IsolationLevel.READ_UNCOMMITTED));
            assertEquals(List.of("plain"), committed(List.of(partition)).get(0));
            producer.commitTransaction();
        }
        Await.until("the marker", () -> end(partition, IsolationLevel.READ_COMMITTED) == 4);
        assertEquals(
                List.of("plain", "open", "behind"),
                committed(List.of(partition)).get(0));
    }

    @Test
    void aZombieIsFencedAndItsTransactionAborted() throws Exception {
        TopicPartition partition = topic("zombie", 1).get(0);
        KafkaProducer<byte[], byte[]> old = clients.producer("transactional.id", "zombie");
        KafkaProducer<byte[], byte[]> heir = clients.producer("transactional.id", "zombie");
        old.initTransactions();
        old.beginTransaction();
        old.send(record(partition, "lost")).get();
        heir.initTransactions();
        heir.beginTransaction();
        heir.send(record(partition, "kept")).get();
        old.send(record(partition, "too late"));
        KafkaException refused = assertThrows(KafkaException.class, old::commitTransaction);
        assertTrue(isFenced(refused), refused.toString());
        heir.commitTransaction();
        Await.until("the marker", () -> nothingIsOpen(partition));
        assertEquals(List.of("kept"), committed(List.of(partition)).get(0));
    }

    private static boolean isFenced(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof ProducerFencedException || each instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aTransactionThatTakesTooLongIsAborted() throws Exception {
        TopicPartition partition = topic("timeout", 1).get(0);
        KafkaProducer<byte[], byte[]> producer =
                clients.producer("transactional.id", "timeout", "transaction.timeout.ms", "500");
        producer.initTransactions();
        producer.beginTransaction();
        Future<RecordMetadata> lost = producer.send(record(partition, "lost"));
        clients.sharedProducer().send(record(partition, "plain")).get();
        try {
            lost.get();
        } catch (ExecutionException tooLate) {
            // Where 500 ms are over before the record is there, it is refused.
            assertTrue(isFenced(tooLate), tooLate.toString());
        }
        Await.until("the abort marker", () -> nothingIsOpen(partition));
        KafkaException refused = assertThrows(KafkaException.class, producer::commitTransaction);
        assertTrue(isFenced(refused), refused.toString());
        assertEquals(List.of("plain"), committed(List.of(partition)).get(0));
    }

    @Test
    void adminSeesTransactions() throws Exception {
        List<TopicPartition> partitions = topic("seen", 2);
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", "seen-id")) {
            producer.initTransactions();
            producer.beginTransaction();
            for (TopicPartition each : partitions) {
                producer.send(record(each, "x")).get();
            }
            TransactionDescription found = admin.describeTransactions(List.of("seen-id"))
                    .description("seen-id")
                    .get();
            assertEquals(TransactionState.ONGOING, found.state());
            assertEquals(partitions.size(), found.topicPartitions().size());
            assertTrue(found.topicPartitions().containsAll(partitions));
            assertEquals(60_000, found.transactionTimeoutMs());
            assertEquals(
                    List.of("seen-id"),
                    admin
                            .listTransactions(new ListTransactionsOptions()
                                    .filterStates(List.of(TransactionState.ONGOING))
                                    .filterOnTransactionalIdPattern("seen-.*"))
                            .all()
                            .get()
                            .stream()
                            .map(TransactionListing::transactionalId)
                            .toList());
            producer.abortTransaction();
            Await.until(
                    "the end",
                    () -> admin.describeTransactions(List.of("seen-id"))
                                    .description("seen-id")
                                    .get()
                                    .state()
                            == TransactionState.COMPLETE_ABORT);
        }
    }

    @Test
    void offsetsOfAGroupAreCommittedWithTheTransactionOrNotAtAll() throws Exception {
        TopicPartition input = topic("input", 1).get(0);
        TopicPartition output = topic("output", 1).get(0);
        for (int i = 0; i < 5; i++) {
            clients.sharedProducer().send(record(input, "r" + i)).get();
        }
        String group = "job-" + System.nanoTime();
        try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer(
                        "group.id", group, "auto.offset.reset", "earliest", "isolation.level", "read_committed");
                KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", group)) {
            consumer.subscribe(List.of(input.topic()));
            Await.until("an assignment", () -> {
                consumer.poll(Duration.ofMillis(100));
                return !consumer.assignment().isEmpty();
            });
            producer.initTransactions();
            producer.beginTransaction();
            // Awaited: a record that is still with the client when the transaction aborts is never sent.
            producer.send(record(output, "aborted")).get();
            producer.sendOffsetsToTransaction(Map.of(input, new OffsetAndMetadata(3)), consumer.groupMetadata());
            producer.abortTransaction();
            assertEquals(null, consumer.committed(Set.of(input)).get(input), "dropped with the transaction");
            producer.beginTransaction();
            producer.send(record(output, "kept"));
            producer.sendOffsetsToTransaction(Map.of(input, new OffsetAndMetadata(5)), consumer.groupMetadata());
            producer.commitTransaction();
            // Waits until the offsets are stable (KIP-447).
            assertEquals(5, consumer.committed(Set.of(input)).get(input).offset());
        }
        Await.until("both markers", () -> end(output, IsolationLevel.READ_COMMITTED) == 4);
        assertEquals(List.of("kept"), committed(List.of(output)).get(0));
    }

    @Test
    void theCommandLineShowsAndAbortsThem(TestBroker broker) throws Exception {
        TopicPartition partition = topic("shown", 1).get(0);
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", "shown-id")) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record(partition, "open")).get();
            String where = partition.topic() + ":0";
            assertTrue(highwater(broker, "list", "--id-pattern", "shown.*").contains(where));
            String described = highwater(broker, "describe", "shown-id");
            assertTrue(described.contains("Ongoing") && described.contains(where), described);
            assertTrue(highwater(broker, "abort", "shown-id").contains("is fenced"));
            Await.until("the abort marker", () -> end(partition, IsolationLevel.READ_COMMITTED) == 2);
            assertTrue(isFenced(assertThrows(KafkaException.class, producer::commitTransaction)));
        }
        // The abort is told to the coordinator after the marker is written.
        Await.until(
                "none is open",
                () -> highwater(broker, "list", "--id-pattern", "shown.*").isEmpty());
    }

    /** As if its coordinator had forgotten it. */
    @Test
    void theCommandLineEndsOneInASinglePartition(TestBroker broker) throws Exception {
        List<TopicPartition> partitions = topic("hanging", 2);
        try (KafkaProducer<byte[], byte[]> producer = clients.producer("transactional.id", "hanging-id")) {
            producer.initTransactions();
            producer.beginTransaction();
            for (TopicPartition each : partitions) {
                producer.send(record(each, "open")).get();
            }
            String where = partitions.get(0).topic() + ":0";
            String[] abort = {"abort", "--partition", where, "--start-offset", "0"};
            assertTrue(highwater(broker, abort).contains(where + ": the transaction of producer "));
            assertEquals(2, end(partitions.get(0), IsolationLevel.READ_COMMITTED), "its marker is written");
            assertEquals(0, end(partitions.get(1), IsolationLevel.READ_COMMITTED), "only there");
            producer.abortTransaction();
        }
        Await.until("the other marker", () -> end(partitions.get(1), IsolationLevel.READ_COMMITTED) == 2);
        assertEquals(List.of(), committed(partitions).get(0));
    }

    private static String highwater(TestBroker broker, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of("transactions"));
        all.addAll(List.of(words));
        all.addAll(List.of("--bootstrap-server", broker.bootstrap()));
        Terminal terminal = new Terminal(
                InputStream.nullInputStream(), new PrintStream(out, true), new PrintStream(err, true), false);
        assertEquals(0, HighwaterCli.run(terminal, all.toArray(String[]::new)), err.toString(StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }
}
