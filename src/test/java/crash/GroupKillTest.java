package crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A real broker that is killed in the middle of rebalances: rules G3, G4, G8, L5 as stock consumers see them. */
@ExtendWith(QuietClients.class)
class GroupKillTest {
    private static final long SEED = 11;
    private static final int KILLS = 8;
    private static final int PARTITIONS = 6;
    private static final int MEMBERS = 3;
    private static final String TOPIC = "t";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);

    @TempDir
    Path home;

    private final Random random = new Random(SEED);
    private final List<Member> members = new ArrayList<>();
    /** Generation to partition to owner. */
    private final Map<Integer, Map<Integer, String>> owners = new TreeMap<>();

    private final class Member implements ConsumerRebalanceListener {
        private final KafkaConsumer<String, String> consumer;

        Member(RealBroker broker) {
            consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers", broker.bootstrap(),
                            "group.id", "g",
                            "enable.auto.commit", false,
                            "heartbeat.interval.ms", 200,
                            "session.timeout.ms", 20_000,
                            "default.api.timeout.ms", 120_000,
                            "request.timeout.ms", 10_000,
                            "reconnect.backoff.max.ms", 100),
                    new StringDeserializer(),
                    new StringDeserializer());
            consumer.subscribe(List.of(TOPIC), this);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            Map<Integer, String> ofGeneration = owners.computeIfAbsent(generation(), any -> new TreeMap<>());
            for (TopicPartition each : partitions) {
                String me = consumer.groupMetadata().memberId();
                String other = ofGeneration.putIfAbsent(each.partition(), me);
                assertTrue(
                        other == null || other.equals(me),
                        () -> each + " belongs to two members in generation " + generation());
            }
        }

        int generation() {
            return consumer.groupMetadata().generationId();
        }
    }

    @Test
    void killedInTheMiddleOfRebalances() throws Exception {
        try (RealBroker broker = new RealBroker(home)) {
            broker.start();
            createTopic(broker);
            for (int i = 0; i < MEMBERS; i++) {
                members.add(new Member(broker));
            }
            int generation = settle();
            for (int kill = 0; kill < KILLS; kill++) {
                commit(kill);
                members.get(random.nextInt(MEMBERS)).consumer.enforceRebalance();
                pollAll(random.nextInt(8));
                broker.kill();
                broker.start();
                int next = settle();
                assertTrue(next >= generation, next + " after " + generation + ", seed " + SEED);
                generation = next;
                assertCommitted(kill);
            }
            members.forEach(each -> each.consumer.close());
        }
    }

    private static void createTopic(RealBroker broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    private void pollAll(int times) {
        for (int i = 0; i < times; i++) {
            members.forEach(each -> each.consumer.poll(Duration.ofMillis(10)));
        }
    }

    /** Until all share the partitions in one generation, which is returned. */
    private int settle() {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            members.forEach(each -> each.consumer.poll(Duration.ofMillis(20)));
            TreeSet<Integer> generations = new TreeSet<>();
            TreeSet<Integer> owned = new TreeSet<>();
            int sum = 0;
            for (Member each : members) {
                generations.add(each.generation());
                each.consumer.assignment().forEach(partition -> owned.add(partition.partition()));
                sum += each.consumer.assignment().size();
            }
            if (generations.size() == 1 && owned.size() == PARTITIONS && sum == PARTITIONS) {
                return generations.first();
            }
            assertTrue(System.nanoTime() < end, () -> "the group is stuck (L5): " + owned + " in " + generations);
        }
    }

    private void commit(int offset) {
        for (Member each : members) {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    new TreeMap<>((one, other) -> one.partition() - other.partition());
            each.consumer.assignment().forEach(partition -> offsets.put(partition, new OffsetAndMetadata(offset)));
            each.consumer.commitSync(offsets);
        }
    }

    /** Rule G8: what was answered is there. */
    private void assertCommitted(int offset) {
        TreeSet<TopicPartition> all = new TreeSet<>((one, other) -> one.partition() - other.partition());
        for (int i = 0; i < PARTITIONS; i++) {
            all.add(new TopicPartition(TOPIC, i));
        }
        members.get(0).consumer.committed(all).values().forEach(each -> assertEquals(offset, each.offset()));
    }
}
