package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.TransactionsCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kafka's own kafka-transactions, in all its commands. */
@ExtendWith(BrokerExtension.class)
class TransactionsToolTest {
    private static final String LONG_AGO = "3600000";

    private Clients clients;
    private TopicPartition partition;
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void begin(TestBroker broker) throws Exception {
        clients = new Clients(broker);
        partition = new TopicPartition(clients.topic(1), 0);
        producer = clients.producer("transactional.id", partition.topic(), "transaction.timeout.ms", "600000");
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(partition.topic(), 0, null, "v".getBytes(StandardCharsets.UTF_8)))
                .get();
    }

    @AfterEach
    void close() {
        clients.close();
    }

    /** What the command prints, by lines of words. */
    private List<List<String>> tool(TestBroker broker, String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--bootstrap-server", broker.bootstrap()));
        arguments.addAll(List.of(words));
        Function<Object, Admin> admin = parsed -> Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Method execute = TransactionsCommand.class.getDeclaredMethod(
                "execute", String[].class, Function.class, PrintStream.class, Time.class);
        execute.setAccessible(true);
        // It ends its process, in any case; this one shall go on.
        int[] status = {-1};
        Exit.setExitProcedure((code, message) -> {
            status[0] = code;
            throw new IllegalStateException(message);
        });
        try {
            InvocationTargetException ended = assertThrows(
                    InvocationTargetException.class,
                    () -> execute.invoke(
                            null, arguments.toArray(String[]::new), admin, new PrintStream(out, true), Time.SYSTEM));
            assertEquals(0, status[0], () -> ended.getCause().toString());
        } finally {
            Exit.resetExitProcedure();
        }
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> List.of(line.trim().split("\\s+")))
                .toList();
    }

    private long stableEnd() throws Exception {
        return clients.admin()
                .listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .partitionResult(partition)
                .get()
                .offset();
    }

    private String idIn(List<List<String>> lines) {
        return lines.stream()
                .filter(line -> line.get(0).equals(partition.topic()))
                .map(line -> line.get(3))
                .findFirst()
                .orElse("");
    }

    @Test
    void showsWhatIsOpen(TestBroker broker) throws Exception {
        String topic = partition.topic();
        assertEquals("Ongoing", idIn(tool(broker, "list")));
        assertEquals("Ongoing", idIn(tool(broker, "list", "--transactional-id-pattern", topic)));
        assertEquals("", idIn(tool(broker, "list", "--transactional-id-pattern", "not-" + topic)));
        assertEquals("", idIn(tool(broker, "list", "--duration-filter", LONG_AGO)));
        List<String> described =
                tool(broker, "describe", "--transactional-id", topic).get(1);
        assertTrue(described.containsAll(List.of(topic, "Ongoing", "600000", topic + "-0")), described.toString());
        List<String> writer = tool(broker, "describe-producers", "--topic", topic, "--partition", "0")
                .get(1);
        assertEquals("0", writer.get(5), "where the transaction begins: " + writer);
        // Its coordinator knows of it: it does not hang.
        assertEquals(
                1,
                tool(broker, "find-hanging", "--topic", topic, "--max-transaction-timeout", "0")
                        .size());
        producer.commitTransaction();
    }

    @Test
    void endsTheTransactionOfAPartition(TestBroker broker) throws Exception {
        String topic = partition.topic();
        assertEquals(0, stableEnd());
        tool(broker, "abort", "--topic", topic, "--partition", "0", "--start-offset", "0");
        assertEquals(2, stableEnd());
        List<String> writer = tool(broker, "describe-producers", "--topic", topic, "--partition", "0")
                .get(1);
        assertEquals("None", writer.get(5), writer.toString());
    }

    @Test
    void endsTheTransactionOfAnId(TestBroker broker) throws Exception {
        tool(broker, "forceTerminateTransaction", "--transactionalId", partition.topic());
        Await.until("the abort marker", () -> stableEnd() == 2);
        assertFalse(idIn(tool(broker, "list")).equals("Ongoing"));
        assertThrows(KafkaException.class, producer::commitTransaction);
    }
}
