package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions over many partitions. */
@ExtendWith(BrokerExtension.class)
class TransactionSizesTest {
    private static final int PARTITIONS = 300;
    private static final String STATE = "__transaction_state";
    /** Where the value of a record of the state topic says it, and what is an open transaction there. */
    private static final int STATUS_AT = 16;

    private static final byte ONGOING = 1;

    /** Each record of a transaction has all its partitions: one for each that is added would cost the square of their number. */
    @Test
    void partitionsOfOneRequestAreAddedTogether(TestBroker broker) throws Exception {
        Clients clients = new Clients(broker);
        try {
            String topic = clients.topic(PARTITIONS);
            KafkaProducer<byte[], byte[]> producer =
                    clients.producer("transactional.id", topic, "linger.ms", "100000", "delivery.timeout.ms", "300000");
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = 0; i < PARTITIONS; i++) {
                producer.send(new ProducerRecord<>(topic, i, null, new byte[] {1}));
            }
            producer.flush();
            Admin admin = clients.admin();
            assertEquals(
                    PARTITIONS,
                    admin.describeTransactions(List.of(topic))
                            .description(topic)
                            .get()
                            .topicPartitions()
                            .size());
            producer.commitTransaction();
            int opened = 0;
            for (ConsumerRecord<byte[], byte[]> each : states(clients, topic)) {
                opened += each.value()[STATUS_AT] == ONGOING ? 1 : 0;
            }
            assertTrue(opened > 0 && opened <= PARTITIONS / 3, opened + " records of the open transaction");
        } finally {
            clients.close();
        }
    }

    /** What the log has of a transactional id. */
    private static List<ConsumerRecord<byte[], byte[]>> states(Clients clients, String id) throws Exception {
        int partitions = clients.admin()
                .describeTopics(List.of(STATE))
                .allTopicNames()
                .get()
                .get(STATE)
                .partitions()
                .size();
        TopicPartition partition = new TopicPartition(STATE, (id.hashCode() & Integer.MAX_VALUE) % partitions);
        long end = clients.admin()
                .listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get()
                .offset();
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        while (consumer.position(partition) < end) {
            consumer.poll(Duration.ofMillis(200)).forEach(found::add);
        }
        found.removeIf(each -> each.value() == null || !endsWith(each.key(), name));
        return found;
    }

    private static boolean endsWith(byte[] bytes, byte[] end) {
        int from = bytes.length - end.length;
        return from >= 0 && Arrays.equals(bytes, from, bytes.length, end, 0, end.length);
    }
}
