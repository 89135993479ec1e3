package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Files of offsets and words for partitions. */
class OffsetPlanTest {

    private static final TopicPartition ORDERS_3 = new TopicPartition("orders", 3);

    private static List<OffsetPlan> read(String text) throws IOException {
        return OffsetPlan.read(new BufferedReader(new StringReader(text)));
    }

    @Test
    void readsWhatItWrites() throws IOException {
        for (String group : new String[] {null, "billing", "a,b", "say \"hi\"", "a b", ""}) {
            OffsetPlan plan = new OffsetPlan(group, ORDERS_3, 42);
            assertEquals(List.of(plan), read(plan.line() + "\n"), plan.line());
        }
        assertEquals("orders,3,42", new OffsetPlan(null, ORDERS_3, 42).line());
        assertEquals("billing,orders,3,42", new OffsetPlan("billing", ORDERS_3, 42).line());
    }

    @Test
    void readsWhatOthersWrite() throws IOException {
        assertEquals(
                List.of(new OffsetPlan(null, ORDERS_3, 42), new OffsetPlan("g", ORDERS_3, 7)),
                read("\"orders\",3,42\r\n\n\"g\", orders ,3, 7"));
    }

    @Test
    void aWrongLineIsNamed() {
        for (String line : List.of(
                "orders", "orders,3", "orders,x,1", "orders,3,-1", "orders,-3,1", "a,b,c,1,2", "\"orders,3,1", ",,,")) {
            CliFailure failure = assertThrows(CliFailure.class, () -> read("orders,0,1\n" + line), line);
            assertTrue(failure.getMessage().contains("line 2"), failure.getMessage());
        }
    }

    @Test
    void wordsForPartitions() {
        PartitionScope scope = PartitionScope.parse(List.of("a:0,2-3", "b", "a:5", "c:1", "c"));
        assertEquals(new TreeSet<>(List.of(0, 2, 3, 5)), scope.topics().get("a"));
        assertTrue(scope.topics().get("b").isEmpty());
        assertTrue(scope.topics().get("c").isEmpty(), "all of it wins");
        assertEquals(
                List.of(new TopicPartition("a", 2), new TopicPartition("b", 9)),
                scope.of(List.of(
                        new TopicPartition("a", 1),
                        new TopicPartition("a", 2),
                        new TopicPartition("b", 9),
                        new TopicPartition("d", 0))));
        assertThrows(CliFailure.class, () -> PartitionScope.parse(List.of("a:x")));
        assertThrows(CliFailure.class, () -> PartitionScope.parse(List.of("a:")));
    }
}
