package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

class PrintedOffsetsTest {

    private static final TopicPartition A0 = new TopicPartition("a", 0);
    private static final TopicPartition A1 = new TopicPartition("a", 1);

    /** Commits, after it threw what it was told to. */
    private static final class Member extends MockConsumer<byte[], byte[]> {
        private final List<RuntimeException> problems = new ArrayList<>();
        private final List<String> commits = new ArrayList<>();

        Member(TopicPartition... partitions) {
            super("none");
            assign(List.of(partitions));
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            if (!problems.isEmpty()) {
                throw problems.remove(0);
            }
            TreeMap<String, Long> sorted = new TreeMap<>();
            offsets.forEach((partition, offset) -> sorted.put(partition.toString(), offset.offset()));
            commits.add(sorted.toString());
        }
    }

    private final PrintedOffsets printed = new PrintedOffsets();

    private void print(TopicPartition partition, long offset) {
        printed.printed(
                new ConsumerRecord<byte[], byte[]>(partition.topic(), partition.partition(), offset, null, null));
    }

    @Test
    void commitsBehindTheLastOfEachOnce() {
        try (Member member = new Member(A0, A1)) {
            print(A0, 5);
            print(A1, 7);
            print(A0, 6);
            printed.commit(member);
            printed.commit(member);
            assertEquals(List.of("{a-0=7, a-1=8}"), member.commits);
        }
    }

    @Test
    void aRebalanceIsWaitedForAndWhatItTookIsNotCommitted() {
        try (Member member = new Member(A0, A1)) {
            member.problems.add(new RebalanceInProgressException());
            print(A0, 5);
            print(A1, 7);
            printed.commit(member);
            assertEquals(List.of(), member.commits);
            member.assign(List.of(A1));
            printed.commit(member);
            assertEquals(List.of("{a-1=8}"), member.commits);
        }
    }

    @Test
    void anInterruptDoesNotKeepItFromCommitting() {
        try (Member member = new Member(A0)) {
            member.problems.add(new WakeupException());
            print(A0, 5);
            assertThrows(WakeupException.class, () -> printed.commit(member));
            assertEquals(List.of("{a-0=6}"), member.commits);
        }
    }
}
