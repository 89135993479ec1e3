package cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.ResetTarget.Goal;
import cli.ResetTarget.Kind;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ResetTargetTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final Long NOTHING = null;

    @Command
    private static final class Host {
        @Mixin
        private ResetTarget target;
    }

    private static Goal goal(String... args) {
        Host host = new Host();
        new CommandLine(host).parseArgs(args);
        return host.target.goal(NOW);
    }

    @Test
    void bothWaysToSayIt() {
        assertEquals(new Goal(Kind.EARLIEST, 0), goal("--to-earliest"));
        assertEquals(new Goal(Kind.EARLIEST, 0), goal("--to", "earliest"));
        assertEquals(new Goal(Kind.LATEST, 0), goal("--to-latest"));
        assertEquals(new Goal(Kind.LATEST, 0), goal("--to", "end"));
        assertEquals(new Goal(Kind.CURRENT, 0), goal("--to-current"));
        assertEquals(new Goal(Kind.CURRENT, 0), goal("--to", "Current"));
        assertEquals(new Goal(Kind.OFFSET, 42), goal("--to-offset", "42"));
        assertEquals(new Goal(Kind.OFFSET, 42), goal("--to", "42"));
        assertEquals(new Goal(Kind.BEFORE_END, 10), goal("--to", "-10"));
        assertEquals(new Goal(Kind.SHIFT, -5), goal("--shift-by", "-5"));
        assertEquals(new Goal(Kind.TIME, NOW - 900_000), goal("--by-duration", "PT15M"));
        assertEquals(new Goal(Kind.TIME, NOW - 900_000), goal("--to", "@-15m"));
        assertEquals(Kind.FILE, goal("--from-file", "x.csv").kind());
    }

    @Test
    void datesAreInUtcUnlessTheySayOtherwise() {
        long ten = Instant.parse("2026-11-30T10:00:00Z").toEpochMilli();
        assertEquals(ten, goal("--to-datetime", "2026-11-30T10:00:00.000").value());
        assertEquals(ten, goal("--to-datetime", "2026-11-30T10:00:00Z").value());
        assertEquals(ten, goal("--to-datetime", "2026-11-30T12:00:00.000+0200").value());
        assertEquals(ten, goal("--to-datetime", "2026-11-30T08:00-02:00").value());
    }

    @Test
    void nonsenseAndNoneAndSeveralAreRefused() {
        assertTrue(assertThrows(CliFailure.class, () -> goal()).hint().contains("--to-earliest"));
        assertThrows(CliFailure.class, () -> goal("--to-earliest", "--to-latest"));
        assertThrows(CliFailure.class, () -> goal("--to", "1", "--to-offset", "1"));
        for (List<String> args : List.of(
                List.of("--to", "soon"),
                List.of("--to-datetime", "soon"),
                List.of("--to-datetime", "2026-13-30T10:00:00"),
                List.of("--by-duration", "15m"),
                List.of("--by-duration", "PT999999999999999H"))) {
            assertThrows(CliFailure.class, () -> goal(args.toArray(String[]::new)), args.toString());
        }
    }

    @Test
    void offsetsStayWithinTheLog() {
        assertEquals(100, new Goal(Kind.EARLIEST, 0).offset("p", 100, 200, NOTHING, -1));
        assertEquals(200, new Goal(Kind.LATEST, 0).offset("p", 100, 200, 150L, -1));
        assertEquals(150, new Goal(Kind.CURRENT, 0).offset("p", 100, 200, 150L, -1));
        assertEquals(200, new Goal(Kind.CURRENT, 0).offset("p", 100, 200, NOTHING, -1));
        assertEquals(100, new Goal(Kind.CURRENT, 0).offset("p", 100, 200, 7L, -1), "what it had is deleted");
        assertEquals(100, new Goal(Kind.OFFSET, 7).offset("p", 100, 200, 150L, -1));
        assertEquals(200, new Goal(Kind.OFFSET, 7000).offset("p", 100, 200, 150L, -1));
        assertEquals(190, new Goal(Kind.BEFORE_END, 10).offset("p", 100, 200, 150L, -1));
        assertEquals(123, new Goal(Kind.TIME, 5).offset("p", 100, 200, 150L, 123));
        assertEquals(200, new Goal(Kind.TIME, 5).offset("p", 100, 200, 150L, -1), "no record so late");
        assertEquals(145, new Goal(Kind.SHIFT, -5).offset("p", 100, 200, 150L, -1));
        assertEquals(200, new Goal(Kind.SHIFT, Long.MAX_VALUE).offset("p", 100, 200, 150L, -1));
        assertEquals(100, new Goal(Kind.SHIFT, Long.MIN_VALUE).offset("p", 100, 200, 150L, -1));
        assertThrows(CliFailure.class, () -> new Goal(Kind.SHIFT, 1).offset("p", 100, 200, NOTHING, -1));
    }
}
