package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import cli.StartPosition.Kind;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class StartPositionTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    @Test
    void wordsAndNumbers() {
        assertEquals(new StartPosition(Kind.BEGINNING, 0), StartPosition.parse("beginning", NOW));
        assertEquals(new StartPosition(Kind.BEGINNING, 0), StartPosition.parse(" Earliest ", NOW));
        assertEquals(new StartPosition(Kind.END, 0), StartPosition.parse("latest", NOW));
        assertEquals(new StartPosition(Kind.OFFSET, 42), StartPosition.parse("42", NOW));
        assertEquals(new StartPosition(Kind.BEFORE_END, 10), StartPosition.parse("-10", NOW));
    }

    @Test
    void times() {
        assertEquals(new StartPosition(Kind.TIME, 1234), StartPosition.parse("@1234", NOW));
        assertEquals(new StartPosition(Kind.TIME, NOW - 15 * 60_000), StartPosition.parse("@-15m", NOW));
        assertEquals(new StartPosition(Kind.TIME, NOW - 86_400_000), StartPosition.parse("@-1d", NOW));
        assertEquals(
                new StartPosition(
                        Kind.TIME, Instant.parse("2026-11-30T10:00:00Z").toEpochMilli()),
                StartPosition.parse("@2026-11-30T10:00:00Z", NOW));
        assertEquals(
                new StartPosition(
                        Kind.TIME,
                        LocalDateTime.parse("2026-11-30T10:00")
                                .atZone(ZoneId.systemDefault())
                                .toInstant()
                                .toEpochMilli()),
                StartPosition.parse("@2026-11-30T10:00", NOW));
    }

    @Test
    void nonsenseIsRefused() {
        for (String text : List.of("", "soon", "@", "@soon", "@-5y", "1.5", "99999999999999999999")) {
            assertThrows(CliFailure.class, () -> StartPosition.parse(text, NOW), text);
        }
    }

    @Test
    void positionsStayWithinTheLog() {
        assertEquals(100, resolve("beginning"));
        assertEquals(200, resolve("end"));
        assertEquals(100, resolve("7"));
        assertEquals(150, resolve("150"));
        assertEquals(200, resolve("7000"));
        assertEquals(190, resolve("-10"));
        assertEquals(100, resolve("-1000"));
        assertEquals(200, resolve("@5"), "no record so late");
    }

    private static long resolve(String text) {
        try (MockConsumer<byte[], byte[]> consumer = new LogOf100To200()) {
            return StartPosition.parse(text, NOW)
                    .resolve(consumer, List.of(PARTITION))
                    .get(PARTITION);
        }
    }

    private static final class LogOf100To200 extends MockConsumer<byte[], byte[]> {
        LogOf100To200() {
            super("none");
            updateBeginningOffsets(Map.of(PARTITION, 100L));
            updateEndOffsets(Map.of(PARTITION, 200L));
        }

        @Override
        public synchronized Map<TopicPartition, org.apache.kafka.clients.consumer.OffsetAndTimestamp> offsetsForTimes(
                Map<TopicPartition, Long> times) {
            return java.util.Collections.singletonMap(PARTITION, null);
        }
    }
}
