package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import compat.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes as processes of their own, each broker and controller. */
@ExtendWith(QuietClients.class)
class FailoverTest {
    private static final int PARTITIONS = 6;
    private static final String SESSION_MILLIS = "600000";

    @TempDir
    Path home;

    private final List<RealBroker> brokers = new ArrayList<>();
    private final List<String> listeners = new ArrayList<>();

    @AfterEach
    void end() {
        brokers.forEach(RealBroker::close);
    }

    private void cluster() throws IOException {
        List<Integer> ports = List.of(FreePort.choose(), FreePort.choose(), FreePort.choose());
        String voters = "1@127.0.0.1:" + ports.get(0) + ",2@127.0.0.1:" + ports.get(1) + ",3@127.0.0.1:" + ports.get(2);
        for (int id = 1; id <= 3; id++) {
            Path own = Files.createDirectory(home.resolve("n" + id));
            RealBroker broker = new RealBroker(
                    own,
                    "node.id=" + id,
                    "controller.listener.names=CONTROLLER",
                    "controller.quorum.voters=" + voters,
                    "broker.session.timeout.ms=" + SESSION_MILLIS,
                    "replica.lag.time.max.ms=" + SESSION_MILLIS);
            brokers.add(broker);
            listeners.add("PLAINTEXT://" + broker.bootstrap() + ",CONTROLLER://127.0.0.1:" + ports.get(id - 1));
        }
    }

    private void start(int index) {
        try {
            brokers.get(index).start("listeners=" + listeners.get(index));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String bootstrap() {
        return brokers.stream().map(RealBroker::bootstrap).collect(Collectors.joining(","));
    }

    /**
     * Each node in turn, the active controller among them. The session is so long that whoever waited for its end, or for a follower to have lagged long enough, would get no record
     * acknowledged before the producer gives up: what tells is that the process is gone.
     */
    @Test
    void acknowledgementsGoOnThoughNoSessionEnds_L1() throws Exception {
        cluster();
        List<Thread> starts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int index = i;
            starts.add(new Thread(() -> start(index)));
        }
        starts.forEach(Thread::start);
        for (Thread each : starts) {
            each.join();
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
            NewTopic topic = new NewTopic("t", PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2"));
            admin.createTopics(List.of(topic)).all().get();
        }
        int sent = send();
        for (int i = 0; i < 3; i++) {
            brokers.get(i).kill();
            sent += send();
            start(i);
            sent += send();
        }
        assertEquals(sent, read());
    }

    /** To all partitions, acknowledged by all in-sync replicas. */
    private int send() throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap(),
                "acks", "all",
                "delivery.timeout.ms", "180000",
                "request.timeout.ms", "20000",
                "linger.ms", "0");
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                sent.add(producer.send(new ProducerRecord<>("t", partition, null, "v")));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        }
        return sent.size();
    }

    private int read() {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap(), "auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                all.add(new TopicPartition("t", partition));
            }
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long end = consumer.endOffsets(all).values().stream()
                    .mapToLong(each -> each)
                    .sum();
            int read = 0;
            while (read < end) {
                read += consumer.poll(Duration.ofSeconds(1)).count();
            }
            return read;
        }
    }
}
