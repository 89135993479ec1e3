package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class GroupLagTest {

    private static final TopicPartition A0 = new TopicPartition("a", 0);
    private static final TopicPartition A1 = new TopicPartition("a", 1);
    private static final TopicPartition A10 = new TopicPartition("a", 10);
    private static final TopicPartition GONE = new TopicPartition("gone", 0);
    private static final MemberDescription MEMBER = new MemberDescription(
            "m",
            Optional.empty(),
            Optional.empty(),
            "c",
            "/h",
            new MemberAssignment(Set.of(A1)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    @Test
    void lagIsNeverNegativeAndUnknownIsNotZero() {
        GroupLag lag =
                GroupLag.of(committed(), Map.of(A0, 100L, A1, 50L, A10, 7L), Map.of(A0, 1_500L), Map.of(A1, MEMBER));
        assertEquals(
                List.of(A0, A1, A10, GONE),
                lag.rows().stream().map(GroupLag.Row::partition).toList());
        assertEquals(60, lag.rows().get(0).lag());
        assertEquals("1.5", lag.rows().get(0).age());
        assertNull(lag.rows().get(1).lag(), "assigned, nothing committed");
        assertEquals(MEMBER, lag.rows().get(1).member());
        assertEquals(0, lag.rows().get(2).lag(), "committed since the end was asked");
        assertEquals("-", lag.rows().get(2).age());
        assertNull(lag.rows().get(3).lag(), "the topic is gone");
        assertEquals(60, lag.total());
        assertEquals(1_500, lag.oldestMillis());
    }

    private static Map<TopicPartition, Long> committed() {
        Map<TopicPartition, Long> committed = new LinkedHashMap<>();
        committed.put(GONE, 5L);
        committed.put(A10, 9L);
        committed.put(A0, 40L);
        return committed;
    }

    @Test
    void onlyWhatIsBehindIsRead() {
        assertEquals(Map.of(A0, 40L), GroupLag.behind(committed(), Map.of(A0, 100L, A10, 9L)));
    }

    @Test
    void ageIsThatOfTheFirstRecordAndNeverNegative() {
        long now = System.currentTimeMillis();
        Map<TopicPartition, Long> ends = Map.of(A0, 12L, A1, 12L, A10, 12L, GONE, 12L);
        Map<TopicPartition, Long> from = new LinkedHashMap<>();
        List.of(A0, A1, A10, GONE).forEach(partition -> from.put(partition, 10L));
        try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none")) {
            consumer.schedulePollTask(() -> {
                consumer.addRecord(record(A0, 10, now - 5_000));
                consumer.addRecord(record(A0, 11, now - 1_000));
                consumer.addRecord(record(A1, 10, now + 3_600_000));
                consumer.addRecord(record(A10, 10, -1));
                // Nothing but marks of transactions up to the end.
                consumer.seek(GONE, 12);
            });
            Map<TopicPartition, Long> ages = LagAge.of(consumer, from, ends, Duration.ofMinutes(10));
            assertEquals(Set.of(A0, A1), ages.keySet());
            assertTrue(ages.get(A0) >= 5_000, ages.toString());
            assertEquals(0, ages.get(A1));
            assertEquals(Set.of(A0, A1, A10), consumer.paused());
        }
    }

    @Test
    void aPartitionThatDoesNotAnswerHasNoAge() {
        try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none")) {
            assertEquals(Map.of(), LagAge.of(consumer, Map.of(A0, 10L), Map.of(A0, 12L), Duration.ZERO));
        }
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset, long timestamp) {
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                -1,
                -1,
                null,
                null,
                new RecordHeaders(),
                Optional.empty());
    }
}
