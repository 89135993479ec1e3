package compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Committed offsets as Kafka's own consumer and admin client use them, over sockets. */
@ExtendWith(BrokerExtension.class)
class CommittedOffsetsTest {
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

    @Test
    void aConsumerThatAssignsItselfCommits() throws Exception {
        try (KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("group.id", "assigned", "auto.offset.reset", "earliest")) {
            List<TopicPartition> partitions = topic("assigned", 3);
            consumer.assign(partitions);
            assertEquals(null, consumer.committed(Set.copyOf(partitions)).get(partitions.get(0)));
            consumer.commitSync(Map.of(
                    partitions.get(0), new OffsetAndMetadata(0, Optional.of(0), "where I am"),
                    partitions.get(1), new OffsetAndMetadata(7)));
            CountDownLatch done = new CountDownLatch(1);
            List<Exception> failures = new ArrayList<>();
            consumer.commitAsync(Map.of(partitions.get(1), new OffsetAndMetadata(5)), (offsets, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                }
                done.countDown();
            });
            Await.until("an answer", () -> {
                consumer.poll(Duration.ofMillis(10));
                return done.getCount() == 0;
            });
            assertEquals(List.of(), failures);
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
            assertEquals(new OffsetAndMetadata(0, Optional.of(0), "where I am"), committed.get(partitions.get(0)));
            assertEquals(5, committed.get(partitions.get(1)).offset());
            assertEquals(null, committed.get(partitions.get(2)));
        }
    }

    @Test
    void anAdminListsAltersAndDeletes() throws Exception {
        List<TopicPartition> partitions = topic("administered", 2);
        List<String> groups = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            groups.add("administered-" + i);
            alter(groups.get(i), Map.of(partitions.get(0), (long) i, partitions.get(1), 100L + i));
        }
        Map<String, ListConsumerGroupOffsetsSpec> specs = new TreeMap<>();
        groups.forEach(group -> specs.put(group, new ListConsumerGroupOffsetsSpec()));
        specs.put("nobody", new ListConsumerGroupOffsetsSpec());
        Map<String, Map<TopicPartition, OffsetAndMetadata>> listed =
                admin.listConsumerGroupOffsets(specs).all().get();
        assertEquals(Map.of(), listed.get("nobody"));
        for (int i = 0; i < 12; i++) {
            assertEquals(i, listed.get(groups.get(i)).get(partitions.get(0)).offset());
            assertEquals(
                    100 + i, listed.get(groups.get(i)).get(partitions.get(1)).offset());
        }
        assertEquals(Set.copyOf(groups), listedGroups("administered"));
        assertEquals(
                GroupState.EMPTY,
                admin.describeConsumerGroups(List.of(groups.get(0)))
                        .all()
                        .get()
                        .get(groups.get(0))
                        .groupState());
        admin.deleteConsumerGroupOffsets(groups.get(0), Set.of(partitions.get(0)))
                .all()
                .get();
        assertEquals(Set.of(partitions.get(1)), offsets(groups.get(0)).keySet());
        admin.deleteConsumerGroups(groups.subList(1, 12)).all().get();
        assertEquals(Set.of(groups.get(0)), listedGroups("administered"));
        assertEquals(Map.of(), offsets(groups.get(5)));
        ExecutionException twice = assertThrows(
                ExecutionException.class,
                () -> admin.deleteConsumerGroups(List.of(groups.get(5))).all().get());
        assertInstanceOf(GroupIdNotFoundException.class, twice.getCause());
    }

    @Test
    void aGroupWithAMemberKeepsItsOffsetsAndRefusesOthers() throws Exception {
        try (KafkaConsumer<byte[], byte[]> consumer =
                clients.consumer("group.id", "joined", "auto.offset.reset", "earliest")) {
            List<TopicPartition> partitions = topic("joined", 2);
            consumer.subscribe(List.of("joined"));
            Await.until("an assignment", () -> {
                consumer.poll(Duration.ofMillis(20));
                return consumer.assignment().size() == 2;
            });
            consumer.commitSync(Map.of(partitions.get(0), new OffsetAndMetadata(3)));
            ExecutionException refused =
                    assertThrows(ExecutionException.class, () -> alter("joined", Map.of(partitions.get(0), 1L)));
            assertInstanceOf(UnknownMemberIdException.class, refused.getCause());
            ExecutionException subscribed = assertThrows(
                    ExecutionException.class,
                    () -> admin.deleteConsumerGroupOffsets("joined", Set.of(partitions.get(0)))
                            .all()
                            .get());
            assertInstanceOf(GroupSubscribedToTopicException.class, subscribed.getCause());
            ExecutionException notEmpty = assertThrows(
                    ExecutionException.class,
                    () -> admin.deleteConsumerGroups(List.of("joined")).all().get());
            assertInstanceOf(GroupNotEmptyException.class, notEmpty.getCause());
            assertEquals(3, offsets("joined").get(partitions.get(0)).offset());
        }
    }

    @Test
    void aDeletedTopicTakesItsOffsetsWithIt() throws Exception {
        List<TopicPartition> partitions = topic("short-lived", 1);
        alter("survivor", Map.of(partitions.get(0), 9L));
        admin.deleteTopics(List.of("short-lived")).all().get();
        Await.until("the offset is gone", () -> offsets("survivor").isEmpty());
        topic("short-lived", 1);
        assertEquals(Map.of(), offsets("survivor"));
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
    }

    private Set<String> listedGroups(String prefix) throws Exception {
        Collection<GroupListing> groups = admin.listGroups(
                        new ListGroupsOptions().inGroupStates(Set.of(GroupState.EMPTY)))
                .all()
                .get();
        return Set.copyOf(groups.stream()
                .map(GroupListing::groupId)
                .filter(id -> id.startsWith(prefix))
                .toList());
    }

    private void alter(String group, Map<TopicPartition, Long> offsets) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> wanted = new LinkedHashMap<>();
        offsets.forEach((partition, offset) -> wanted.put(partition, new OffsetAndMetadata(offset)));
        admin.alterConsumerGroupOffsets(group, wanted).all().get();
    }

    private List<TopicPartition> topic(String name, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get();
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new TopicPartition(name, i));
        }
        return all;
    }
}
