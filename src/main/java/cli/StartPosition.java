package cli;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/**
 * Where {@code consume} begins in each partition: {@code beginning}, {@code end}, an offset, {@code -N} records before
 * the end, or {@code @TIME}. TIME is milliseconds since 1970, an ISO date and time (local unless it has a zone), or how
 * long ago: {@code @-15m}, {@code @-2h}.
 *
 * @param value the offset, the records before the end, or the time in milliseconds
 */
record StartPosition(Kind kind, long value) {

    enum Kind {
        BEGINNING,
        END,
        OFFSET,
        BEFORE_END,
        TIME
    }

    private static final Pattern AGO = Pattern.compile("-(\\d{1,9})([smhd])");

    static StartPosition parse(String text, long nowMillis) {
        return parse("--from", text, nowMillis);
    }

    /** @param option for the message when the text is no position */
    static StartPosition parse(String option, String text, long nowMillis) {
        String word = text.trim().toLowerCase(Locale.ROOT);
        try {
            return switch (word) {
                case "beginning", "earliest", "start" -> new StartPosition(Kind.BEGINNING, 0);
                case "end", "latest" -> new StartPosition(Kind.END, 0);
                default -> {
                    if (word.startsWith("@")) {
                        yield new StartPosition(Kind.TIME, time(text.trim().substring(1), nowMillis));
                    }
                    long number = Long.parseLong(word);
                    yield number < 0
                            ? new StartPosition(Kind.BEFORE_END, -number)
                            : new StartPosition(Kind.OFFSET, number);
                }
            };
        } catch (NumberFormatException | DateTimeParseException problem) {
            throw new CliFailure(
                    option + " " + text + " is no position",
                    "Allowed: beginning (earliest), end (latest), an offset, -N for N before the end,"
                            + " @TIME (milliseconds, 2026-11-30T10:00:00Z, or -15m for 15 minutes ago).");
        }
    }

    private static long time(String text, long nowMillis) {
        Matcher ago = AGO.matcher(text.toLowerCase(Locale.ROOT));
        if (ago.matches()) {
            long amount = Long.parseLong(ago.group(1));
            Duration unit = switch (ago.group(2)) {
                case "s" -> Duration.ofSeconds(1);
                case "m" -> Duration.ofMinutes(1);
                case "h" -> Duration.ofHours(1);
                default -> Duration.ofDays(1);
            };
            return nowMillis - unit.multipliedBy(amount).toMillis();
        }
        if (text.matches("\\d+")) {
            return Long.parseLong(text);
        }
        try {
            return Instant.parse(text.toUpperCase(Locale.ROOT)).toEpochMilli();
        } catch (DateTimeParseException noZone) {
            return LocalDateTime.parse(text.toUpperCase(Locale.ROOT))
                    .atZone(ZoneId.systemDefault())
                    .toInstant()
                    .toEpochMilli();
        }
    }

    /** The offset to begin at in each of {@code partitions}, within what the broker has now. */
    Map<TopicPartition, Long> resolve(Consumer<?, ?> consumer, List<TopicPartition> partitions) {
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        Map<TopicPartition, OffsetAndTimestamp> times = Map.of();
        if (kind == Kind.TIME) {
            Map<TopicPartition, Long> asked = new LinkedHashMap<>();
            partitions.forEach(partition -> asked.put(partition, value));
            times = consumer.offsetsForTimes(asked);
        }
        Map<TopicPartition, Long> positions = new LinkedHashMap<>();
        for (TopicPartition partition : partitions) {
            long begin = begins.get(partition);
            long end = ends.get(partition);
            OffsetAndTimestamp atTime = times.get(partition);
            long wish = switch (kind) {
                case BEGINNING -> begin;
                case END -> end;
                case OFFSET -> value;
                case BEFORE_END -> end - value;
                case TIME -> atTime == null ? end : atTime.offset();
            };
            positions.put(partition, Math.min(Math.max(wish, begin), end));
        }
        return positions;
    }
}
