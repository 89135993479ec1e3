package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stock consumers with group.protocol=consumer. */
@ExtendWith(BrokerExtension.class)
class ConsumerProtocolTest {
    private static final Duration POLL = Duration.ofMillis(100);

    private Clients clients;

    @BeforeEach
    void open(TestBroker broker) {
        clients = new Clients(broker);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private KafkaConsumer<byte[], byte[]> consumer(String group, String... more) {
        List<String> settings = new ArrayList<>(
                List.of("group.id", group, "group.protocol", "consumer", "auto.offset.reset", "earliest"));
        settings.addAll(List.of(more));
        return clients.consumer(settings.toArray(new String[0]));
    }

    @SafeVarargs
    private static void poll(KafkaConsumer<byte[], byte[]>... consumers) {
        for (KafkaConsumer<byte[], byte[]> each : consumers) {
            each.poll(POLL);
        }
    }

    private ConsumerGroupDescription described(String group) throws Exception {
        return clients.admin()
                .describeConsumerGroups(List.of(group))
                .all()
                .get()
                .get(group);
    }

    @Test
    void aGroupReadsCommitsAndGoesOnWhereItWas() throws Exception {
        String topic = clients.topic(3);
        for (int i = 0; i < 300; i++) {
            clients.sharedProducer().send(new ProducerRecord<>(topic, i % 3, null, new byte[] {(byte) i}));
        }
        clients.sharedProducer().flush();
        KafkaConsumer<byte[], byte[]> first = consumer(topic);
        first.subscribe(List.of(topic));
        assertEquals(300, clients.next(first, 300).size());
        first.commitSync();
        ConsumerGroupDescription described = described(topic);
        assertEquals(GroupType.CONSUMER, described.type());
        assertEquals(GroupState.STABLE, described.groupState());
        assertEquals("uniform", described.partitionAssignor());
        first.close();
        clients.sharedProducer().send(new ProducerRecord<>(topic, 1, null, new byte[] {7}));
        clients.sharedProducer().flush();
        KafkaConsumer<byte[], byte[]> second = consumer(topic);
        second.subscribe(List.of(topic));
        assertEquals(100, clients.next(second, 1).get(0).offset());
    }

    @Test
    void partitionsAreSharedAndMoveAsMembersComeAndGo() throws Exception {
        String topic = clients.topic(6);
        KafkaConsumer<byte[], byte[]> first = consumer(topic);
        first.subscribe(List.of(topic));
        Await.until("all are assigned", () -> {
            poll(first);
            return first.assignment().size() == 6;
        });
        KafkaConsumer<byte[], byte[]> second = consumer(topic);
        second.subscribe(List.of(topic));
        Await.until("half of them moved", () -> {
            poll(first, second);
            return first.assignment().size() == 3 && second.assignment().size() == 3;
        });
        Set<TopicPartition> all = new TreeSet<>(java.util.Comparator.comparing(TopicPartition::toString));
        all.addAll(first.assignment());
        all.addAll(second.assignment());
        assertEquals(6, all.size());
        first.close();
        Await.until("all are back", () -> {
            poll(second);
            return second.assignment().size() == 6;
        });
        clients.admin()
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(8)))
                .all()
                .get();
        Await.until("new ones are assigned", () -> {
            poll(second);
            return second.assignment().size() == 8;
        });
    }

    @Test
    void aRestartedStaticMemberKeepsItsPartitions() throws Exception {
        String topic = clients.topic(4);
        KafkaConsumer<byte[], byte[]> first = consumer(topic, "group.instance.id", "one");
        KafkaConsumer<byte[], byte[]> second = consumer(topic, "group.instance.id", "two");
        first.subscribe(List.of(topic));
        second.subscribe(List.of(topic));
        Await.until("both have their share", () -> {
            poll(first, second);
            return first.assignment().size() == 2 && second.assignment().size() == 2;
        });
        Set<TopicPartition> had = Set.copyOf(first.assignment());
        int epoch = described(topic).groupEpoch().orElseThrow();
        first.close();
        KafkaConsumer<byte[], byte[]> again = consumer(topic, "group.instance.id", "one");
        again.subscribe(List.of(topic));
        Await.until("it has its share again", () -> {
            poll(again, second);
            return again.assignment().size() == 2;
        });
        assertEquals(had, again.assignment());
        assertEquals(epoch, described(topic).groupEpoch().orElseThrow(), "no rebalance");
    }

    @Test
    void aPatternFindsItsTopicsUntilAnotherTakesItsPlace() throws Exception {
        String topic = clients.topic(2);
        KafkaConsumer<byte[], byte[]> consumer = consumer(topic);
        consumer.subscribe(new SubscriptionPattern(topic + "|" + topic + "-.*"));
        Await.until("the topic is found", () -> {
            poll(consumer);
            return consumer.assignment().size() == 2;
        });
        consumer.subscribe(new SubscriptionPattern("nothing-like-this"));
        Await.until("nothing is left", () -> {
            poll(consumer);
            return consumer.assignment().isEmpty();
        });
        Await.until("it said so", () -> {
            poll(consumer);
            return described(topic)
                    .members()
                    .iterator()
                    .next()
                    .assignment()
                    .topicPartitions()
                    .isEmpty();
        });
    }

    /** Assignments of the larger one are computed by a worker, also those that classic members join for. */
    @ParameterizedTest
    @ValueSource(ints = {6, 600})
    void aGroupMovesToTheNewProtocolAndBackWhileItReads(int partitions) throws Exception {
        String topic = clients.topic(partitions);
        KafkaConsumer<byte[], byte[]> old = consumer(topic, "group.protocol", "classic");
        old.subscribe(List.of(topic));
        Await.until("the classic group is up", () -> {
            poll(old);
            return old.assignment().size() == partitions;
        });
        KafkaConsumer<byte[], byte[]> modern = consumer(topic);
        modern.subscribe(List.of(topic));
        Await.until("both share", () -> {
            poll(old, modern);
            return old.assignment().size() == partitions / 2
                    && modern.assignment().size() == partitions / 2;
        });
        assertEquals(GroupType.CONSUMER, described(topic).type());
        KafkaConsumer<byte[], byte[]> late = consumer(topic, "group.protocol", "classic");
        late.subscribe(List.of(topic));
        Await.until("a new classic member has its share", () -> {
            poll(old, modern, late);
            return List.of(old, modern, late).stream()
                    .allMatch(each -> each.assignment().size() == partitions / 3);
        });
        old.commitSync(Map.of(old.assignment().iterator().next(), new OffsetAndMetadata(0)));
        modern.commitSync(Map.of(modern.assignment().iterator().next(), new OffsetAndMetadata(0)));
        late.close();
        modern.close();
        Await.until("the classic one has all again", () -> {
            poll(old);
            return old.assignment().size() == partitions;
        });
        assertEquals(GroupType.CLASSIC, described(topic).type());
    }
}
