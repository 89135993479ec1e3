package cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Where offsets are reset to: {@code --to POSITION}, or one of the options of Kafka's tool. */
final class ResetTarget {

    enum Kind {
        EARLIEST,
        LATEST,
        CURRENT,
        OFFSET,
        BEFORE_END,
        TIME,
        SHIFT,
        FILE
    }

    /** @param value the offset, the records to shift by or before the end, or the time in milliseconds */
    record Goal(Kind kind, long value) {

        /**
         * The new offset of a partition, between its begin and end.
         *
         * @param committed null: nothing yet
         * @param atTime the first offset at the time; -1 where no record is that late
         */
        long offset(String partition, long begin, long end, Long committed, long atTime) {
            if (kind == Kind.SHIFT && committed == null) {
                throw new CliFailure(
                        "cannot shift " + partition + ": the group has committed nothing there",
                        "Reset it to a position, such as --to earliest.");
            }
            long wish = switch (kind) {
                case EARLIEST -> begin;
                case LATEST -> end;
                case CURRENT -> committed == null ? end : committed;
                case OFFSET, FILE -> value;
                case BEFORE_END -> end - value;
                case TIME -> atTime < 0 ? end : atTime;
                case SHIFT -> saturatedSum(committed, value);
            };
            return Math.min(Math.max(wish, begin), end);
        }

        private static long saturatedSum(long offset, long shift) {
            long sum = offset + shift;
            boolean overflow = ((offset ^ sum) & (shift ^ sum)) < 0;
            if (overflow) {
                return shift < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
            }
            return sum;
        }
    }

    @Option(
            names = "--to",
            paramLabel = "POSITION",
            description = "earliest, latest, current, an offset, -N (N before the end) or @TIME as in consume.")
    private String to;

    @Option(names = "--to-earliest", description = "The first offset.")
    private boolean earliest;

    @Option(names = "--to-latest", description = "The end.")
    private boolean latest;

    @Option(names = "--to-current", description = "What is committed; the end where nothing is.")
    private boolean current;

    @Option(names = "--to-offset", paramLabel = "N", description = "This offset.")
    private Long offset;

    @Option(
            names = "--to-datetime",
            paramLabel = "TIME",
            description = "The first record since then: 2026-11-30T10:00:00.000, in UTC if without a zone.")
    private String datetime;

    @Option(
            names = "--by-duration",
            paramLabel = "PERIOD",
            description = "The first record since so long ago: PT15M, P1DT2H.")
    private String duration;

    @Option(names = "--shift-by", paramLabel = "N", description = "N records on, or with -N back.")
    private Long shift;

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "Lines of topic,partition,offset, as --export prints them (- for standard input).")
    private String file;

    /** Null when another goal was given. */
    String file() {
        return file;
    }

    /** The one goal that was given. */
    Goal goal(long nowMillis) {
        List<Supplier<Goal>> given = new ArrayList<>();
        add(given, to != null, () -> position(to, nowMillis));
        add(given, earliest, () -> new Goal(Kind.EARLIEST, 0));
        add(given, latest, () -> new Goal(Kind.LATEST, 0));
        add(given, current, () -> new Goal(Kind.CURRENT, 0));
        add(given, offset != null, () -> new Goal(Kind.OFFSET, offset));
        add(given, datetime != null, () -> new Goal(Kind.TIME, millis(datetime)));
        add(given, duration != null, () -> new Goal(Kind.TIME, nowMillis - period(duration)));
        add(given, shift != null, () -> new Goal(Kind.SHIFT, shift));
        add(given, file != null, () -> new Goal(Kind.FILE, 0));
        if (given.size() != 1) {
            throw new CliFailure(
                    given.isEmpty() ? "not said what to reset to" : "several goals of a reset given",
                    "Give one of --to, --to-earliest, --to-latest, --to-current, --to-offset, --to-datetime,"
                            + " --by-duration, --shift-by, --from-file.");
        }
        return given.get(0).get();
    }

    private static void add(List<Supplier<Goal>> given, boolean present, Supplier<Goal> goal) {
        if (present) {
            given.add(goal);
        }
    }

    private static Goal position(String text, long nowMillis) {
        if (text.trim().equalsIgnoreCase("current")) {
            return new Goal(Kind.CURRENT, 0);
        }
        StartPosition position = StartPosition.parse("--to", text, nowMillis);
        Kind kind = switch (position.kind()) {
            case BEGINNING -> Kind.EARLIEST;
            case END -> Kind.LATEST;
            case OFFSET -> Kind.OFFSET;
            case BEFORE_END -> Kind.BEFORE_END;
            case TIME -> Kind.TIME;
        };
        return new Goal(kind, position.value());
    }

    /** As Kafka's tool reads it: without a zone it is UTC. */
    private static long millis(String text) {
        String upper = text.trim().toUpperCase(Locale.ROOT);
        try {
            boolean zoned = upper.endsWith("Z") || upper.matches(".*T.*[+-]\\d\\d:?\\d\\d");
            Instant time = zoned
                    ? OffsetDateTime.parse(upper.replaceFirst("([+-]\\d\\d)(\\d\\d)$", "$1:$2"))
                            .toInstant()
                    : LocalDateTime.parse(upper).toInstant(ZoneOffset.UTC);
            return time.toEpochMilli();
        } catch (DateTimeException | ArithmeticException problem) {
            throw new CliFailure(
                    "--to-datetime " + text + " is no time",
                    "Write it as 2026-11-30T10:00:00.000 (UTC) or with a zone.");
        }
    }

    private static long period(String text) {
        try {
            return Duration.parse(text.trim()).toMillis();
        } catch (DateTimeException | ArithmeticException problem) {
            throw new CliFailure("--by-duration " + text + " is no duration", "Write it as PT15M, PT2H or P1DT2H.");
        }
    }
}
