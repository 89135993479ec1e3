package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import compat.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A real broker under kill -9 while groups commit (G2, G8): what was acknowledged is there, and never anything older. */
@ExtendWith(QuietClients.class)
class OffsetKillTest {
    private static final int KILLS = 6;
    private static final int GROUPS = 5;
    private static final int COMMITS_A_ROUND = 40;

    @TempDir
    Path home;

    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Long> sent = new TreeMap<>();
    /** Groups with an answer since the last kill. */
    private final Set<String> answered = new ConcurrentSkipListSet<>();

    private long next;

    @Test
    void acknowledgedOffsetsOutliveTheProcess() throws Exception {
        try (RealBroker broker = new RealBroker(home)) {
            broker.start();
            TopicPartition partition = new TopicPartition("t", 0);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic("t", 1, (short) 1)))
                        .all()
                        .get();
            }
            Map<String, KafkaConsumer<String, String>> consumers = new LinkedHashMap<>();
            for (int i = 0; i < GROUPS; i++) {
                consumers.put("g" + i, consumer(broker, "g" + i));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                // Commits fail at once until a client has found its coordinator again: go on until each group had an
                // answer.
                answered.clear();
                Await.until("an answer for each group, kill " + kill, () -> {
                    commitAll(consumers, partition);
                    return answered.size() == GROUPS;
                });
                for (int i = 0; i < COMMITS_A_ROUND; i++) {
                    commitAll(consumers, partition);
                }
                broker.kill();
                broker.start();
                check(broker, partition);
            }
            consumers.values().forEach(each -> each.close(CloseOptions.timeout(Duration.ZERO)));
        }
    }

    private void commitAll(Map<String, KafkaConsumer<String, String>> consumers, TopicPartition partition) {
        long offset = ++next;
        consumers.forEach((group, consumer) -> {
            sent.put(group, offset);
            consumer.commitAsync(Map.of(partition, new OffsetAndMetadata(offset)), (offsets, failure) -> {
                if (failure == null) {
                    acknowledged.merge(group, offset, Math::max);
                    answered.add(group);
                }
            });
            consumer.poll(Duration.ZERO);
        });
    }

    private void check(RealBroker broker, TopicPartition partition) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            for (Map.Entry<String, Long> each : new TreeMap<>(acknowledged).entrySet()) {
                long found = admin.listConsumerGroupOffsets(each.getKey())
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(partition)
                        .offset();
                assertTrue(found >= each.getValue(), each + " was acknowledged, found " + found);
                assertTrue(found <= sent.get(each.getKey()), each + ": nobody sent " + found);
            }
        }
        assertEquals(GROUPS, acknowledged.size());
    }

    private static KafkaConsumer<String, String> consumer(RealBroker broker, String group) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrap(), "group.id", group, "enable.auto.commit", "false"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.assign(List.of(new TopicPartition("t", 0)));
        return consumer;
    }
}
