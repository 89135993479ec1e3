package compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stock consumers that share topics by the classic protocol. */
@ExtendWith(BrokerExtension.class)
class ClassicConsumersTest {
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int PARTITIONS = 6;

    private Clients clients;
    private String topic;
    private String group;
    private final TreeMap<String, Integer> reads = new TreeMap<>();
    private int sent;

    @BeforeEach
    void open(TestBroker broker) throws Exception {
        clients = new Clients(broker);
        topic = clients.topic(PARTITIONS);
        group = "group-of-" + topic;
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    /** One consumer and what happens to it. */
    private final class Member implements ConsumerRebalanceListener {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private int rebalances;

        Member(String... settings) {
            List<String> all = new ArrayList<>(
                    List.of("group.id", group, "auto.offset.reset", "earliest", "heartbeat.interval.ms", "200"));
            all.addAll(List.of(settings));
            consumer = clients.consumer(all.toArray(String[]::new));
            consumer.subscribe(List.of(topic), this);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            try {
                consumer.commitSync();
            } catch (CommitFailedException thrownOut) {
                // Then what was not committed is read again.
            }
        }

        /** They are another member's by now: there is nothing to commit. */
        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            rebalances++;
        }

        void poll() {
            for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
                reads.merge(new String(each.value(), UTF_8), 1, Integer::sum);
            }
        }

        TreeSet<Integer> owned() {
            TreeSet<Integer> partitions = new TreeSet<>();
            consumer.assignment().forEach(each -> partitions.add(each.partition()));
            return partitions;
        }

        void close() {
            consumer.commitSync();
            consumer.close();
        }
    }

    private void send(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            byte[] value = ("record " + sent).getBytes(UTF_8);
            clients.sharedProducer().send(new ProducerRecord<>(topic, sent % PARTITIONS, null, value));
            sent++;
        }
        clients.sharedProducer().flush();
    }

    /** Until the members own all partitions, each one of them at least one, and have read all that was sent. */
    private void settle(Member... members) throws Exception {
        Await.until("the members share all partitions and have read all", () -> {
            TreeSet<Integer> owned = new TreeSet<>();
            int sum = 0;
            boolean each = true;
            for (Member member : members) {
                member.poll();
                owned.addAll(member.owned());
                sum += member.owned().size();
                each &= !member.owned().isEmpty();
            }
            return each && sum == PARTITIONS && owned.size() == PARTITIONS && reads.size() == sent;
        });
    }

    private void assertReadOnce() {
        reads.forEach((value, times) -> assertEquals(1, times, value));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                RangeAssignor.class,
                RoundRobinAssignor.class,
                StickyAssignor.class,
                CooperativeStickyAssignor.class
            })
    void membersComeAndGo(Class<?> assignor) throws Exception {
        String[] settings = {"partition.assignment.strategy", assignor.getName()};
        send(60);
        Member first = new Member(settings);
        settle(first);
        Member second = new Member(settings);
        settle(first, second);
        Member third = new Member(settings);
        send(60);
        settle(first, second, third);
        first.close();
        send(60);
        settle(second, third);
        second.close();
        third.close();
        Member later = new Member(settings);
        send(60);
        settle(later);
        assertReadOnce();
    }

    @Test
    void aRestartedStaticMemberTakesUpWhatItHad() throws Exception {
        Member stays = new Member("group.instance.id", "stays");
        Member restarts = new Member("group.instance.id", "restarts");
        send(60);
        settle(stays, restarts);
        TreeSet<Integer> had = restarts.owned();
        int rebalances = stays.rebalances;
        restarts.close();
        Member again = new Member("group.instance.id", "restarts");
        send(60);
        settle(stays, again);
        assertEquals(had, again.owned());
        assertEquals(rebalances, stays.rebalances, "the other member noticed nothing");
        assertReadOnce();
    }

    @Test
    void aRollingRestartLosesNothing() throws Exception {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(new Member());
        }
        send(60);
        settle(members.toArray(Member[]::new));
        for (int i = 0; i < 3; i++) {
            members.remove(0).close();
            send(60);
            members.add(new Member());
            settle(members.toArray(Member[]::new));
        }
        assertReadOnce();
    }

    @Test
    void whoStopsPollingLosesItsPartitions() throws Exception {
        Member slow = new Member("max.poll.interval.ms", "3000");
        Member other = new Member();
        settle(slow, other);
        send(60);
        settle(other);
        settle(other, slow);
    }

    @Test
    void whoVanishesIsForgottenAfterItsSession() throws Exception {
        Member stays = new Member();
        Member vanishes = new Member("session.timeout.ms", "6000", "internal.leave.group.on.close", "false");
        settle(stays, vanishes);
        vanishes.consumer.close();
        send(60);
        settle(stays);
        assertReadOnce();
    }

    @Test
    void groupsAreDescribed() throws Exception {
        Member first = new Member("client.id", "first");
        Member second = new Member("client.id", "second");
        settle(first, second);
        var described = clients.admin()
                .describeClassicGroups(List.of(group))
                .all()
                .get()
                .get(group);
        assertEquals("Stable", described.state().toString());
        assertEquals("range", described.protocolData());
        Map<String, TreeSet<Integer>> owned = new TreeMap<>();
        described.members().forEach(each -> {
            TreeSet<Integer> partitions = new TreeSet<>();
            each.assignment().topicPartitions().forEach(partition -> partitions.add(partition.partition()));
            owned.put(each.clientId(), partitions);
        });
        assertEquals(Map.of("first", first.owned(), "second", second.owned()), owned);
        assertTrue(clients.admin().listGroups().all().get().stream()
                .anyMatch(each -> each.groupId().equals(group)));
    }
}
